public import UndersongBackground

/// What the service leaves in a file when its host has left the foreground, and after each task in the
/// background: shown without waking the service (K4).
package struct StateSnapshot: Codable, Hashable, Sendable {
    /// The name of the file in the session's state folder.
    package static let fileName = "snapshot.json"

    /// When it was taken, in seconds since 1970.
    package var taken: Double
    /// After what: `background`, `fetch`, `refresh`, `processing` or `push`.
    package var after: String
    /// What was playing, and where.
    public var status: PlayerStatus
    /// Background tasks, with the last run.
    package var refresh: RefreshStatus

    /// Creates a snapshot.
    public init(taken: Double, after: String, status: PlayerStatus, refresh: Refresh.Reply) {
        self.taken = taken
        self.after = after
        self.status = status
        self.refresh = refresh
    }
}
