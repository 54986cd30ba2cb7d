import CUndersongLinux
import Glibc
import UndersongCommandOptions

/// The signals by which a shell and a terminal control this process, taken one at a time by the
/// main thread. Create this before any other thread, so that none is interrupted.
struct HostSignals: Sendable {
    /// The signals that ask the program to end.
    static let ends = [SIGINT, SIGTERM, SIGQUIT]

    private var set = sigset_t()

    /// Blocks the signals for the whole process. A signal that is ignored already, as SIGHUP is
    /// under `nohup`, stays ignored.
    init() {
        signal(SIGPIPE, SIG_IGN)
        unsafe sigemptyset(&set)
        let awaited = Self.ends + [SIGHUP, SIGTSTP, SIGCONT, SIGWINCH]
        for number in awaited where !Signals.isIgnored(number) {
            unsafe sigaddset(&set, number)
        }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// The next signal, or nil if none arrives within `milliseconds`; nil waits forever.
    func next(within milliseconds: Int?) -> Int32? {
        var set = set
        while true {
            let number: Int32
            if let milliseconds {
                var time = timespec(
                    tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
                number = unsafe sigtimedwait(&set, nil, &time)
            } else {
                number = unsafe sigwaitinfo(&set, nil)
            }
            if number > 0 { return number }
            if errno == EAGAIN { return nil }
        }
    }

    /// Stops the process as SIGTSTP does by default, and returns when it is continued.
    func stopProcess() {
        var stop = sigset_t()
        unsafe sigemptyset(&stop)
        unsafe sigaddset(&stop, SIGTSTP)
        raise(SIGTSTP)
        // The signal is pending: it takes effect here, before the call returns.
        unsafe pthread_sigmask(SIG_UNBLOCK, &stop, nil)
        unsafe pthread_sigmask(SIG_BLOCK, &stop, nil)
    }
}
