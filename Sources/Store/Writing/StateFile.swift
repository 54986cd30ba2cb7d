import Playback

/// The open file and its contents. It belongs to the store's own thread.
final class StateFile {
    /// The contents of the file.
    var durable: DurableState
    /// Unused rows in it.
    var garbage = Garbage()
    /// How often a requested write was done.
    private(set) var writes = 0
    /// How often a write waited for the disk.
    private(set) var syncs = 0
    let itemStore: StoredItems
    let connection: Connection
    private let folder: StoreFolder
    private let reader: Connection
    private var check: FileCheck?

    /// Opens the file in the folder, which is created if missing, and locks it. A damaged file is
    /// set aside, which is passed to `report`. A file that `isSuspect` is checked as a whole first;
    /// any other large one is checked later, and `onDamage` is called on any thread if it is
    /// damaged. Errors: `SystemError`, `StoreFolder.Locked`, `StoreTrouble`, `SQLiteError`.
    init(
        in path: String, itemStore: StoredItems, isSuspect: Bool = false,
        onDamage: @escaping @Sendable () -> Void = {}, report: (StoreNotice) -> Void
    ) throws {
        self.itemStore = itemStore
        folder = try StoreFolder(path)
        try folder.endReplacing()
        let isLarge = folder.databaseSize > Self.quickSize
        let wasClosed = folder.isClosed
        do {
            (connection, durable) = try Self.open(folder, checks: isSuspect || !isLarge)
        } catch let error as SQLiteError where error.isDamage {
            report(try Self.replace(folder))
            (connection, durable) = try Self.open(folder, checks: false)
        }
        if durable.state.hasGarbage {
            garbage.trim = EntryTable.PastPlace()
            garbage.sweep = 0...durable.state.lastNumber
        }
        reader = try Connection(folder.database, for: .reading, cacheSize: 512)
        itemStore.setReader(reader, lastNumber: durable.state.lastNumber, onDamage: onDamage)
        if isLarge, !isSuspect, !wasClosed {
            check = FileCheck(folder.database, onDamage: onDamage)
        }
    }

    /// Writes the record, with the items that it names. It survives a power loss if `isDurable`,
    /// and the end of the process in any case. Errors: nothing was written, and the contents are as
    /// before.
    func save(
        _ record: PlayerRecord, as change: DurableState.Change, isDurable: Bool = true
    ) throws {
        let named = itemStore.pending(among: record.order.ids)
        let items = itemStore.unsavedItems(with: named)
        var next = durable
        next.take(record)
        next.state.lastNumber = max(next.state.lastNumber, itemStore.lastNumber)
        guard
            durable.record.order != record.order || !items.isEmpty || change == .undo
                || next.state != durable.state
        else { return }
        next.state.hasGarbage = hasGarbage(after: named)
        let leftovers = try connection.write(isDurable: isDurable) { db in
            try ItemTable(db: db).write(items)
            let leftovers = try next.writeOrder(change, from: durable, to: db)
            if !leftovers.items.isEmpty || leftovers.hasLostEdit { next.state.hasGarbage = true }
            try StateTable(db: db).write(next.state, inPlaceOf: durable.written)
            return leftovers
        }
        writes += 1
        if isDurable { syncs += 1 }
        durable = next
        itemStore.didSave(items)
        itemStore.didName(named)
        garbage.add(leftovers)
    }

    /// Whether the file will contain items that nothing names, once these are named.
    private func hasGarbage(after named: [ItemID]) -> Bool {
        guard durable.state.hasGarbage else { return false }
        var pending = itemStore.pending
        pending.remove(named)
        return !pending.isEmpty || !garbage.isEmpty
    }

    /// Marks items that no record will name.
    func discard(_ ids: [ItemID]) {
        garbage.add(ids)
        garbage.isDue = true
    }

    /// Writes items that a record will name, to free their memory until then. A later write makes
    /// them durable.
    func stage(_ items: [QueueItem]) throws {
        var state = durable.state
        state.lastNumber = max(state.lastNumber, items.last?.id.number ?? 0)
        state.hasGarbage = true
        try connection.write(isDurable: false) { db in
            try ItemTable(db: db).write(items)
            try StateTable(db: db).write(state, inPlaceOf: durable.written)
        }
        writes += 1
        durable.state = state
        itemStore.didSave(items)
    }

    /// Writes how far files were heard, and the history.
    func save(_ listening: Listening) throws {
        let unsaved = listening.unsaved
        guard !unsaved.isEmpty else { return }
        try connection.write(isDurable: true) { db in
            for (path, position) in unsaved.positions {
                try PositionTable(db: db).write(position, of: path)
            }
            for entry in unsaved.history { try HistoryTable(db: db).add(entry) }
        }
        writes += 1
        listening.didSave(unsaved)
    }

    func orderBeforeLastEdit() throws -> (order: QueueOrder, position: CMTime)? {
        try connection.read { try durable.beforeLastEdit($0) }
    }

    func close() {
        check?.cancel()
        itemStore.setReader(nil, lastNumber: durable.state.lastNumber)
        reader.close()
        try? connection.checkpoint()
        connection.close()
        folder.unlock()
    }

    /// Closes the damaged file so that it can be opened again. Until then items are still read from
    /// it.
    func abandon() {
        check?.cancel()
        connection.close()
        folder.unlock()
    }
}

extension StateFile {
    /// Files up to this size in bytes are checked before use, which takes some milliseconds.
    private static var quickSize: Int { 4 << 20 }

    private static func open(
        _ folder: StoreFolder, checks: Bool
    ) throws -> (Connection, DurableState) {
        try folder.prepare(folder.database)
        guard !folder.hasLostDatabase else { throw EntryTable.damage }
        let connection = try Connection(folder.database, for: .writing, cacheSize: 2048)
        try connection.migrate()
        if checks {
            try connection.check()
            try connection.read { try EntryTable(db: $0).checkPast() }
        }
        return (connection, try connection.read { try DurableState.read($0) })
    }

    /// Puts a new file in place of a damaged one, with whatever could be carried over.
    private static func replace(_ folder: StoreFolder) throws -> StoreNotice {
        folder.remove(folder.replacement)
        try folder.prepare(folder.replacement)
        let new = try Connection(folder.replacement, for: .writing, cacheSize: 2048)
        try new.migrate()
        let old = try? Connection(folder.database, for: .salvage, cacheSize: 2048)
        let salvage = try Salvage(from: old, in: folder, to: new)
        old?.close()
        try new.checkpoint()
        new.close()
        return .setAside(path: try folder.replaceDatabase(), lost: salvage.lost)
    }
}
