/// What is played again when it has come to its end.
public enum RepeatMode: String, Sendable, CaseIterable {
    /// Nothing: the queue ends behind its last item.
    case off
    /// The current item, until the user leaves it.
    case one
    /// The whole queue: the first item follows the last one.
    case all
}

/// How a queue goes on behind an item. The four modes are independent of each other.
public struct PlaybackModes: Hashable, Sendable {
    /// What is played again.
    public var repeatMode: RepeatMode
    /// Whether the items are played in random order.
    public var isShuffled: Bool
    /// Whether the player stands still behind each item.
    public var isSingle: Bool
    /// Whether an item leaves the queue as soon as it is left.
    public var isConsuming: Bool

    /// Makes a set of modes, by default all off.
    public init(
        repeatMode: RepeatMode = .off, isShuffled: Bool = false, isSingle: Bool = false,
        isConsuming: Bool = false
    ) {
        self.repeatMode = repeatMode
        self.isShuffled = isShuffled
        self.isSingle = isSingle
        self.isConsuming = isConsuming
    }
}

/// What comes by itself when an item was heard to its end.
package enum Next: Equatable, Sendable {
    /// This item, without a gap. It may be the same one again.
    case play(QueueItem)
    /// Silence: the player stands still before this item, or behind the end for nil.
    case hold(QueueItem?)
    /// Nothing: the queue is over.
    case end
}
