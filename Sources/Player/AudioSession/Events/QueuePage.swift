public import UndersongPlayback

/// Consecutive items of a queue.
public struct QueuePage: Sendable {
    /// The items in play order.
    public var items: [QueueItem]
    /// The place of the first one, from 0.
    public var offset: Int
    /// The number of items in the queue.
    public var count: Int
    /// The current item; nil past the end.
    public var current: ItemID?
    /// The current item's place; `count` past the end.
    public var place: Int
}
