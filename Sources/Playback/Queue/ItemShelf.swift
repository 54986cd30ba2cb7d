/// Keeps what the items of a queue are: the queue itself knows their ids and their order only. One
/// that keeps them elsewhere is an object, which any thread may call.
package protocol ItemShelf: Sendable {
    /// Keeps entries under new ids, one following the other, which are never used again.
    mutating func add(_ entries: [QueueEntry]) -> [ItemID]
    /// Keeps an item that was given its id already. Precondition: it is higher than every one before.
    mutating func add(_ item: QueueItem)
    /// The items with these ids, in their order; those that it does not know are left out.
    func items(_ ids: [ItemID]) -> [QueueItem]
    /// Changes which part of its source an item plays.
    mutating func setRange(of id: ItemID, start: CMTime, end: CMTime?)
    /// An item's file has said something of itself.
    mutating func learn(_ facts: ItemFacts, of id: ItemID)
    /// Items have left the queue.
    mutating func forget(_ ids: some Collection<ItemID>)
}

extension ItemShelf {
    package func item(_ id: ItemID) -> QueueItem? { items([id]).first }
}

/// Keeps items in memory, for as long as they are in the queue.
package struct MemoryShelf: ItemShelf {
    private var items: [ItemID: QueueItem] = [:]
    private var lastNumber = 0

    package init() {}

    package mutating func add(_ entries: [QueueEntry]) -> [ItemID] {
        entries.map { entry in
            lastNumber += 1
            let id = ItemID(lastNumber)
            items[id] = QueueItem(id: id, entry)
            return id
        }
    }

    package mutating func add(_ item: QueueItem) {
        precondition(item.id.number > lastNumber, "an item's id is never used again")
        lastNumber = item.id.number
        items[item.id] = item
    }

    package func items(_ ids: [ItemID]) -> [QueueItem] { ids.compactMap { items[$0] } }

    package mutating func setRange(of id: ItemID, start: CMTime, end: CMTime?) {
        items[id]?.setRange(start: start, end: end)
    }

    package mutating func learn(_ facts: ItemFacts, of id: ItemID) { items[id]?.facts = facts }

    package mutating func forget(_ ids: some Collection<ItemID>) {
        for id in ids { items[id] = nil }
    }
}
