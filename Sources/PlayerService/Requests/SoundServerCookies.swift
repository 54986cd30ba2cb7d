/// The cookies that the process shows sound servers. The session's executor alone calls it.
package protocol SoundServerCookies: Sendable {
    /// Whether the next connection shows the cookie in the file `path` already; nil: the service's
    /// own.
    func isUsed(_ path: String?) -> Bool
    /// The next connection shows the cookie in the file `path`; nil: the service's own.
    func use(_ path: String?)
}
