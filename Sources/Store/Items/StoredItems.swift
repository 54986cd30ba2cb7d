import Playback
import Synchronization

/// The items that the queue has ids of. New and changed ones are kept here until they are in the
/// file; of the others only a few that were asked for recently. Any thread may call it.
final class StoredItems: Sendable {
    private struct Contents {
        var lastNumber = 0
        /// Items that are not in the file yet.
        var new = ItemBatches()
        /// Items that differ from the file, or from the entry in `new`.
        var changed: [ItemID: QueueItem] = [:]
        /// The items that no record has named yet.
        var pending = NumberRanges()
        var recent: [ItemID: QueueItem] = [:]
        var older: [ItemID: QueueItem] = [:]
        /// Increases whenever something in the file changes.
        var generation = 0
        var reader: Connection?
        /// Called once if the reader finds damage.
        var onDamage: (@Sendable () -> Void)?

        mutating func remember(_ item: QueueItem) {
            if recent.count >= StoredItems.recentCount { (older, recent) = (recent, [:]) }
            recent[item.id] = item
        }

        mutating func recall(_ id: ItemID) -> QueueItem? {
            if let item = changed[id] ?? new[id] ?? recent[id] { return item }
            guard let item = older[id] else { return nil }
            remember(item)
            return item
        }

        mutating func add(_ items: [QueueItem], from first: Int) {
            lastNumber = first + items.count - 1
            new.append(items)
            pending.append(first...lastNumber)
        }
    }

    private static let recentCount = 256

    private let contents = Mutex(Contents())

    var lastNumber: Int { contents.withLock { $0.lastNumber } }

    /// Sets the source for items in the file, or nil if there is no file. `onDamage` is called
    /// once, on any thread, if it finds damage.
    func setReader(
        _ reader: Connection?, lastNumber: Int, onDamage: (@Sendable () -> Void)? = nil
    ) {
        contents.withLock { contents in
            contents.reader = reader
            contents.onDamage = onDamage
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
            contents.add(items, from: first)
            return items
        }
    }

    func add(_ item: QueueItem) {
        contents.withLock { contents in
            precondition(
                item.id.number > contents.lastNumber, "an item's id is never used again")
            contents.add([item], from: item.id.number)
        }
    }

    func items(_ ids: [ItemID]) -> [QueueItem] {
        let (found, hasReader, generation) = contents.withLock { contents in
            (ids.map { contents.recall($0) }, contents.reader != nil, contents.generation)
        }
        guard hasReader, found.contains(where: { $0 == nil }) else {
            return found.compactMap(\.self)
        }
        let items = read(zip(ids, found))
        contents.withLock { contents in
            guard contents.generation == generation else { return }
            for case (let item?, nil) in zip(items, found) { contents.remember(item) }
        }
        return items.compactMap(\.self)
    }

    private func read(_ wanted: some Sequence<(ItemID, QueueItem?)>) -> [QueueItem?] {
        let items = read { db in
            let table = ItemTable(db: db)
            return try wanted.map { id, found in try found ?? table.item(id) }
        }
        // Items that cannot be read are left out.
        return items ?? wanted.map(\.1)
    }

    /// Returns whether the item exists.
    func setRange(of id: ItemID, start: CMTime, end: CMTime?) -> Bool {
        guard var item = items([id]).first else { return false }
        item.setRange(start: start, end: end)
        contents.withLock { $0.changed[id] = item }
        return true
    }

    /// Returns whether the item exists.
    func learn(_ facts: ItemFacts, of id: ItemID) -> Bool {
        guard var item = items([id]).first else { return false }
        item.facts = facts
        contents.withLock { $0.changed[id] = item }
        return true
    }

    /// Removes those of `ids` that no record has named, and returns them.
    func forget(_ ids: some Collection<ItemID>) -> [ItemID] {
        contents.withLock { contents in
            guard !contents.pending.isEmpty else { return [] }
            let forgotten = ids.filter { contents.pending.contains($0) }
            contents.pending.remove(forgotten)
            contents.new.remove(forgotten)
            for id in forgotten { contents.changed[id] = nil }
            return forgotten
        }
    }

    /// Reads from the file; nil if that fails.
    func read<T: Sendable>(_ body: (Database) throws -> T) -> T? {
        guard let reader = contents.withLock({ $0.reader }) else { return nil }
        do {
            return try reader.read(body)
        } catch let error as SQLiteError where error.isDamage {
            let onDamage = contents.withLock { contents in
                defer { contents.onDamage = nil }
                return contents.onDamage
            }
            onDamage?()
            return nil
        } catch {
            return nil
        }
    }

    /// All items that are missing from the file or differ from it.
    var unsavedItems: [QueueItem] {
        contents.withLock { contents in
            contents.new.all.filter { contents.changed[$0.id] == nil } + contents.changed.values
        }
    }

    // MARK: For the writer

    /// The items to write with a record: those of `ids` that it is the first to name, and earlier
    /// ones that changed or could not be written.
    func unsavedItems(with ids: some Collection<ItemID>) -> [QueueItem] {
        contents.withLock { contents in
            let changed = contents.changed.values.filter { !contents.pending.contains($0.id) }
            guard !contents.new.isEmpty else { return changed }
            let earlier = contents.new.all.filter { !contents.pending.contains($0.id) }
            let named = ids.filter { contents.pending.contains($0) }.compactMap {
                contents.changed[$0] ?? contents.new[$0]
            }
            return earlier + named + changed
        }
    }

    /// These items are in the file now.
    func didSave(_ items: [QueueItem]) {
        guard !items.isEmpty else { return }
        contents.withLock { contents in
            contents.generation += 1
            contents.new.remove(items.lazy.map(\.id))
            contents.recent = [:]
            contents.older = [:]
            guard !contents.changed.isEmpty else { return }
            for item in items where contents.changed[item.id] == item {
                contents.changed[item.id] = nil
            }
        }
    }

    /// A record named these ids.
    func didName(_ ids: some Collection<ItemID>) {
        contents.withLock { $0.pending.remove(ids) }
    }

    var pending: NumberRanges { contents.withLock { $0.pending } }

    /// Those of `ids` that no record has named yet.
    func pending(among ids: [ItemID]) -> [ItemID] {
        let pending = pending
        return pending.isEmpty ? [] : ids.filter(pending.contains)
    }
}
