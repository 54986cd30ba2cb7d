import Synchronization
import UndersongPlayback

/// The items that the queue has ids of. New and changed ones are kept here until they are in the
/// file; of the others only a few that were asked for recently. Any thread may call it, and waits
/// while another reads items from the file, but never while the file is being written.
final class StoredItems: Sendable {
    private struct Contents {
        var lastNumber = 0
        /// Items that are not in the file yet, or differ from it.
        var unsaved: [ItemID: QueueItem] = [:]
        /// The numbers of the items that no record has named yet.
        var pending = RangeSet<Int>()
        /// Items that stay although no record names them.
        var held: [ItemID] = []
        /// A cache of items in the file.
        var recent: [ItemID: QueueItem] = [:]
        var reader: Database?
        /// Called once if the reader finds damage.
        var onDamage: (@Sendable () -> Void)?

        /// The items' numbers are consecutive.
        mutating func add(_ items: [QueueItem]) {
            guard let first = items.first, let last = items.last else { return }
            for item in items { unsaved[item.id] = item }
            pending.insert(contentsOf: first.id.number..<last.id.number + 1)
            lastNumber = last.id.number
        }

        /// Removes pending ids, in ascending order, so that the numbers stay few ranges meanwhile.
        mutating func remove(pending ids: some Sequence<ItemID>) {
            for id in ids.sorted() { pending.remove(contentsOf: id.number..<id.number + 1) }
        }

        mutating func read<T>(_ body: (Database) throws -> T) -> T? {
            guard let reader else { return nil }
            do {
                return try body(reader)
            } catch {
                guard (error as? SQLiteError)?.isDamage == true else { return nil }
                onDamage?()
                onDamage = nil
                return nil
            }
        }
    }

    private static let recentCount = 256

    let searchIndex = SearchIndex()
    private let contents = Mutex(Contents())

    var lastNumber: Int { contents.withLock { $0.lastNumber } }

    /// Sets the source for items in the file, or nil if there is no file. `onDamage` is called
    /// once, on any thread, if it finds damage.
    func setReader(
        _ reader: sending Database?, lastNumber: Int, onDamage: (@Sendable () -> Void)? = nil
    ) {
        searchIndex.reset()
        contents.withLock { contents in
            contents.reader = reader
            contents.onDamage = onDamage
            contents.lastNumber = max(contents.lastNumber, lastNumber)
            contents.recent = [:]
        }
    }

    // MARK: For the queue

    func add(_ entries: [QueueEntry]) -> [QueueItem] {
        contents.withLock { contents in
            let first = contents.lastNumber + 1
            let items = entries.enumerated().map { index, entry in
                QueueItem(id: ItemID(first + index), entry)
            }
            contents.add(items)
            return items
        }
    }

    func add(_ item: QueueItem) {
        contents.withLock { contents in
            precondition(
                item.id.number > contents.lastNumber, "an item's id is never used again")
            contents.add([item])
        }
    }

    /// The items with these ids. Those that cannot be read are left out.
    func items(_ ids: [ItemID]) -> [QueueItem] {
        contents.withLock { contents in
            ids.compactMap { id in
                if let item = contents.unsaved[id] ?? contents.recent[id] { return item }
                guard let item = contents.read({ try ItemTable(db: $0).item(id) }) ?? nil else {
                    return nil
                }
                if contents.recent.count >= Self.recentCount { contents.recent = [:] }
                contents.recent[id] = item
                return item
            }
        }
    }

    /// Changes an item. Returns whether it exists.
    func change(_ id: ItemID, _ body: (inout QueueItem) -> Void) -> Bool {
        guard var item = items([id]).first else { return false }
        body(&item)
        contents.withLock { $0.unsaved[id] = item }
        return true
    }

    /// Removes those of `ids` that no record has named, and returns whether there were any.
    func forget(_ ids: some Collection<ItemID>) -> Bool {
        contents.withLock { contents in
            guard !contents.pending.isEmpty else { return false }
            let forgotten = ids.filter { contents.pending.contains($0.number) }
            contents.remove(pending: forgotten)
            for id in forgotten { contents.unsaved[id] = nil }
            return !forgotten.isEmpty
        }
    }

    /// Keeps these items instead of those that were held before; returns whether there were any.
    func hold(_ ids: [ItemID]) -> Bool {
        contents.withLock { contents in
            defer { contents.held = ids }
            return !contents.held.isEmpty
        }
    }

    /// Items that stay although no record names them.
    var held: [ItemID] { contents.withLock(\.held) }

    /// Reads from the file; nil if that fails.
    func read<T: Sendable>(_ body: (Database) throws -> T) -> T? {
        contents.withLock { $0.read(body) }
    }

    /// All items that are missing from the file or differ from it.
    var unsavedItems: [QueueItem] { contents.withLock { Array($0.unsaved.values) } }

    // MARK: For the writer

    /// The items to write with a record: those of `ids` that it is the first to name, and earlier
    /// ones that changed or could not be written.
    func unsavedItems(with ids: some Collection<ItemID>) -> [QueueItem] {
        contents.withLock { contents in
            if contents.unsaved.isEmpty { return [] }
            let earlier = contents.unsaved.values.filter {
                !contents.pending.contains($0.id.number)
            }
            return (earlier + ids.compactMap { contents.unsaved[$0] }).sorted { $0.id < $1.id }
        }
    }

    /// These items are in the file now.
    func didSave(_ items: [QueueItem]) {
        // First, so that a search finds each item in one place or the other.
        searchIndex.didSave(items.lazy.map(\.id))
        contents.withLock { contents in
            for item in items {
                if contents.unsaved[item.id] == item { contents.unsaved[item.id] = nil }
                contents.recent[item.id] = nil
            }
        }
    }

    /// A record named these ids.
    func didName(_ ids: some Collection<ItemID>) {
        contents.withLock { $0.remove(pending: ids) }
    }

    /// The numbers of the items that no record has named yet.
    var pending: RangeSet<Int> { contents.withLock { $0.pending } }

    /// Returns the ids among `ids` that no record has named yet.
    func pending(among ids: [ItemID]) -> [ItemID] {
        let pending = pending
        guard let least = pending.ranges.first?.lowerBound else { return [] }
        // Most ids are lower than those of new items.
        return ids.filter { $0.number >= least && pending.contains($0.number) }
    }
}
