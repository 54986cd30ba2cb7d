import Glibc

/// The cookie that a sound server elsewhere is shown: the one that the client's environment names,
/// for as long as its run is the last one, else the service's own.
///
/// libpulse takes it from the environment each time it connects. Other threads may read
/// the environment at any time, which `setenv` allows where the variable is there already: glibc
/// exchanges one pointer, and keeps the old text.
enum SoundServerCookie {
    private static let variable = "PULSE_COOKIE"
    /// What this process was started with; empty counts as none.
    private static let own = unsafe getenv(variable).map { unsafe String(cString: $0) } ?? ""

    /// Makes room for it. Call it before there are threads.
    static func begin() { unsafe setenv(variable, own, 1) }

    /// Whether the next connection shows the cookie in the file `path` already.
    static func isUsed(_ path: String?) -> Bool {
        unsafe getenv(variable).map { unsafe String(cString: $0) } ?? "" == path ?? own
    }

    /// The next connection shows the cookie in the file `path`; nil: the service's own.
    static func use(_ path: String?) { unsafe setenv(variable, path ?? own, 1) }
}
