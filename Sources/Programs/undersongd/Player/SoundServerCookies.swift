/// The cookies that the process presents to sound servers. Called on the session's executor only.
package protocol SoundServerCookies: Sendable {
    /// Returns true if the next connection already presents the cookie in the file `path`; nil for the
    /// service's own.
    func isUsed(_ path: String?) -> Bool
    /// Makes the next connection present the cookie in the file `path`; nil for the service's own.
    func use(_ path: String?)
}
