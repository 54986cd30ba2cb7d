import CLinux
import CommandOptions
import Control
import Glibc
import Playback
import Synchronization

/// Runs the command of a task, and ends it when the task's time is over.
final class CommandRunner: Sendable {
    private let name: String
    /// The command's process while it is running.
    private let process = Mutex<pid_t?>(nil)
    /// The signal that has asked this program to end.
    private let request = Mutex<Int32?>(nil)
    /// The signals that the main thread waits for, and no other thread.
    private let awaited: sigset_t

    /// `name` is the name of the task. Create this before any other thread: it blocks the signals
    /// that control the command, and later threads inherit that.
    init(name: String) {
        self.name = name
        var awaited = sigset_t()
        unsafe sigemptyset(&awaited)
        for number in [SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT] {
            unsafe sigaddset(&awaited, number)
        }
        unsafe pthread_sigmask(SIG_BLOCK, &awaited, nil)
        self.awaited = awaited
    }

    /// Handles a notice of the service.
    func take(_ notice: Notice) {
        switch notice {
        case .taskExpiring(let task):
            let left = ClockText.span(nanoseconds: Int64(max(task.timeRemaining, 0) * 1e9))
            end(by: SIGTERM, "\(left) left in the background, asking \(name) to end (SIGTERM)")
        case .taskTerminated:
            end(by: SIGKILL, "no time left in the background, killing \(name) (SIGKILL)")
        case .lost:
            let isRunning = process.withLock { $0 != nil }
            if isRunning { complain("the service has gone away, \(name) continues without it") }
        default: break
        }
    }

    /// Runs `command` to its end, and returns the exit status that a shell would report. Main
    /// thread only.
    func run(_ command: [String]) throws -> Int32 {
        // A notice that arrives while the command starts waits for its process.
        let child = try process.withLock { process in
            let child = try start(command)
            process = child
            return child
        }
        var awaited = awaited
        while true {
            if let status = ended(child) { return status }
            var signal = unsafe siginfo_t()
            let number = unsafe sigwaitinfo(&awaited, &signal)
            // A signal from a key has reached the command too, which is in the same process group.
            let isFromKey = unsafe signal.si_code == SI_KERNEL
            guard number > 0, number != SIGCHLD else { continue }
            request.withLock { $0 = number }
            if !isFromKey { kill(child, number) }
        }
    }

    /// Waits until `isReady`, which is looked at after each `wake`. Returns the signal that asks
    /// this program to end, if that comes first. Main thread only.
    func wait(until isReady: () -> Bool) -> Int32? {
        var awaited = awaited
        while true {
            if let number = request.withLock({ $0 }) { return number }
            if isReady() { return nil }
            let number = unsafe sigwaitinfo(&awaited, nil)
            if number > 0, number != SIGCHLD { return number }
        }
    }

    /// Makes `wait` look again. Any thread.
    func wake() { kill(getpid(), SIGCHLD) }

    private func end(by number: Int32, _ text: String) {
        process.withLock { process in
            guard let process else { return }
            complain(text)
            kill(process, number)
        }
    }

    /// The status of the command if it has ended; from then on its process is not signalled any
    /// more.
    private func ended(_ child: pid_t) -> Int32? {
        process.withLock { process in
            var word: Int32 = 0
            guard unsafe waitpid(child, &word, WNOHANG) == child else { return nil }
            process = nil
            let signal = word & 0x7F
            return signal == 0 ? word >> 8 & 0xFF : 128 + signal
        }
    }

    private func start(_ command: [String]) throws -> pid_t {
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var pointers = unsafe command.map { unsafe ServiceProgram.copy($0) } + [nil]
        defer { unsafe pointers.forEach { unsafe free($0) } }
        var child = pid_t()
        let code = unsafe FilePath(argument: command[0]).withPlatformString {
            unsafe posix_spawnp(&child, $0, nil, &attributes, &pointers, environ)
        }
        guard code == 0 else {
            let reason = unsafe String(cString: strerror(code))
            throw Failure("cannot run \(command[0]): \(reason)", status: code == ENOENT ? 127 : 126)
        }
        return child
    }
}
