import Synchronization

/// Keeps what the items of a queue are: the queue itself knows their ids and their order only. Any
/// thread may call it.
package protocol ItemShelf: AnyObject, Sendable {
    /// Keeps entries under new ids, one following the other, which are never used again.
    func add(_ entries: [QueueEntry]) -> [ItemID]
    /// Keeps an item that was given its id already. Precondition: it is higher than every one before.
    func add(_ item: QueueItem)
    /// The items with these ids, in their order; those that it does not know are left out.
    func items(_ ids: [ItemID]) -> [QueueItem]
    /// Changes which part of its source an item plays.
    func setRange(of id: ItemID, start: CMTime, end: CMTime?)
    /// Items have left the queue.
    func forget(_ ids: some Collection<ItemID>)
}

extension ItemShelf {
    package func item(_ id: ItemID) -> QueueItem? { items([id]).first }
}

/// Keeps items in memory, for as long as they are in the queue.
package final class MemoryShelf: ItemShelf {
    private struct Contents {
        var items: [ItemID: QueueItem] = [:]
        var lastNumber = 0
    }

    private let contents = Mutex(Contents())

    package init() {}

    package func add(_ entries: [QueueEntry]) -> [ItemID] {
        contents.withLock { contents in
            entries.map { entry in
                contents.lastNumber += 1
                let id = ItemID(contents.lastNumber)
                contents.items[id] = QueueItem(id: id, entry)
                return id
            }
        }
    }

    package func add(_ item: QueueItem) {
        contents.withLock { contents in
            precondition(item.id.number > contents.lastNumber, "an item's id is never used again")
            contents.lastNumber = item.id.number
            contents.items[item.id] = item
        }
    }

    package func items(_ ids: [ItemID]) -> [QueueItem] {
        contents.withLock { contents in ids.compactMap { contents.items[$0] } }
    }

    package func setRange(of id: ItemID, start: CMTime, end: CMTime?) {
        contents.withLock { $0.items[id]?.setRange(start: start, end: end) }
    }

    package func forget(_ ids: some Collection<ItemID>) {
        contents.withLock { contents in
            for id in ids { contents.items[id] = nil }
        }
    }
}
