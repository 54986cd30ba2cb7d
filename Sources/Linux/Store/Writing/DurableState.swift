import UndersongPlayback

/// The contents of the file: the record, and which edits can be undone.
struct DurableState {
    /// The number of edits that can be undone.
    private static let editLimit = 20

    /// True if nothing has ever been kept.
    var isNew = true
    var record = PlayerRecord()
    /// The changes that can be undone, latest last.
    var edits: [Int] = []
    /// The number of times that the order has changed.
    var sequence = 0
    /// The highest id ever assigned.
    var lastNumber = 0
    /// True if there may be items that nothing names.
    var hasGarbage = false
    /// The settings of the record, as they are in the file.
    var settings = ""
    /// The rows of both lists of the order.
    private var lists = [RunList(), RunList()]
    /// The id of the next row of a list.
    private var nextRow = 1

    /// The sum of the checksums of the order's rows.
    var runsTotal: Int { lists[0].total &+ lists[1].total }

    // MARK: Writing

    /// The purposes of a record.
    enum Change { case keep, edit, undo }

    /// Writes `record` in place of the current one. Returns how many items may be unused now.
    mutating func write(
        _ record: PlayerRecord, as change: Change, to db: Database
    ) throws -> Int {
        let old = self
        self.record = record
        let unused = try writeOrder(record.order, change, after: old.record, to: OrderTable(db: db))
        hasGarbage = hasGarbage || unused > 0
        try StateTable(db: db).write(&self, inPlaceOf: old)
        return unused
    }

    /// Writes that items up to this number exist, which nothing may ever name.
    mutating func writeItems(through number: Int, to db: Database) throws {
        let old = self
        lastNumber = max(lastNumber, number)
        hasGarbage = true
        try StateTable(db: db).write(&self, inPlaceOf: old)
    }

    private mutating func writeOrder(
        _ order: QueueOrder, _ change: Change, after old: PlayerRecord, to table: OrderTable
    ) throws -> Int {
        let isSame = order.ids == old.order.ids && order.original == old.order.original
        guard !isSame || change == .undo else { return 0 }
        sequence += 1
        let earlier = edits
        switch change {
        case .keep: break
        case .edit:
            try table.addEdit(sequence, before: old, total: runsTotal)
            edits = (edits + [sequence]).suffix(Self.editLimit)
        case .undo: _ = edits.popLast()
        }
        var gone: [[ItemID]] = []
        for (list, ids) in [(OrderTable.List.ids, order.ids), (.original, order.original ?? [])] {
            gone.append(
                try table.write(
                    ids, inPlaceOf: &lists[list.rawValue], list, sequence: sequence,
                    lastEdit: edits.last ?? 0, nextRow: &nextRow))
        }
        if change == .keep, !gone[0].isEmpty, !edits.isEmpty {
            try table.consume(gone[0], sequence: sequence)
        }
        let isForgetting = edits.count <= earlier.count && change != .keep
        if isForgetting { try table.forgetEdits(butFor: edits) }
        // What a forgotten edit has left is not counted.
        return (change == .edit ? 0 : gone[0].count) + (isForgetting ? Garbage.worthwhile / 8 : 0)
    }

    // MARK: Reading

    /// Reads the contents of the file; an empty record if nothing was kept yet.
    ///
    /// - Throws: An error if it has no tables or is damaged, or `StoreTrouble` if it has another
    ///   version.
    static func read(_ db: Database) throws -> DurableState {
        guard try !Schema.isMissing(in: db) else { throw OrderTable.damage }
        let highest = try ItemTable(db: db).highestNumber
        guard let (found, total) = try StateTable(db: db).read() else {
            guard highest == 0 else { throw OrderTable.damage }
            return DurableState()
        }
        var state = found
        state.lastNumber = max(state.lastNumber, highest)
        let table = OrderTable(db: db)
        state.lists = try table.lists()
        guard state.runsTotal == total else { throw OrderTable.damage }
        state.record.order.ids = state.lists[0].ids
        if state.record.order.original != nil { state.record.order.original = state.lists[1].ids }
        state.edits = try table.edits()
        state.nextRow = try table.highestRow + 1
        return state
    }
}
