import Playback

/// Items as they were added: many at a time, with consecutive ids.
struct ItemBatches {
    private struct Batch {
        let first: Int
        var items: [QueueItem?]
        /// How many of them remain.
        var count: Int

        var end: Int { first + items.count }

        mutating func remove(_ run: ClosedRange<Int>) {
            if run.lowerBound <= first, run.upperBound >= end - 1 {
                count = 0
                return
            }
            for number in run.clamped(to: first...end - 1) where items[number - first] != nil {
                items[number - first] = nil
                count -= 1
            }
        }
    }

    private var batches: [Batch] = []

    var isEmpty: Bool { batches.isEmpty }

    /// All items, in the order of their ids.
    var all: some Sequence<QueueItem> { batches.lazy.flatMap(\.items).compactMap(\.self) }

    /// Precondition: the items' ids are consecutive and higher than all earlier ones.
    mutating func append(_ items: [QueueItem]) {
        guard let first = items.first else { return }
        batches.append(Batch(first: first.id.number, items: items, count: items.count))
    }

    subscript(id: ItemID) -> QueueItem? {
        let index = index(from: id.number)
        guard index < batches.count, batches[index].first <= id.number else { return nil }
        return batches[index].items[id.number - batches[index].first]
    }

    mutating func remove(_ ids: some Sequence<ItemID>) {
        if !batches.isEmpty { for run in NumberRuns(ids) { remove(run) } }
    }

    private mutating func remove(_ run: ClosedRange<Int>) {
        var index = index(from: run.lowerBound)
        while index < batches.count, batches[index].first <= run.upperBound {
            batches[index].remove(run)
            if batches[index].count == 0 { batches.remove(at: index) } else { index += 1 }
        }
    }

    /// The first batch that does not end before `number`.
    private func index(from number: Int) -> Int {
        var (low, high) = (0, batches.count)
        while low < high {
            let middle = (low + high) / 2
            if batches[middle].end <= number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
