import Glibc

/// The cookie presented to a remote sound server: the one named in the client's environment as long
/// as its run is the last one, otherwise the service's own.
///
/// libpulse reads it from the environment whenever it connects. Other threads may read the
/// environment at any time, which is safe during `setenv` if the variable already exists: glibc
/// replaces one pointer, and keeps the old text.
struct SoundServerCookie: SoundServerCookies {
    private static let variable = "PULSE_COOKIE"
    /// The value with which this process was started; an empty one counts as none.
    private static let own = unsafe getenv(variable).map { unsafe String(cString: $0) } ?? ""

    /// Creates the variable. Call this before there are other threads.
    static func begin() { unsafe setenv(variable, own, 1) }

    func isUsed(_ path: String?) -> Bool {
        unsafe getenv(Self.variable).map { unsafe String(cString: $0) } ?? "" == path ?? Self.own
    }

    func use(_ path: String?) { unsafe setenv(Self.variable, path ?? Self.own, 1) }
}
