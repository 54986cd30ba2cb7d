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
}
