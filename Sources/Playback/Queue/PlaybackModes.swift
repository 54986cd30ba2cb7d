/// What is played again when it has come to its end.
public enum RepeatMode: String, Sendable, CaseIterable {
    /// Nothing: the queue ends behind its last item.
    case off
    /// The current item, until the user leaves it.
    case one
    /// The whole queue: the first item follows the last one.
    case all
}

/// What a player does when an item has been heard to its end (`AVPlayer.ActionAtItemEnd`).
public enum ItemEndAction: String, Sendable, CaseIterable {
    /// It goes on to the next item.
    case advance
    /// It pauses, and the item stays current.
    case pause
    /// Nothing: it wants to play on, and the item stays current.
    case none
}

/// Where playing stops by itself, once: at the next such end, whatever item that belongs to then.
public enum StopCondition: String, Sendable, CaseIterable {
    /// Behind the current item: the player stands still before what follows it.
    case item
    /// Behind the queue's last item, as if nothing was repeated.
    case queue
    /// Behind the current chapter of the item, where it has more behind that; else as `item`.
    case chapter
}

/// How a queue goes on behind an item. The modes are independent of each other.
public struct PlaybackModes: Hashable, Sendable {
    /// What is played again.
    public var repeatMode: RepeatMode
    /// Whether the items are played in random order.
    public var isShuffled: Bool
    /// Whether the player stands still behind each item.
    public var isSingle: Bool
    /// Whether an item leaves the queue as soon as it is left.
    public var isConsuming: Bool
    /// What happens at the end of an item; what else is said here counts when it is `advance`.
    public var itemEndAction: ItemEndAction
    /// Where playing stops once. It moves along when the user leaves the current item for another,
    /// and is gone when it has been met, or when the run is stopped.
    public var stopCondition: StopCondition?

    /// Makes a set of modes, by default all off.
    public init(
        repeatMode: RepeatMode = .off, isShuffled: Bool = false, isSingle: Bool = false,
        isConsuming: Bool = false, itemEndAction: ItemEndAction = .advance,
        stopCondition: StopCondition? = nil
    ) {
        self.repeatMode = repeatMode
        self.isShuffled = isShuffled
        self.isSingle = isSingle
        self.isConsuming = isConsuming
        self.itemEndAction = itemEndAction
        self.stopCondition = stopCondition
    }
}

/// What comes by itself when an item was heard to its end.
package enum Next: Equatable, Sendable {
    /// This item, without a gap. It may be the same one again.
    case play(QueueItem)
    /// Silence: the player stands still before this item, or behind the end for nil.
    case hold(QueueItem?)
    /// Silence at the end of the item, which stays current.
    case stay
    /// Nothing: the queue is over.
    case end
}
