import UndersongBase

/// One edit of a queue as a value: it can be tried on a copy, made durable, and then be applied.
package enum QueueChange: Sendable {
    /// The destination of new items.
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
