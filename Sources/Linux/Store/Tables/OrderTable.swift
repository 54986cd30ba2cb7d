import UndersongPlayback

/// The rows of the queue's order, and those of earlier ones that an undo may restore.
struct OrderTable {
    static let schema = """
        -- The order of the queue: runs of up to 256 ids, by their place in the play order (list 0)
        -- or in the order before shuffling (list 1), each valid since a change of the order.
        CREATE TABLE runs (
            id INTEGER PRIMARY KEY, list INTEGER NOT NULL, place INTEGER NOT NULL,
            since INTEGER NOT NULL, ids BLOB NOT NULL, checksum INTEGER NOT NULL);
        -- Earlier runs, valid until a change, as far as an undoable edit needs them.
        CREATE TABLE past (
            id INTEGER PRIMARY KEY, list INTEGER NOT NULL, place INTEGER NOT NULL,
            since INTEGER NOT NULL, ids BLOB NOT NULL, checksum INTEGER NOT NULL,
            until INTEGER NOT NULL);
        CREATE INDEX past_until ON past (until);
        -- The edits that can be undone, by the number of their change, and what was current before;
        -- `total` is the sum of the checksums of the runs of that time.
        CREATE TABLE edits (
            sequence INTEGER PRIMARY KEY, current INTEGER, position TEXT NOT NULL,
            is_shuffled INTEGER NOT NULL, total INTEGER NOT NULL, checksum INTEGER NOT NULL);
        -- What left the queue by a change that is not an edit: no undo brings it back.
        CREATE TABLE consumed (
            sequence INTEGER PRIMARY KEY, ids BLOB NOT NULL, checksum INTEGER NOT NULL);
        """

    /// The two lists of an order.
    enum List: Int, CaseIterable { case ids, original }

    let db: Database

    static var damage: SQLiteError { .damage("the order is damaged") }

    // MARK: The current order

    /// The rows of both lists.
    ///
    /// - Throws: An error if one is damaged.
    func lists() throws -> [RunList] {
        try Self.lists(db.statement("SELECT id, list, place, since, ids, checksum FROM runs"))
    }

    /// The ids of the rows that can be read and are undamaged.
    func readableOrder() -> [ItemID] {
        var found: [Int: (place: Int, ids: [ItemID])] = [:]
        _ = db.readRows(of: "SELECT id, list, place, since, ids, checksum FROM runs") { row in
            if row.checksum != nil, row[1] == List.ids.rawValue { found[row[0]] = (row[2], row[4]) }
        }
        return found.values.sorted { $0.place < $1.place }.flatMap(\.ids)
    }

    /// Writes `new` in place of a list by a change of the order. Rows that an edit before
    /// `lastEdit`, or that one, needs are kept in the past. Returns the ids that left the list.
    func write(
        _ new: [ItemID], inPlaceOf old: inout RunList, _ list: List, sequence: Int, lastEdit: Int,
        nextRow: inout Int
    ) throws -> [ItemID] {
        let (kept, added) = old.division(of: new)
        let isKept = Set(kept)
        var runs = kept.map { old.runs[$0] }
        var arrived = ItemSet()
        for (place, range) in added {
            let ids = Array(new[range])
            let checksum = try db.insert(
                into: "runs", nextRow, list.rawValue, place, sequence, ids)
            runs.append(
                RunList.Run(
                    row: nextRow, place: place, since: sequence, count: ids.count,
                    checksum: checksum))
            nextRow += 1
            arrived.insert(ids)
        }
        var (gone, start) = ([ItemID](), 0)
        for (index, run) in old.runs.enumerated() {
            defer { start += run.count }
            guard !isKept.contains(index) else { continue }
            gone += old.ids[start..<start + run.count].filter { !arrived.contains($0) }
            if run.since < lastEdit {
                try db.statement("INSERT INTO past SELECT *, ? FROM runs WHERE id = ?")
                    .run(sequence, run.row)
            }
            try db.statement("DELETE FROM runs WHERE id = ?").run(run.row)
        }
        old = RunList(new, runs.sorted { $0.place < $1.place })
        return gone
    }

    /// Adds the ids that any row names to `ids`.
    func addNamed(to ids: inout ItemSet) throws {
        for table in ["runs", "past"] {
            let row = try db.statement("SELECT ids FROM \(table)")
            while try row.next() { ids.insert(row[0] as [ItemID]) }
        }
    }

    /// Checks the rows of earlier orders.
    ///
    /// - Throws: An error if one is damaged.
    func checkPast() throws {
        let row = try db.statement("SELECT id, list, place, since, ids, checksum FROM past")
        while try row.next() { if row.checksum == nil { throw Self.damage } }
    }

    /// The highest id of a row; 0 if there is none.
    var highestRow: Int {
        get throws {
            let (runs, past): (Int?, Int?) = (
                try db.value("SELECT max(id) FROM runs"), try db.value("SELECT max(id) FROM past")
            )
            return max(runs ?? 0, past ?? 0)
        }
    }

    // MARK: Edits

    /// The numbers of the edits that can be undone, latest last.
    func edits() throws -> [Int] {
        let row = try db.statement("SELECT sequence FROM edits ORDER BY sequence")
        var edits: [Int] = []
        while try row.next() { edits.append(row[0]) }
        return edits
    }

    func addEdit(_ sequence: Int, before record: PlayerRecord, total: Int) throws {
        try db.insert(
            into: "edits", sequence, record.order.current, record.position,
            record.order.original != nil, total)
    }

    /// Keeps in mind what left the queue by a change that is not an edit.
    func consume(_ ids: [ItemID], sequence: Int) throws {
        try db.insert(into: "consumed", sequence, ids)
    }

    /// Forgets all edits but these, and what only the others need.
    func forgetEdits(butFor edits: [Int]) throws {
        let (first, last) = (edits.first ?? .max, edits.last ?? 0)
        try db.statement("DELETE FROM edits WHERE sequence < ? OR sequence > ?").run(first, last)
        try db.statement("DELETE FROM consumed WHERE sequence < ?").run(first)
        try db.statement("DELETE FROM past WHERE until < ?1 OR (until > ?2 AND since >= ?2)")
            .run(first, last)
    }

    /// The order and the position before an edit, without what was consumed since.
    ///
    /// - Throws: An error if it cannot be read completely.
    func beforeEdit(_ sequence: Int) throws -> (order: QueueOrder, position: CMTime) {
        let edit = try db.statement("SELECT * FROM edits WHERE sequence = ?")
        edit.bind(sequence)
        defer { edit.rewind() }
        guard try edit.next(), edit.checksum != nil else { throw Self.damage }
        let rows = try db.statement(
            """
            SELECT id, list, place, since, ids, checksum FROM runs WHERE since < ?1
            UNION ALL
            SELECT id, list, place, since, ids, checksum FROM past
            WHERE since < ?1 AND until >= ?1
            """)
        rows.bind(sequence)
        let lists = try Self.lists(rows)
        guard edit[4] == lists[0].total &+ lists[1].total else { throw Self.damage }
        let consumed = try consumed(since: sequence)
        var order = QueueOrder(
            ids: lists[0].ids.filter { !consumed.contains($0) },
            original: edit[3] ? lists[1].ids.filter { !consumed.contains($0) } : nil)
        let current: ItemID? = edit[1]
        // If the current item was consumed, the one after it is current, from its beginning.
        let rest = current.flatMap { lists[0].ids.firstIndex(of: $0) }.map { lists[0].ids[$0...] }
        order.current = rest?.first { !consumed.contains($0) }
        return (order, order.current == current ? edit[2] : .zero)
    }

    private func consumed(since sequence: Int) throws -> ItemSet {
        let row = try db.statement("SELECT * FROM consumed WHERE sequence >= ?")
        row.bind(sequence)
        defer { row.rewind() }
        var ids = ItemSet()
        while try row.next() {
            guard row.checksum != nil else { throw Self.damage }
            ids.insert(row[1] as [ItemID])
        }
        return ids
    }

    /// Collects both lists from their rows.
    ///
    /// - Throws: An error if one is damaged.
    private static func lists(_ row: Statement) throws -> [RunList] {
        defer { row.rewind() }
        var rows: [[(run: RunList.Run, ids: [ItemID])]] = [[], []]
        while try row.next() {
            guard let checksum = row.checksum, let list = List(rawValue: row[1]) else {
                throw damage
            }
            let ids: [ItemID] = row[4]
            let run = RunList.Run(
                row: row[0], place: row[2], since: row[3], count: ids.count, checksum: checksum)
            rows[list.rawValue].append((run, ids))
        }
        return rows.map { rows in
            let sorted = rows.sorted { $0.run.place < $1.run.place }
            return RunList(sorted.flatMap(\.ids), sorted.map(\.run))
        }
    }
}
