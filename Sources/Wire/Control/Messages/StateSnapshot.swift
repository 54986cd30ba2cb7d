/// What the service leaves in a file when its host has left the foreground, and after each task in the
/// background: shown without waking the service (K4).
public struct StateSnapshot: Codable, Hashable, Sendable {
    /// The name of the file in the session's state folder.
    public static let fileName = "snapshot.json"

    /// When it was taken, in seconds since 1970.
    public var taken: Double
    /// After what: `background`, `fetch`, `refresh`, `processing` or `push`.
    public var after: String
    /// What was playing, and where.
    public var status: Status
    /// Background tasks, with the last run.
    public var refresh: Refresh.Reply

    /// Creates a snapshot.
    public init(taken: Double, after: String, status: Status, refresh: Refresh.Reply) {
        self.taken = taken
        self.after = after
        self.status = status
        self.refresh = refresh
    }
}
