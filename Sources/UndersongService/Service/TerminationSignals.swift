import CommandOptions
import Glibc

/// The signals that end this process, taken one at a time by the main thread. Made before any other
/// thread, so that none of them is interrupted.
struct TerminationSignals {
    private var set = sigset_t()

    /// Blocks the signals for the whole process, and ignores SIGPIPE. With `hangUpEnds` the end of
    /// the terminal is among them, unless that is ignored already, as by `nohup`.
    init(hangUpEnds: Bool = false) {
        signal(SIGPIPE, SIG_IGN)
        unsafe sigemptyset(&set)
        for number in [SIGINT, SIGTERM] { unsafe sigaddset(&set, number) }
        if hangUpEnds, !Signals.isIgnored(SIGHUP) { unsafe sigaddset(&set, SIGHUP) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits for the next one.
    func next() -> Int32 {
        var set = set
        while true {
            let number = unsafe sigwaitinfo(&set, nil)
            if number > 0 { return number }
        }
    }
}
