import Playback

/// What has no use any more, while it is taken out of the file: some of it at a time, when nothing
/// else is to be done.
struct Garbage {
    /// Items that nothing names: neither the order nor an edit that can be taken back.
    var items = ItemSet()
    /// When they are out, changes of the order before this one go, too: they are what named them.
    var firstChange: Int?
    /// Items up to this number are to be looked through, since a process that died may have left some
    /// behind.
    var unknownUpTo: Int?
    var sweep: Sweep?
    /// Whether the file may have much room that it does not need.
    var hasRoom = false

    var isEmpty: Bool { items.isEmpty && unknownUpTo == nil && sweep == nil }

    struct Sweep {
        /// Items that have a use.
        let named: ItemSet
        /// What was not looked at yet.
        var numbers: Range<Int>
    }
}

extension StateFile {
    /// Rows that are dealt with at a time: some milliseconds' work.
    private static var sliceLength: Int { 4096 }

    /// Does some of what can wait. Returns whether there is more of it. `wanted` is the order that
    /// the file should have. Errors: the file cannot be written.
    func maintain(_ wanted: QueueOrder?) throws -> Bool {
        if durable.journal.wantsSnapshot {
            try writeOrder()
        } else if !garbage.items.isEmpty {
            try removeItems()
        } else if garbage.sweep != nil {
            try lookThrough()
        } else if let change = garbage.firstChange {
            try removeChanges(before: change)
        } else if durable.journal.isFullOfUnused {
            try collect(wanted)
        } else if let number = garbage.unknownUpTo {
            try startSweep(upTo: number, wanted)
        } else if garbage.hasRoom {
            try giveBackRoom()
        } else {
            return false
        }
        return true
    }

    private func writeOrder() throws {
        var next = durable
        try connection.write(isDurable: false) { try next.writeOrder(to: $0) }
        durable = next
    }

    /// Finds the items that only changes without a use name.
    private func collect(_ wanted: QueueOrder?) throws {
        let end = durable.journal.firstForUndo
        if durable.journal.snapshot.sequence < min(end - 1, durable.state.sequence) {
            try writeOrder()
        }
        var dropped = ItemSet()
        // Those without a use come first.
        try readDropped(from: 0) { sequence, ids in
            if sequence < end { dropped.insert(ids) } else { dropped.remove(ids) }
        }
        for ids in lists(wanted) { dropped.remove(ids) }
        for run in shelf.pending.ranges { dropped.remove(run.lazy.map { ItemID($0) }) }
        // There are no others: they are taken out before more are looked for.
        garbage.items = dropped
        garbage.firstChange = min(end, durable.journal.snapshot.sequence + 1)
    }

    private func startSweep(upTo number: Int, _ wanted: QueueOrder?) throws {
        var named = ItemSet()
        for ids in lists(wanted) { named.insert(ids) }
        try readDropped(from: 0) { named.insert($1) }
        garbage.sweep = Garbage.Sweep(named: named, numbers: 0..<number + 1)
        garbage.unknownUpTo = nil
    }

    private func lists(_ wanted: QueueOrder?) -> [[ItemID]] {
        let orders = [durable.record.order, wanted ?? QueueOrder()]
        return orders.map(\.ids) + orders.compactMap(\.original)
    }

    /// Hands over what the changes from `sequence` on have dropped from the play order.
    private func readDropped(from sequence: Int, _ body: (Int, ArraySlice<ItemID>) -> Void) throws {
        try connection.read { db in
            try ChangeTable(db: db).read(from: sequence) { row in
                guard let way = OrderChange.Way(row.backward) else { throw OrderTable.damage }
                body(row.sequence, way.ids.inserted)
            }
        }
    }

    private func lookThrough() throws {
        guard var sweep = garbage.sweep else { return }
        let found = try connection.read { db in
            try ItemTable(db: db).ids(in: sweep.numbers, limit: Self.sliceLength)
        }
        garbage.items.insert(found.filter { !sweep.named.contains($0) })
        if let last = found.last {
            sweep.numbers = last.number + 1..<max(sweep.numbers.upperBound, last.number + 1)
            garbage.sweep = sweep
        } else {
            garbage.sweep = nil
        }
    }

    private func removeItems() throws {
        let ids = garbage.items.lowest(Self.sliceLength)
        try connection.write(isDurable: false) { db in
            for run in NumberRuns(ids) { try ItemTable(db: db).remove(run) }
        }
        garbage.items.remove(ids)
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

    private func removeChanges(before sequence: Int) throws {
        try connection.write(isDurable: false) { try ChangeTable(db: $0).remove(before: sequence) }
        durable.didRemoveChanges(before: sequence)
        garbage.firstChange = nil
    }
}
