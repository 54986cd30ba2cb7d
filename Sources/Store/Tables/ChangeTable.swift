import Playback

/// A change of the order, as the journal keeps it.
struct ChangeRow: Equatable {
    enum Kind: Int64 { case keep, edit, undo }

    var sequence: Int
    var token: Int64
    /// The token of the change before it.
    var previous: Int64
    var kind: Kind
    /// What an edit did.
    var name: String?
    /// The edit that an undo takes back.
    var undoes: Int?
    /// Nil when the whole order was written with it.
    var forward: [UInt8]?
    var backward: [UInt8]
    /// What was current before it, and where it was heard.
    var current: ItemID?
    var position: CMTime

    var size: Int { (forward?.count ?? 0) + backward.count }
}

/// The journal of the order's changes.
struct ChangeTable {
    let db: Database

    func write(_ row: ChangeRow) throws {
        try db.statement(
            "INSERT INTO order_changes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        ).run(
            row.sequence, row.token, row.previous, row.kind.rawValue, row.name, row.undoes,
            row.forward, row.backward, row.current, row.position.value,
            Int(row.position.timescale), row.checksum)
    }

    /// Hands over the changes behind `sequence`, or with `isBackward` the ones up from it in the
    /// opposite order. Errors: one of them is damaged.
    func read(
        from sequence: Int, isBackward: Bool = false, _ body: (ChangeRow) throws -> Void
    ) throws {
        let statement = try db.statement(
            """
            SELECT * FROM order_changes WHERE sequence >= ?
            ORDER BY sequence \(isBackward ? "DESC" : "ASC")
            """)
        statement.bind(sequence)
        defer { statement.rewind() }
        while try statement.next() {
            guard let row = ChangeRow(statement) else { throw OrderTable.damage }
            try body(row)
        }
    }

    /// Forgets the changes before `sequence`.
    func remove(before sequence: Int) throws {
        try db.statement("DELETE FROM order_changes WHERE sequence < ?").run(sequence)
    }
}

extension ChangeRow {
    /// Nil when it is damaged.
    init?(_ row: Statement) {
        guard let kind = Kind(rawValue: row[3]),
            let timescale = CMTimeScale(exactly: row[10] as Int)
        else { return nil }
        self.init(
            sequence: row[0], token: row[1], previous: row[2], kind: kind, name: row[4],
            undoes: row[5], forward: row[6], backward: row[7], current: row[8],
            position: CMTime(value: row[9], timescale: timescale))
        guard checksum == row[11] else { return nil }
    }

    fileprivate var checksum: Int64 {
        var sum = Checksum()
        sum.add(Int64(sequence))
        sum.add(token)
        sum.add(previous)
        sum.add(kind.rawValue)
        sum.add(name)
        sum.add(undoes.map(Int64.init))
        sum.add(forward == nil ? Int64(0) : 1)
        if let forward { sum.add(forward) }
        sum.add(backward)
        sum.add(current.map { Int64($0.number) })
        sum.add(position.value)
        sum.add(Int64(position.timescale))
        return sum.value
    }
}
