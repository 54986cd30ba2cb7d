/// One edit of a queue as a value: it can be tried on a copy, made durable, and then be applied.
package enum QueueChange: Sendable {
    /// Where new items go.
    package enum Target: Hashable, Sendable {
        /// At the end; in a shuffled queue, shuffled among themselves.
        case end
        /// After the current item, or at the end if there is none.
        case next
        /// After this item.
        case after(ItemID)
    }

    /// Inserts items from the itemStore. `seed` is used in a shuffled queue; the same seed gives the
    /// same order.
    case insert([ItemID], Target, seed: UInt64)
    /// Moves an item after another, or to the front for nil.
    case move(ItemID, after: ItemID?)
    /// Removes items; if the current one is among them, the next one becomes current.
    case remove([ItemID])
    /// Puts all items into this order, which names each of them once. A shuffled queue has it as its
    /// original order too.
    case reorder([ItemID])
    /// Removes all items.
    case removeAll
    /// Replaces the queue by these items from the itemStore.
    case replaceAll([ItemID], seed: UInt64)
    /// Restores an earlier order and its current item.
    case restore(QueueOrder)
}

/// The order of a queue's items by id, as it is saved.
package struct QueueOrder: Equatable, Sendable {
    /// All items in play order.
    package var ids: [ItemID]
    /// The order before shuffling; nil while the queue is not shuffled.
    package var original: [ItemID]?
    /// The current item; nil at the end of the queue.
    package var current: ItemID?

    package init(ids: [ItemID] = [], original: [ItemID]? = nil, current: ItemID? = nil) {
        self.ids = ids
        self.original = original
        self.current = current
    }
}

/// Generates the same numbers for the same seed (splitmix64): fast, and not for anything secret.
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
