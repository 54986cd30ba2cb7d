import Playback

/// Unused rows, which are removed from the file in slices while the store is idle.
struct Garbage {
    /// The numbers of items that may be unused: neither the queue nor an undoable edit names them.
    var numbers: ClosedRange<Int>?
    /// How many there are, as far as known.
    var count = 0
    /// Whether to look for them even if they are few.
    var isDue = false
    /// How many edits have become impossible to undo since the past was last scanned.
    var lostEdits = 0
    /// The number of rows in the past; nil if not counted yet.
    var pastCount: Int?
    /// Where the scan of the past continues.
    var trim: EntryTable.PastPlace?
    /// Where the scan of the items continues.
    var sweep: ClosedRange<Int>?
    /// Whether the file may have much free space.
    var hasRoom = false

    var isEmpty: Bool { numbers == nil && sweep == nil && lostEdits == 0 && trim == nil }

    /// Adds ids that may be unused.
    mutating func add(_ ids: some Collection<ItemID>) {
        guard let least = ids.min()?.number, let most = ids.max()?.number else { return }
        let old = numbers ?? least...most
        numbers = min(old.lowerBound, least)...max(old.upperBound, most)
        count += ids.count
    }

    mutating func add(_ leftovers: DurableState.Leftovers) {
        add(leftovers.items)
        if leftovers.hasLostEdit { lostEdits += 1 }
        pastCount = pastCount.map { $0 + leftovers.past }
    }
}

extension StateFile {
    /// Rows per slice: a few milliseconds of work.
    private static var sliceLength: Int { 4096 }
    /// The number of unused items from which a scan is worthwhile.
    private static var itemsWorthwhile: Int { 64 }
    /// The number of lost edits from which a scan of the past is worthwhile.
    private static var editsWorthwhile: Int { 8 }
    /// The most rows in the past, unless a single edit needs more.
    private static var pastLimit: Int { 4_000_000 }

    /// Does a slice of the work. Returns whether there is more. Errors: the file cannot be written.
    func maintain() throws -> Bool {
        if garbage.trim != nil || garbage.lostEdits >= Self.editsWorthwhile {
            try trimPast()
        } else if garbage.sweep != nil {
            try sweepItems()
        } else if let numbers = garbage.numbers,
            garbage.isDue || garbage.count >= Self.itemsWorthwhile
        {
            garbage.sweep = numbers
            (garbage.numbers, garbage.count, garbage.isDue) = (nil, 0, false)
        } else if garbage.pastCount == nil {
            garbage.pastCount = try connection.read { try EntryTable(db: $0).pastCount }
        } else if let count = garbage.pastCount, count > Self.pastLimit, durable.edits.count > 1 {
            try forgetEdit()
        } else if garbage.hasRoom {
            try giveBackRoom()
        } else {
            return false
        }
        return true
    }

    private func forgetEdit() throws {
        var next = durable
        try connection.write(isDurable: false) { try next.forgetEdit(in: $0) }
        durable = next
        garbage.trim = EntryTable.PastPlace()
        garbage.pastCount = nil
    }

    /// Removes rows of the past that no edit needs any more.
    private func trimPast() throws {
        let place = garbage.trim ?? EntryTable.PastPlace()
        let (ids, next) = try connection.write(isDurable: false) { db in
            try EntryTable(db: db).trimPast(
                after: place, for: durable.edits, limit: Self.sliceLength)
        }
        garbage.add(ids)
        garbage.trim = next
        garbage.lostEdits = 0
        garbage.pastCount = garbage.pastCount.map { $0 - ids.count }
    }

    /// Removes items that neither the queue nor the past names, except those that a record has yet
    /// to name.
    private func sweepItems() throws {
        guard let numbers = garbage.sweep else { return }
        let pending = itemStore.pending
        let next = try connection.write(isDurable: false) { db in
            try ItemTable(db: db).removeUnnamed(
                in: numbers, butFor: pending, limit: Self.sliceLength)
        }
        garbage.sweep = next.map { $0...max($0, numbers.upperBound) }
        garbage.hasRoom = true
    }

    /// Returns space to the disk while a quarter of the file is free.
    private func giveBackRoom() throws {
        try connection.write(isDurable: false) { db in
            let free: Int = try db.value("PRAGMA freelist_count") ?? 0
            let all: Int = try db.value("PRAGMA page_count") ?? 0
            garbage.hasRoom = free > max(256, all / 4)
            if garbage.hasRoom { try db.execute("PRAGMA incremental_vacuum(512)") }
        }
    }
}
