public import UndersongPlayback

/// Consecutive items of a queue, whose properties it has too, and the index of the current one.
@dynamicMemberLookup
public struct QueuePage: Sendable {
    /// The items.
    public var part: QueuePart<QueueItem>
    /// The current item's index; the number of items past the end.
    public var place: Int

    /// A property of the part.
    public subscript<Value>(dynamicMember property: KeyPath<QueuePart<QueueItem>, Value>) -> Value {
        part[keyPath: property]
    }
}
