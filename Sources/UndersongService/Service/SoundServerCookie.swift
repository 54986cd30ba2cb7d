import Glibc
import PlayerService

/// The cookie that a sound server elsewhere is shown: the one that the client's environment names,
/// for as long as its run is the last one, else the service's own.
///
/// libpulse takes it from the environment each time it connects. Other threads may read
/// the environment at any time, which `setenv` allows where the variable is there already: glibc
/// exchanges one pointer, and keeps the old text.
struct SoundServerCookie: SoundServerCookies {
    private static let variable = "PULSE_COOKIE"
    /// What this process was started with; empty counts as none.
    private static let own = unsafe getenv(variable).map { unsafe String(cString: $0) } ?? ""

    /// Makes room for it. Call it before there are threads.
    static func begin() { unsafe setenv(variable, own, 1) }

    func isUsed(_ path: String?) -> Bool {
        unsafe getenv(Self.variable).map { unsafe String(cString: $0) } ?? "" == path ?? Self.own
    }

    func use(_ path: String?) { unsafe setenv(Self.variable, path ?? Self.own, 1) }
}
