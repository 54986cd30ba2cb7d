import Glibc

/// The effect of signals on this process.
package enum Signals {
    /// True if the signal is ignored, as SIGHUP is under `nohup`.
    package static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        unsafe sigaction(number, nil, &action)
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Stops the process as SIGTSTP, which the calling thread blocks, does by default, and returns when
    /// it is continued; at once where nobody could continue it, in an orphaned process group.
    package static func stopProcess() {
        var stop = sigset_t()
        unsafe sigemptyset(&stop)
        unsafe sigaddset(&stop, SIGTSTP)
        raise(SIGTSTP)
        // The signal is pending: it takes effect here, before the call returns.
        unsafe pthread_sigmask(SIG_UNBLOCK, &stop, nil)
        unsafe pthread_sigmask(SIG_BLOCK, &stop, nil)
    }

    /// Leaves a pending SIGCONT, which the calling thread blocks, for no other reader.
    package static func removeContinuation() {
        var continuation = sigset_t()
        unsafe sigemptyset(&continuation)
        unsafe sigaddset(&continuation, SIGCONT)
        var none = timespec()
        unsafe sigtimedwait(&continuation, nil, &none)
    }
}
