import CUndersongLinux
import Glibc

/// A process that this one has started. Its number belongs to no other until it is reaped.
package struct ChildProcess: Sendable {
    /// The end of a process.
    package enum End: Equatable, Sendable {
        case exited(status: Int32)
        case killed(signal: Int32)

        init(_ word: Int32) {
            let signal = word & 0x7f
            self = signal == 0 ? .exited(status: word >> 8 & 0xff) : .killed(signal: signal)
        }

        /// The status that a shell reports: 128 plus the number of the signal that ended it.
        package var shellStatus: Int32 {
            switch self {
            case .exited(let status): status
            case .killed(let number): 128 + number
            }
        }
    }

    package let id: Int32

    /// True once the process has ended.
    package var hasEnded: Bool {
        var information = unsafe siginfo_t()
        return unsafe waitid(P_PID, id_t(id), &information, WEXITED | WNOHANG | WNOWAIT) == 0
            && information.si_signo == SIGCHLD
    }

    /// The signal that has stopped it, as long as it is stopped; nil otherwise.
    package var stopSignal: Int32? {
        var information = unsafe siginfo_t()
        guard unsafe waitid(P_PID, id_t(id), &information, WSTOPPED | WNOHANG | WNOWAIT) == 0,
            unsafe information.si_signo == SIGCHLD
        else { return nil }
        return unsafe information._sifields._sigchld.si_status
    }

    /// Waits for its end.
    package func waitForEnd() {
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {
        }
    }

    /// Waits for its end until `deadline`, in nanoseconds of CLOCK_MONOTONIC, and returns whether it
    /// has come. A kernel without process descriptors has no deadline.
    package func waitForEnd(until deadline: Int64) -> Bool {
        let descriptor = pidfd_open(id, 0)
        guard descriptor >= 0 else {
            waitForEnd()
            return true
        }
        defer { close(descriptor) }
        Wakeup.wait(for: descriptor, until: deadline)
        return hasEnded
    }

    /// Waits for its end, and gives its number back. Called once.
    @discardableResult
    package func reap() -> End {
        var word: Int32 = 0
        while unsafe waitpid(id, &word, 0) < 0, errno == EINTR {}
        return End(word)
    }
}
