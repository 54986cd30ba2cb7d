/// Identifies a watch for times on the items' timelines.
public enum WatchID: Hashable, Sendable {
    /// The session's own interval.
    case interval
    /// The session's own boundaries.
    case boundaries
    /// An interval added to the session.
    case addedInterval(Int)
    /// Boundaries added to the session.
    case addedBoundaries(Int)
    /// A title within a live stream.
    case title(Int)
    /// An observer of the player.
    case observer(Int)
}
