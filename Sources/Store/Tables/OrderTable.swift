import Playback

/// The whole order as it was at one change, in parts.
struct OrderTable {
    let db: Database

    private enum List: Int64 { case ids, original }

    /// Takes the place of the order that was there. Returns how many bytes it takes.
    func write(_ order: QueueOrder, sequence: Int, token: Int64) throws -> Int {
        try db.statement("DELETE FROM order_parts").run()
        var size = try write(order.ids, .ids, sequence, token)
        if let original = order.original {
            size += try write(original, .original, sequence, token)
        }
        return size
    }

    private func write(
        _ ids: [ItemID], _ list: List, _ sequence: Int, _ token: Int64
    ) throws -> Int {
        let statement = try db.statement(
            "INSERT INTO order_parts VALUES (?, ?, ?, ?, ?, ?, ?)")
        let length = PartedList.partLength
        let parts = max(1, (ids.count + length - 1) / length)
        var size = 0
        for part in 0..<parts {
            var writer = ByteWriter()
            let slice = ids[part * length..<min((part + 1) * length, ids.count)]
            writer.write(slice.count)
            writer.write(slice)
            var row = PartRow(
                list: list.rawValue, part: Int64(part), parts: Int64(parts),
                sequence: Int64(sequence), token: token, bytes: writer.bytes)
            row.checksum = row.rightChecksum
            try statement.run(
                row.list, row.part, row.parts, row.sequence, row.token, row.bytes, row.checksum)
            size += writer.bytes.count
        }
        return size
    }

    /// The order, and at which change it was such. Errors: it is damaged. Nil when there is none.
    func read() throws -> (order: PartedOrder, sequence: Int, token: Int64, size: Int)? {
        let statement = try db.statement(
            "SELECT * FROM order_parts ORDER BY list, part")
        var rows: [PartRow] = []
        while try statement.next() { rows.append(PartRow(statement)) }
        guard let first = rows.first else { return nil }
        let ids = rows.filter { $0.list == List.ids.rawValue }
        let original = rows.filter { $0.list == List.original.rawValue }
        guard ids.count + original.count == rows.count,
            rows.allSatisfy({ $0.sequence == first.sequence && $0.token == first.token }),
            let idList = Self.list(ids)
        else { throw Self.damage }
        let originalList =
            try original.isEmpty ? nil : Self.list(original) ?? { throw Self.damage }()
        return (
            PartedOrder(ids: idList, original: originalList), Int(first.sequence), first.token,
            rows.reduce(0) { $0 + $1.bytes.count }
        )
    }

    /// The parts of the play order that are not damaged, as far as they can be read.
    func readableParts() throws -> PartedList {
        let statement = try db.statement(
            "SELECT * FROM order_parts WHERE list = 0 ORDER BY part")
        defer { statement.rewind() }
        var rows: [PartRow] = []
        do { while try statement.next() { rows.append(PartRow(statement)) } } catch {}
        let whole = rows.filter { $0.ids != nil }
        // Parts of another order are not mixed in.
        guard let token = whole.first?.token else { return PartedList() }
        return PartedList(parts: whole.filter { $0.token == token }.compactMap(\.ids))
    }

    static var damage: SQLiteError { .damage("the order is damaged") }

    private static func list(_ rows: [PartRow]) -> PartedList? {
        var parts: [[ItemID]] = []
        for (index, row) in rows.enumerated() {
            guard row.part == index, row.parts == rows.count, let ids = row.ids else { return nil }
            parts.append(ids)
        }
        return parts.isEmpty ? nil : PartedList(parts: parts)
    }
}

/// A part of an order as its columns hold it.
struct PartRow {
    var list: Int64
    var part: Int64
    var parts: Int64
    var sequence: Int64
    var token: Int64
    var bytes: [UInt8]
    var checksum: Int64 = 0

    init(
        list: Int64, part: Int64, parts: Int64, sequence: Int64, token: Int64, bytes: [UInt8]
    ) {
        self.list = list
        self.part = part
        self.parts = parts
        self.sequence = sequence
        self.token = token
        self.bytes = bytes
    }

    init(_ statement: Statement) {
        list = statement[0]
        part = statement[1]
        parts = statement[2]
        sequence = statement[3]
        token = statement[4]
        bytes = statement[5]
        checksum = statement[6]
    }

    var rightChecksum: Int64 {
        var sum = Checksum()
        for number in [list, part, parts, sequence, token] { sum.add(number) }
        sum.add(bytes)
        return sum.value
    }

    /// Nil when the row is damaged.
    var ids: [ItemID]? {
        guard checksum == rightChecksum else { return nil }
        var reader = ByteReader(bytes)
        guard let count = reader.count(), let ids = reader.ids(count), reader.isAtEnd else {
            return nil
        }
        return ids
    }
}
