/// The items that are still to be heard, the current one first. Ids stay; places move.
package struct PlaybackQueue: Sendable {
    package private(set) var items: [QueueItem] = []
    /// How many items have left at the front: the current item's place, counted from 0.
    package private(set) var place = 0
    private var lastNumber = 0

    package init() {}

    package var current: QueueItem? { items.first }
    /// How many items the queue has held, those already played included.
    package var count: Int { place + items.count }

    /// Adds items at the end.
    package mutating func append(_ sources: [MediaSource]) {
        for source in sources {
            lastNumber += 1
            items.append(QueueItem(id: ItemID(lastNumber), source: source))
        }
    }

    /// The item behind `id`, the first one for nil, or nil at the end.
    package func item(after id: ItemID?) -> QueueItem? {
        guard let id else { return items.first }
        guard let index = items.firstIndex(where: { $0.id == id }) else { return nil }
        return items.dropFirst(index + 1).first
    }

    package func item(_ id: ItemID) -> QueueItem? { items.first { $0.id == id } }

    /// Makes `id` the current item, nil the end of the queue: whatever stood before it has been
    /// played or skipped. Nothing happens when it is no item of the queue.
    package mutating func advance(to id: ItemID?) {
        let index = id == nil ? items.count : items.firstIndex { $0.id == id }
        guard let passed = index else { return }
        place += passed
        items.removeFirst(passed)
    }
}
