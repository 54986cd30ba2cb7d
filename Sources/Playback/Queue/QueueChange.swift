/// One edit of a queue, as a value: it can be tried on a copy, made durable, and then be made.
package enum QueueChange: Sendable {
    /// Where new items go.
    package enum Target: Hashable, Sendable {
        /// Behind all others; in a shuffled queue they are shuffled among themselves.
        case end
        /// Behind the current item, or behind all others when there is none.
        case next
        /// Behind this item.
        case behind(ItemID)
    }

    /// Adds items that lie on the shelf. `seed` is for a shuffled queue: the same gives the same
    /// order.
    case insert([ItemID], Target, seed: UInt64)
    /// Moves an item behind another, or to the front for nil.
    case move(ItemID, after: ItemID?)
    /// Removes items; the current one is left for the next.
    case remove([ItemID])
    /// Removes all items.
    case removeAll
    /// Plays these items, which lie on the shelf, in place of all that were there.
    case replaceAll([ItemID], seed: UInt64)
    /// Brings an earlier order back, with its current item.
    case restore(QueueOrder)
}

/// The items of a queue in order, by their ids: what is kept of it when everything else is gone.
package struct QueueOrder: Equatable, Sendable {
    /// All items in play order.
    package var ids: [ItemID]
    /// The order that shuffling has left; nil while the queue is not shuffled.
    package var original: [ItemID]?
    /// The current item; nil behind the end.
    package var current: ItemID?

    package init(ids: [ItemID] = [], original: [ItemID]? = nil, current: ItemID? = nil) {
        self.ids = ids
        self.original = original
        self.current = current
    }
}

/// Gives the same numbers for the same seed (splitmix64): quick, and for nothing secret.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
