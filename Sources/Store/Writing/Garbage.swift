import Playback

/// What has no use any more, while it is taken out of the file: some of it at a time, when nothing
/// else is to be done.
struct Garbage {
    /// Items among these numbers may have no use: neither the queue nor an edit that can be taken back names
    /// them.
    var numbers: ClosedRange<Int>?
    /// How many they are, as far as that is known.
    var count = 0
    /// Whether they are looked for however few they are.
    var isDue = false
    /// Edits that can be taken back no more, since the past was looked through for them.
    var lostEdits = 0
    /// How many rows the past has; nil: they were not counted yet.
    var pastCount: Int?
    /// Where it is looked through next.
    var trim: EntryTable.PastPlace?
    /// Where items are looked through next.
    var sweep: ClosedRange<Int>?
    /// Whether the file may have much room that it does not need.
    var hasRoom = false

    var isEmpty: Bool { numbers == nil && sweep == nil && lostEdits == 0 && trim == nil }

    /// These may have no use.
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
    /// Rows that are dealt with at a time: some milliseconds' work.
    private static var sliceLength: Int { 4096 }
    /// Items without a use for which it is worth to look for them.
    private static var itemsWorthwhile: Int { 64 }
    /// Edits that are forgotten before the past is looked through.
    private static var editsWorthwhile: Int { 8 }
    /// Rows of the past that the file has at most, as long as there is more than one edit.
    private static var pastLimit: Int { 4_000_000 }

    /// Does some of what can wait. Returns whether there is more of it. Errors: the file cannot be
    /// written.
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

    /// Takes out what no edit needs any more of where items were.
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

    /// Takes out items that neither the queue nor the past names, but for those that a record is
    /// still to name.
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

    /// Gives some room back to the disk, as long as a quarter of the file is free.
    private func giveBackRoom() throws {
        try connection.write(isDurable: false) { db in
            let free: Int = try db.value("PRAGMA freelist_count") ?? 0
            let all: Int = try db.value("PRAGMA page_count") ?? 0
            garbage.hasRoom = free > max(256, all / 4)
            if garbage.hasRoom { try db.execute("PRAGMA incremental_vacuum(512)") }
        }
    }
}
