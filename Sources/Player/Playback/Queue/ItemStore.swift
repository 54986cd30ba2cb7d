/// Stores the items of a queue; the queue itself has only their ids and their order. An
/// implementation that stores them elsewhere is an object that any thread may call.
package protocol ItemStore: Sendable {
    /// Stores entries under new, consecutive ids, which are never reused.
    mutating func add(_ entries: [QueueEntry]) -> [ItemID]
    /// Stores an item that already has an id. Precondition: the id is higher than all previous
    /// ones.
    mutating func add(_ item: QueueItem)
    /// The items with these ids, in this order, without those that are unknown.
    func items(_ ids: [ItemID]) -> [QueueItem]
    /// Changes the part of its source that an item plays.
    mutating func setRange(of id: ItemID, start: CMTime, end: CMTime?)
    /// Changes the volume of an item over its time.
    mutating func setVolume(of id: ItemID, _ volume: VolumeEnvelope)
    /// Saves facts from an item's file.
    mutating func learn(_ facts: ItemFacts, of id: ItemID)
    /// Removes items that have left the queue.
    mutating func forget(_ ids: some Collection<ItemID>)
}

extension ItemStore {
    package func item(_ id: ItemID) -> QueueItem? { items([id]).first }
}

/// Keeps items in memory while they are in the queue.
package struct MemoryItemStore: ItemStore {
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

    /// All items, in no particular order.
    package var all: [QueueItem] { Array(items.values) }

    package mutating func setRange(of id: ItemID, start: CMTime, end: CMTime?) {
        items[id]?.setRange(start: start, end: end)
    }

    package mutating func setVolume(of id: ItemID, _ volume: VolumeEnvelope) {
        items[id]?.volume = volume
    }

    package mutating func learn(_ facts: ItemFacts, of id: ItemID) { items[id]?.facts = facts }

    package mutating func forget(_ ids: some Collection<ItemID>) {
        for id in ids { items[id] = nil }
    }
}
