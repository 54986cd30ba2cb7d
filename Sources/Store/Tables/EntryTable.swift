import Playback

/// An item in the queue, as it is from one change of the order on.
struct EntryRow: Equatable {
    var id: ItemID
    /// Where it is in the play order: what comes later has a higher one.
    var place: Int64
    /// Where it is in the order before shuffling; nil while the queue is not shuffled.
    var original: Int64?
    /// The change that has put it there.
    var since: Int

    /// Depends on every bit of the row.
    var checksum: Int64 {
        var sum = Checksum()
        sum.add(Int64(id.number))
        sum.add(place)
        sum.add(original)
        sum.add(Int64(since))
        return sum.shortValue
    }
}

/// What the rows of the queue add up to, by which it is known that all of them are there.
struct EntryTotal: Equatable {
    private(set) var count = 0
    private(set) var checksums: Int64 = 0

    init(count: Int = 0, checksums: Int64 = 0) {
        self.count = count
        self.checksums = checksums
    }

    mutating func add(_ row: EntryRow) {
        count += 1
        checksums &+= row.checksum
    }

    mutating func remove(_ row: EntryRow) {
        count -= 1
        checksums &-= row.checksum
    }
}

/// The queue, an entry a row: `entries` as it is now, and `past` as it was before edits that can be
/// taken back. A row of the past ends with the change that has moved or removed the entry.
struct EntryTable {
    let db: Database

    func row(_ id: ItemID) throws -> EntryRow? {
        let statement = try db.statement("SELECT * FROM entries WHERE id = ?")
        statement.bind(id)
        guard try statement.next() else { return nil }
        defer { statement.rewind() }
        guard let row = EntryRow(statement) else { throw Self.damage }
        return row
    }

    func write(_ row: EntryRow) throws {
        try db.statement("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?)")
            .run(row.id, row.place, row.original, row.since, row.checksum)
    }

    func remove(_ id: ItemID) throws {
        try db.statement("DELETE FROM entries WHERE id = ?").run(id)
    }

    func removeAll() throws { try db.execute("DELETE FROM entries") }

    /// The whole order, but for which item is current, and what its rows add up to. Errors: one of
    /// them is damaged.
    func order(isShuffled: Bool) throws -> (order: QueueOrder, total: EntryTotal) {
        var order = OrderOfPlaces(isShuffled: isShuffled)
        var total = EntryTotal()
        try readRows("SELECT * FROM entries") { row in
            guard let row else { throw Self.damage }
            order.add(row)
            total.add(row)
        }
        return (order.order, total)
    }

    /// The rows that can be read and are not damaged: from the first on as far as it goes, and from
    /// the last on.
    func readableOrder() -> QueueOrder {
        var rows: [ItemID: EntryRow] = [:]
        for direction in ["ASC", "DESC"] {
            try? readRows("SELECT * FROM entries ORDER BY id \(direction)") { row in
                if let row { rows[row.id] = row }
            }
        }
        var order = OrderOfPlaces(isShuffled: false)
        for row in rows.values { order.add(row) }
        return order.order
    }

    private func readRows(
        _ sql: String, _ body: (EntryRow?) throws -> Void
    ) throws {
        let statement = try db.statement(sql)
        defer { statement.rewind() }
        while try statement.next() { try body(EntryRow(statement)) }
    }

    static var damage: SQLiteError { .damage("the order is damaged") }
}

// MARK: The past

extension EntryTable {
    /// Keeps the row as it was until a change.
    func keep(_ row: EntryRow, until sequence: Int) throws {
        try db.statement("INSERT OR REPLACE INTO past VALUES (?, ?, ?, ?, ?, ?)")
            .run(row.id, sequence, row.place, row.original, row.since, row.checksum)
    }

    /// Keeps all rows that were there before a change, as they were until another. Returns how many.
    func keepAll(before edit: Int, until sequence: Int) throws -> Int {
        try db.statement(
            """
            INSERT OR REPLACE INTO past
            SELECT id, ?, place, original, since, checksum FROM entries WHERE since < ?
            """
        ).run(sequence, edit)
        return try db.value("SELECT changes()") ?? 0
    }

    /// Forgets where an item was.
    func forget(_ id: ItemID) throws { try db.statement("DELETE FROM past WHERE id = ?").run(id) }

    /// The order before a change. Errors: a row of it is damaged.
    func order(before sequence: Int, isShuffled: Bool) throws -> OrderOfPlaces {
        var order = OrderOfPlaces(isShuffled: isShuffled)
        let statement = try db.statement(
            """
            SELECT id, place, original, since, checksum FROM entries WHERE since < ?1
            UNION ALL
            SELECT id, place, original, since, checksum FROM past WHERE since < ?1 AND until >= ?1
            """)
        statement.bind(sequence)
        defer { statement.rewind() }
        while try statement.next() {
            guard let row = EntryRow(statement) else { throw Self.damage }
            order.add(row)
        }
        return order
    }

    /// Looks at the rows of the past. Errors: one of them is damaged.
    func checkPast() throws {
        try readRows("SELECT id, place, original, since, checksum FROM past") { row in
            if row == nil { throw Self.damage }
        }
    }

    var pastCount: Int { get throws { try db.value("SELECT count(*) FROM past") ?? 0 } }

    /// Where a slice of the past begins: after this row.
    struct PastPlace: Sendable {
        var id = 0
        var until = 0
    }

    /// Forgets rows that no edit needs to be taken back, looking at some after `place`. Returns the
    /// items of these rows, and where to continue; nil at the end.
    func trimPast(
        after place: PastPlace, for edits: [Int], limit: Int
    ) throws -> (ids: [ItemID], next: PastPlace?) {
        let statement = try db.statement(
            """
            SELECT id, until, since FROM past WHERE (id, until) > (?, ?)
            ORDER BY id, until LIMIT ?
            """)
        statement.bind(place.id, place.until, limit)
        var (last, count) = (place, 0)
        var unneeded: [PastPlace] = []
        while try statement.next() {
            let since: Int = statement[2]
            last = PastPlace(id: statement[0], until: statement[1])
            count += 1
            if !edits.contains(where: { $0 > since && $0 <= last.until }) { unneeded.append(last) }
        }
        let removal = try db.statement("DELETE FROM past WHERE id = ? AND until = ?")
        for row in unneeded { try removal.run(row.id, row.until) }
        return (unneeded.map { ItemID($0.id) }, count < limit ? nil : last)
    }
}

extension EntryRow {
    /// Nil when it is damaged.
    fileprivate init?(_ row: Statement) {
        self.init(id: row[0], place: row[1], original: row[2], since: row[3])
        guard checksum == row[4] else { return nil }
    }
}

/// An order while its rows are read, in whatever sequence they come.
struct OrderOfPlaces {
    private struct PlacedItems {
        var items: [(place: Int64, id: ItemID)] = []
        private var isSorted = true

        mutating func add(_ id: ItemID, at place: Int64) {
            if let last = items.last, last.place > place { isSorted = false }
            items.append((place, id))
        }

        mutating func sort() {
            if !isSorted { items.sort { $0.place < $1.place } }
            isSorted = true
        }
    }

    private var ids = PlacedItems()
    private var original = PlacedItems()
    private let isShuffled: Bool

    init(isShuffled: Bool) { self.isShuffled = isShuffled }

    mutating func add(_ row: EntryRow) {
        ids.add(row.id, at: row.place)
        if isShuffled, let place = row.original { original.add(row.id, at: place) }
    }

    /// The order, of which no item is current.
    var order: QueueOrder {
        mutating get {
            ids.sort()
            original.sort()
            return QueueOrder(
                ids: ids.items.map(\.id), original: isShuffled ? original.items.map(\.id) : nil)
        }
    }

    /// The first item whose place is `place` or a later one.
    mutating func first(from place: Int64) -> ItemID? {
        ids.sort()
        return ids.items.first { $0.place >= place }?.id
    }
}
