import Glibc
import UndersongBase

/// Signals that end this process, received by the main thread one at a time. Create this before any
/// other thread, so that none of them is interrupted.
package struct TerminationSignals {
    private var set = sigset_t()

    /// Blocks the signals for the whole process, and ignores SIGPIPE. With `hangUpEnds` they
    /// include the hang-up of the terminal, unless that is already ignored, as by `nohup`.
    package init(hangUpEnds: Bool = false) {
        signal(SIGPIPE, SIG_IGN)
        unsafe sigemptyset(&set)
        for number in [SIGINT, SIGTERM] { unsafe sigaddset(&set, number) }
        if hangUpEnds, !Signals.isIgnored(SIGHUP) { unsafe sigaddset(&set, SIGHUP) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits for the next signal.
    package func next() -> Int32 {
        var set = set
        while true {
            let number = unsafe sigwaitinfo(&set, nil)
            if number > 0 { return number }
        }
    }
}
