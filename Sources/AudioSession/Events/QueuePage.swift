public import Playback

/// Some of a queue's items, one behind the other.
public struct QueuePage: Sendable {
    /// The items in play order.
    public var items: [QueueItem]
    /// The place of the first of them, from 0.
    public var offset: Int
    /// How many items the queue has.
    public var count: Int
    /// The current item; nil behind the end.
    public var current: ItemID?
    /// The current item's place; `count` behind the end.
    public var place: Int
}
