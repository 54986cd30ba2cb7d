import Playback

/// An item in the queue, as it is from one change of the order on.
struct EntryRow: Equatable {
    var id: ItemID
    /// Its place in the play order: later items have higher places.
    var place: Int64
    /// Its place in the order before shuffling; nil unless the queue is shuffled.
    var original: Int64?
    /// The change that put it there.
    var since: Int

    /// A checksum of the whole row.
    var checksum: Int64 {
        var sum = Checksum()
        sum.add(Int64(id.number))
        sum.add(place)
        sum.add(original)
        sum.add(Int64(since))
        return sum.shortValue
    }
}

/// The total of the queue's rows, which shows whether all of them are there.
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

/// The queue, one row per entry: `entries` is its current state, and `past` what undoable edits may
/// restore. A row of the past ends with the change that moved or removed the entry.
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

    /// The whole order without its current item, and the total of its rows. Errors: a row is
    /// damaged.
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

    /// The undamaged rows that can be read, from the first one forward and from the last one
    /// backward.
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
    /// Keeps the row in the past, valid until a change.
    func keep(_ row: EntryRow, until sequence: Int) throws {
        try db.statement("INSERT OR REPLACE INTO past VALUES (?, ?, ?, ?, ?, ?)")
            .run(row.id, sequence, row.place, row.original, row.since, row.checksum)
    }

    /// Keeps all rows that are older than one change in the past, valid until another. Returns how
    /// many.
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

    /// The order before a change. Errors: one of its rows is damaged.
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

    /// Checks the rows of the past. Errors: one is damaged.
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

    /// Removes rows that no undoable edit needs, looking at one slice after `place`. Returns the
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
    /// Nil if the row is damaged.
    fileprivate init?(_ row: Statement) {
        self.init(id: row[0], place: row[1], original: row[2], since: row[3])
        guard checksum == row[4] else { return nil }
    }
}

/// Collects an order from its rows, in any sequence.
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

    /// The order, without a current item.
    var order: QueueOrder {
        mutating get {
            ids.sort()
            original.sort()
            return QueueOrder(
                ids: ids.items.map(\.id), original: isShuffled ? original.items.map(\.id) : nil)
        }
    }

    /// The first item at `place` or after it.
    mutating func first(from place: Int64) -> ItemID? {
        ids.sort()
        return ids.items.first { $0.place >= place }?.id
    }
}
