/// The player at a moment at which Apple's systems take a snapshot of an application's interface (K4).
///
/// The service keeps the last one in a file, which is shown without waking it.
package struct StateSnapshot: Codable, Hashable, Sendable {
    /// A moment at which a snapshot is taken.
    package enum Moment: String, Codable, Hashable, Sendable, CaseIterable {
        /// The host has left the foreground.
        case background
        /// A background task is over.
        case fetch, refresh, processing
        /// A push was handled.
        case push

        /// The moment after a task of a kind.
        package init(after kind: RefreshKind) {
            self =
                switch kind {
                case .fetch: .fetch
                case .refresh: .refresh
                case .processing: .processing
                }
        }
    }

    /// The name of the file in the session's state folder.
    package static let fileName = "snapshot.json"

    /// The date, in seconds since 1970.
    package var taken: Double
    package var after: Moment
    package var status: PlayerStatus
    /// Background tasks, with the last run.
    package var refresh: RefreshStatus

    /// Creates a snapshot as of the date of `refresh`.
    package init(after moment: Moment, status: PlayerStatus, refresh: RefreshStatus) {
        taken = refresh.now
        after = moment
        self.status = status
        self.refresh = refresh
    }
}
