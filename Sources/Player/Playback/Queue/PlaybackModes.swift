/// The part of a queue that a player repeats.
public enum RepeatMode: String, Codable, Sendable, CaseIterable {
    /// Nothing: the queue ends after its last item.
    case off
    /// The current item, until the user leaves it.
    case one
    /// The whole queue: the first item follows the last one.
    case all
}

/// A player's action at the end of an item (`AVPlayer.ActionAtItemEnd`).
public enum ItemEndAction: String, Codable, Sendable, CaseIterable {
    /// Advances to the next item.
    case advance
    /// Pauses; the item stays current.
    case pause
    /// Nothing: the player still wants to play, and the item stays current.
    case none
}

/// The end at which playback stops once: the next one of its kind, whichever item that belongs to
/// by then.
public enum StopCondition: String, Codable, Sendable, CaseIterable {
    /// After the current item, before the one that follows.
    case item
    /// After the last item of the queue, even when repeating.
    case queue
    /// After the current chapter, if more of the item follows; otherwise as `item`.
    case chapter
}

/// The ways in which a queue continues after an item. The modes are independent of each other.
public struct PlaybackModes: Hashable, Sendable {
    /// The part of the queue that the player repeats.
    public var repeatMode: RepeatMode
    /// True if items play in random order.
    public var isShuffled: Bool
    /// True if the player stops after each item.
    public var isSingle: Bool
    /// True if items are removed from the queue once they are left.
    public var isConsuming: Bool
    /// The action at the end of an item; the other modes only apply to `advance`.
    public var itemEndAction: ItemEndAction
    /// The end at which playback stops once. It applies to whichever item the user moves to, and is
    /// cleared when it is met or the run is stopped.
    public var stopCondition: StopCondition?

    /// Creates a set of modes, all off by default.
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

/// The item that follows by itself after another was heard to its end.
package enum Next: Equatable, Sendable {
    /// This item, without a gap; possibly the same one again.
    case play(QueueItem)
    /// Silence: the player stops before this item, or at the end of the queue for nil.
    case hold(QueueItem?)
    /// Silence at the end of the item, which stays current.
    case stay
    /// Nothing: the queue has ended.
    case end
}
