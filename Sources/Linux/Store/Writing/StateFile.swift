import UndersongPlayback

/// The open file and its contents. It belongs to the store's own thread.
final class StateFile {
    /// The contents of the file.
    private(set) var durable: DurableState
    /// Unused rows in it.
    var garbage = Garbage()
    /// The number of requested writes that were done.
    private(set) var writes = 0
    /// The number of writes that waited for the disk.
    private(set) var syncs = 0
    let itemStore: StoredItems
    let database: Database
    private let folder: StoreFolder

    /// Opens the file in the folder, which this process has locked. A damaged file is set aside,
    /// which is passed to `report`. A file that `isSuspect` is checked as a whole first; the items
    /// of any other large one later, and `onDamage` is called on any thread if reading an item
    /// reveals damage.
    ///
    /// - Throws: `SystemError`, `StoreTrouble`, `SQLiteError`.
    init(
        in path: String, itemStore: StoredItems, isSuspect: Bool = false,
        onDamage: @escaping @Sendable () -> Void = {}, report: (StoreNotice) -> Void
    ) throws {
        self.itemStore = itemStore
        folder = StoreFolder(path)
        try folder.endReplacing()
        let isLarge = folder.databaseSize > Self.quickSize
        // A process that did not close the file may have died with the machine.
        garbage.isDue = isLarge && !folder.isClosed
        do {
            (database, durable) = try Self.open(folder, checks: isSuspect || !isLarge)
        } catch {
            guard (error as? SQLiteError)?.isDamage == true else { throw error }
            try Self.replace(folder, report: report)
            (database, durable) = try Self.open(folder, checks: false)
        }
        if durable.hasGarbage { garbage.isDue = true }
        itemStore.setReader(
            try Database(folder.database, for: .reading), lastNumber: durable.lastNumber,
            onDamage: onDamage)
    }

    /// Writes the record, with the items that it names and the key of its edit. It survives a power
    /// loss if `isDurable`, and the end of the process in any case.
    ///
    /// - Throws: An error if nothing was written, and the contents are as before.
    func save(
        _ record: PlayerRecord, as change: DurableState.Change, isDurable: Bool = true,
        key: String? = nil
    ) throws {
        let named = itemStore.pending(among: record.order.ids)
        let items = itemStore.unsavedItems(with: named)
        guard
            durable.record != record || !items.isEmpty || change == .undo || key != nil
                || durable.lastNumber < itemStore.lastNumber
        else { return }
        var next = durable
        next.lastNumber = max(next.lastNumber, itemStore.lastNumber)
        let hasOthers = itemStore.pending.ranges.reduce(0) { $0 + $1.count } > named.count
        next.hasGarbage = durable.hasGarbage && (hasOthers || !garbage.isEmpty)
        let unused = try database.transaction(isDurable: isDurable) {
            try ItemTable(db: database).write(items)
            let unused = try next.write(record, as: change, to: database)
            if let key { try KeyTable(db: database).add(key, of: next.sequence) }
            return unused
        }
        writes += 1
        if isDurable { syncs += 1 }
        durable = next
        itemStore.didSave(items)
        itemStore.didName(named)
        garbage.count += unused
    }

    /// Returns true if an edit with this key was made.
    func hasMade(_ key: String) throws -> Bool {
        try KeyTable(db: database).contains(key)
    }

    /// Writes items that a record will name, to free their memory until then. A later write makes
    /// them durable.
    func stage(_ items: [QueueItem]) throws {
        var next = durable
        try database.transaction(isDurable: false) {
            try ItemTable(db: database).write(items)
            try next.writeItems(through: items.last?.id.number ?? 0, to: database)
        }
        writes += 1
        durable = next
        itemStore.didSave(items)
    }

    /// Writes how far files were heard, and the history.
    func save(_ listening: Listening) throws {
        let unsaved = listening.unsaved
        guard !unsaved.isEmpty else { return }
        let table = ListeningTable(db: database)
        try database.transaction(isDurable: true) {
            for (path, position) in unsaved.positions { try table.write(position, of: path) }
            for entry in unsaved.history { try table.add(entry) }
        }
        writes += 1
        listening.didSave(unsaved)
    }

    /// Makes changes that are not the player's, all or none. They survive a power loss if
    /// `isDurable`, and the end of the process in any case.
    func write(isDurable: Bool = true, _ body: (Database) throws -> Void) throws {
        try database.transaction(isDurable: isDurable) { try body(database) }
        writes += 1
        if isDurable { syncs += 1 }
    }

    /// The order and the position before the last edit that can be undone; nil if there is none.
    func orderBeforeLastEdit() throws -> (order: QueueOrder, position: CMTime)? {
        try durable.edits.last.map { try OrderTable(db: database).beforeEdit($0) }
    }

    func close() {
        itemStore.setReader(nil, lastNumber: durable.lastNumber)
        try? database.checkpoint()
        abandon()
    }

    /// Closes the damaged file so that it can be opened again. Until then items are still read from
    /// it.
    func abandon() { database.close() }
}

extension StateFile {
    /// Files up to this size in bytes are checked before use, which takes some milliseconds.
    private static var quickSize: Int { 4 << 20 }

    private static func open(
        _ folder: StoreFolder, checks: Bool
    ) throws -> (Database, DurableState) {
        try StoreFolder.prepare(folder.database)
        guard !folder.hasLostDatabase else { throw OrderTable.damage }
        let database = try Database(folder.database, for: .writing)
        if try Schema.isMissing(in: database) { try Schema.create(in: database) }
        if checks {
            try database.check()
            try OrderTable(db: database).checkPast()
        }
        return (database, try DurableState.read(database))
    }

    /// Puts a new file in place of a damaged one, with whatever could be carried over.
    private static func replace(
        _ folder: StoreFolder, report: (StoreNotice) -> Void
    ) throws {
        folder.removeReplacement()
        try StoreFolder.prepare(folder.replacement)
        let new = try Database(folder.replacement, for: .writing)
        try Schema.create(in: new)
        let losses = try Salvage(of: folder, to: new).losses
        try new.checkpoint()
        new.close()
        let lost = (losses + ["the undo history"]).joined(separator: ", ")
        report(.setAside(path: try folder.setDatabaseAside(), lost: lost))
    }

    /// Reads a file that cannot be written, for example because the disk is full, so that its
    /// contents are still available.
    ///
    /// - Throws: An error if it cannot be read, or does not exist.
    static func peek(in path: String) throws -> (Database, DurableState) {
        let folder = StoreFolder(path)
        guard folder.databaseSize > 0, !folder.hasLostDatabase else { throw OrderTable.damage }
        let database = try Database(folder.database, for: .peeking)
        return (database, try DurableState.read(database))
    }
}
