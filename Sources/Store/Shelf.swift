import Playback
import Synchronization

/// What the items are that the queue has ids of: new and changed ones here, until they are in the
/// file, and the others there, but for a few that were asked for last. Any thread may call it.
final class Shelf: Sendable {
    private struct Contents {
        var lastNumber = 0
        /// Items that the file lacks, or has otherwise.
        var unsaved: [ItemID: QueueItem] = [:]
        /// Ids that no record has named yet.
        var pending: [ClosedRange<Int>] = []
        var recent: [ItemID: QueueItem] = [:]
        var older: [ItemID: QueueItem] = [:]
        /// Goes up when something in the file becomes another.
        var generation = 0
        var reader: Connection?

        mutating func remember(_ item: QueueItem) {
            if recent.count >= Shelf.recentCount { (older, recent) = (recent, [:]) }
            recent[item.id] = item
        }

        mutating func recall(_ id: ItemID) -> QueueItem? {
            if let item = unsaved[id] ?? recent[id] { return item }
            guard let item = older[id] else { return nil }
            remember(item)
            return item
        }

        mutating func add(_ numbers: ClosedRange<Int>) {
            lastNumber = numbers.upperBound
            if let last = pending.last, last.upperBound + 1 == numbers.lowerBound {
                pending[pending.count - 1] = last.lowerBound...numbers.upperBound
            } else {
                pending.append(numbers)
            }
        }

        func isPending(_ id: ItemID) -> Bool {
            pending.contains { $0.contains(id.number) }
        }

        /// Takes ids out of the pending ones.
        mutating func settle(_ ids: [ItemID]) {
            guard !pending.isEmpty, !ids.isEmpty else { return }
            let settled = ids.filter { isPending($0) }.map(\.number).sorted()
            var rest: [ClosedRange<Int>] = []
            var place = 0
            for range in pending {
                var start = range.lowerBound
                while place < settled.count, range.contains(settled[place]) {
                    if start < settled[place] { rest.append(start...settled[place] - 1) }
                    start = settled[place] + 1
                    place += 1
                }
                if start <= range.upperBound { rest.append(start...range.upperBound) }
            }
            pending = rest
        }
    }

    private static let recentCount = 256

    private let contents = Mutex(Contents())

    var lastNumber: Int { contents.withLock { $0.lastNumber } }

    /// What reads items from the file: nil while there is none.
    func setReader(_ reader: Connection?, lastNumber: Int) {
        contents.withLock { contents in
            contents.reader = reader
            contents.lastNumber = max(contents.lastNumber, lastNumber)
            contents.generation += 1
            contents.recent = [:]
            contents.older = [:]
        }
    }

    // MARK: For the queue

    func add(_ entries: [QueueEntry]) -> [QueueItem] {
        if entries.isEmpty { return [] }
        return contents.withLock { contents in
            let first = contents.lastNumber + 1
            let items = entries.enumerated().map { index, entry in
                QueueItem(id: ItemID(first + index), entry)
            }
            for item in items { contents.unsaved[item.id] = item }
            contents.add(first...contents.lastNumber + items.count)
            return items
        }
    }

    func add(_ item: QueueItem) {
        contents.withLock { contents in
            let number = item.id.number
            precondition(number > contents.lastNumber, "an item's id is never used again")
            contents.unsaved[item.id] = item
            contents.add(number...number)
        }
    }

    func items(_ ids: [ItemID]) -> [QueueItem] {
        let (found, reader, generation) = contents.withLock { contents in
            (ids.map { contents.recall($0) }, contents.reader, contents.generation)
        }
        guard let reader, found.contains(where: { $0 == nil }) else {
            return found.compactMap(\.self)
        }
        let items = read(zip(ids, found), from: reader)
        contents.withLock { contents in
            guard contents.generation == generation else { return }
            for case (let item?, nil) in zip(items, found) { contents.remember(item) }
        }
        return items.compactMap(\.self)
    }

    private func read(
        _ wanted: some Sequence<(ItemID, QueueItem?)>, from reader: Connection
    ) -> [QueueItem?] {
        // What cannot be read is not on the shelf; the writer tells of the trouble.
        let items = try? reader.read { db in
            let table = ItemTable(db: db)
            return try wanted.map { id, found in try found ?? table.item(id) }
        }
        return items ?? wanted.map(\.1)
    }

    /// Whether there is such an item.
    func setRange(of id: ItemID, start: CMTime, end: CMTime?) -> Bool {
        guard var item = items([id]).first else { return false }
        item.setRange(start: start, end: end)
        contents.withLock { $0.unsaved[id] = item }
        return true
    }

    /// Those of `ids` that no record has named; they are no longer on the shelf.
    func forget(_ ids: some Collection<ItemID>) -> [ItemID] {
        contents.withLock { contents in
            guard !contents.pending.isEmpty else { return [] }
            let forgotten = ids.filter { contents.isPending($0) }
            contents.settle(forgotten)
            for id in forgotten { contents.unsaved[id] = nil }
            return forgotten
        }
    }

    // MARK: For the writer

    /// The unsaved items that go with a record: those with one of `ids`, and all that a record before
    /// it had.
    func unsavedItems(with ids: [ItemID]) -> [QueueItem] {
        contents.withLock { contents in
            if contents.unsaved.isEmpty { return [] }
            let known = contents.unsaved.values.filter { !contents.isPending($0.id) }
            let new = ids.compactMap { contents.isPending($0) ? contents.unsaved[$0] : nil }
            return known + new
        }
    }

    /// These items are in the file now.
    func didSave(_ items: [QueueItem]) {
        contents.withLock { contents in
            if !items.isEmpty { contents.generation += 1 }
            for item in items {
                contents.recent[item.id] = nil
                contents.older[item.id] = nil
                guard let unsaved = contents.unsaved[item.id] else { continue }
                if unsaved.start == item.start, unsaved.end == item.end {
                    contents.unsaved[item.id] = nil
                }
            }
            if contents.unsaved.isEmpty { contents.unsaved = [:] }
        }
    }

    /// A record has named these ids. Returns whether others are still to be named.
    func didName(_ ids: [ItemID]) -> Bool {
        contents.withLock { contents in
            contents.settle(ids)
            return !contents.pending.isEmpty
        }
    }

    var pendingNumbers: [ClosedRange<Int>] { contents.withLock { $0.pending } }
}
