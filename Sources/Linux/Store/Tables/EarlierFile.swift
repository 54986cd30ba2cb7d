import UndersongPlayback

/// A file of version 1 to 5, read as if it had the current tables, except those of the order. Its
/// rows are not checked for changes, since it is read only once, to make a current file from it.
///
/// Version 5 had a row for each entry of the queue. The versions before stored the whole order at
/// one change, in parts, with a journal of later changes, and had a column for each setting.
struct EarlierFile {
    /// Thrown instead of reading the file.
    struct Found: Error { let version: Int }

    private let db: Database
    private let version: Int

    /// Nil if the file is new or has the current tables. Errors: as `Schema.version`.
    init?(_ db: Database) throws {
        guard let version = try Schema.version(of: db) else { return nil }
        if version < TagTable.version { try db.execute(TagTable.emptyView) }
        if version < ListeningTable.detailsVersion { try db.execute(ListeningTable.noDetails) }
        guard version < Schema.firstLike else { return nil }
        self.db = db
        self.version = version
        // The first one to be made, because the others hide the file's own tables.
        try db.execute("CREATE TEMP VIEW IF NOT EXISTS settings AS \(settings)")
        let facts =
            version < 3
            ? "NULL, NULL, NULL"
            : "tag_title, duration_value || '/' || duration_timescale, is_duration_exact"
        try db.execute(
            """
            CREATE TEMP VIEW IF NOT EXISTS items(
                id, path, title, begins, ends, tag_title, duration, is_duration_exact, checksum) AS
                SELECT id, path, title, start_value || '/' || start_timescale,
                    end_value || '/' || end_timescale, \(facts), '\(Statement.unchecked)'
                FROM main.items;
            CREATE TEMP VIEW IF NOT EXISTS positions AS
                SELECT path, seconds, duration, is_finished, last_played, '\(Statement.unchecked)'
                FROM main.positions;
            CREATE TEMP VIEW IF NOT EXISTS history AS
                SELECT id, path, title, began, seconds, '\(Statement.unchecked)'
                FROM main.history;
            CREATE TEMP VIEW IF NOT EXISTS state AS
                SELECT id, sequence, 0, 0, 0, current,
                    position_value || '/' || position_timescale, wants_playback, last_number, 1,
                    '\(Statement.unchecked)'
                FROM main.state;
            """)
    }

    /// A query for the settings as rows.
    private var settings: String {
        get throws {
            guard version < 5 else {
                return "SELECT name, value, '\(Statement.unchecked)' FROM main.settings"
            }
            let row = try db.statement("SELECT name FROM pragma_table_info('state', 'main')")
            var columns: Set<String> = []
            while try row.next() { columns.insert(row[0]) }
            let names = SettingTable.rows.map(\.names.column.name).filter(columns.contains)
            // The sign keeps the columns' values from being converted to the type of the first one.
            return names.map { "SELECT '\($0)', +\($0), '\(Statement.unchecked)' FROM main.state" }
                .joined(separator: " UNION ALL ")
        }
    }

    /// The order, without a current item; also one that is not the state's unless it `isChecked`.
    /// Errors: it is damaged.
    func order(isChecked: Bool) throws -> QueueOrder {
        guard version == 5 else { return try orderOfParts(isChecked: isChecked) }
        let original = try ids("SELECT id FROM entries WHERE original > 0 ORDER BY original")
        let order = QueueOrder(
            ids: try ids("SELECT id FROM entries ORDER BY place"),
            original: original.isEmpty ? nil : original)
        let count: Int? = try db.value("SELECT entry_count FROM main.state")
        guard !isChecked || order.ids.count == count else { throw OrderTable.damage }
        return order
    }

    private func ids(_ sql: String) throws -> [ItemID] {
        let row = try db.statement(sql)
        var ids: [ItemID] = []
        while try row.next() { ids.append(row[0]) }
        return ids
    }

    // MARK: Parts and changes

    private func orderOfParts(isChecked: Bool) throws -> QueueOrder {
        var (order, sequence, token) = (QueueOrder(), 0, 0)
        let part = try db.statement("SELECT * FROM order_parts ORDER BY list, part")
        while try part.next() {
            (sequence, token) = (part[3], part[4])
            var reader: ByteReader = part[5]
            guard let count = reader.count(), let ids = reader.ids(count) else {
                throw OrderTable.damage
            }
            if part[0] == 0 {
                order.ids += ids
            } else {
                order.original = (order.original ?? []) + ids
            }
        }
        let change = try db.statement(
            "SELECT * FROM order_changes WHERE sequence > ? ORDER BY sequence")
        change.bind(sequence)
        while try change.next() {
            var reader: ByteReader = change[6]
            var original = order.original ?? []
            guard change[0] == sequence + 1, change[2] == token, let flag = reader.number(),
                reader.patch(&order.ids), reader.patch(&original)
            else { throw OrderTable.damage }
            order.original = flag == 1 ? original : nil
            (sequence, token) = (change[0], change[1])
        }
        let isLast =
            try db.value(
                "SELECT sequence = \(sequence) AND token = \(token) FROM main.state") ?? false
        let isPossible = Set(order.ids).count == order.ids.count
        guard isPossible, !isChecked || isLast else { throw OrderTable.damage }
        return order
    }
}

/// Reads integers of seven bits per byte, and item ids, each as the difference from the one before.
/// Returns nil for invalid input, and never traps.
private struct ByteReader: SQLiteValue {
    private var bytes: ArraySlice<UInt8> = []

    var cell: Cell { .blob(Array(bytes)) }

    init(_ cell: Cell) { if case .blob(let bytes) = cell { self.bytes = bytes[...] } }

    mutating func number() -> Int? {
        var (value, shift) = (0, 0)
        while shift < 42, let byte = bytes.popFirst() {
            value |= Int(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    /// Reads a count of elements, each at least one byte long.
    mutating func count() -> Int? { number().flatMap { $0 <= bytes.count ? $0 : nil } }

    mutating func ids(_ count: Int) -> [ItemID]? {
        var ids: [ItemID] = []
        var last = 0
        for _ in 0..<count {
            guard let folded = number() else { return nil }
            last += (folded >> 1) ^ -(folded & 1)
            guard let id = ItemID(exactly: last) else { return nil }
            ids.append(id)
        }
        return ids
    }

    /// Reads a change of a list and applies it. Returns false if it does not fit this list.
    mutating func patch(_ list: inout [ItemID]) -> Bool {
        guard let steps = count() else { return false }
        var place = 0
        for _ in 0..<steps {
            guard let skipped = number(), let dropped = number(), let length = count(),
                let inserted = ids(length), skipped + dropped <= list.count - place
            else { return false }
            place += skipped
            list.replaceSubrange(place..<place + dropped, with: inserted)
            place += inserted.count
        }
        return true
    }
}
