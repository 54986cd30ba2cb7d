import GRDB
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
        let statement = try db.cachedStatement(
            sql: "INSERT INTO order_changes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        statement.bind(Int64(row.sequence), at: 1)
        statement.bind(row.token, at: 2)
        statement.bind(row.previous, at: 3)
        statement.bind(row.kind.rawValue, at: 4)
        statement.bind(row.name, at: 5)
        statement.bind(row.undoes.map(Int64.init), at: 6)
        statement.bind(row.forward, at: 7)
        statement.bind(row.current.map { Int64($0.number) }, at: 9)
        statement.bind(row.position.value, at: 10)
        statement.bind(Int64(row.position.timescale), at: 11)
        statement.bind(row.checksum, at: 12)
        try statement.run(with: row.backward, at: 8)
    }

    /// Hands over the changes behind `sequence`, or with `isBackward` the ones up from it in the
    /// opposite order. Errors: one of them is damaged.
    func read(
        from sequence: Int, isBackward: Bool = false, _ body: (ChangeRow) throws -> Void
    ) throws {
        let statement = try db.cachedStatement(
            sql: """
                SELECT * FROM order_changes WHERE sequence >= ?
                ORDER BY sequence \(isBackward ? "DESC" : "ASC")
                """)
        statement.bind(Int64(sequence), at: 1)
        defer { statement.rewind() }
        while try statement.nextRow() {
            guard let row = ChangeRow(statement) else { throw OrderTable.damage }
            try body(row)
        }
    }

    /// Forgets the changes before `sequence`.
    func remove(before sequence: Int) throws {
        let statement = try db.cachedStatement(
            sql: "DELETE FROM order_changes WHERE sequence < ?")
        statement.bind(Int64(sequence), at: 1)
        try statement.run()
    }
}

extension ChangeRow {
    /// Nil when it is damaged.
    init?(_ row: Statement) {
        guard let kind = Kind(rawValue: row.number(3)),
            let timescale = CMTimeScale(exactly: row.number(10))
        else { return nil }
        self.init(
            sequence: Int(row.number(0)), token: row.number(1), previous: row.number(2), kind: kind,
            name: row.text(4), undoes: row.optionalNumber(5).map(Int.init),
            forward: row.isNull(6) ? nil : row.bytes(6), backward: row.bytes(7),
            current: row.optionalNumber(8).flatMap { ItemID(exactly: Int($0)) },
            position: CMTime(value: row.number(9), timescale: timescale))
        guard checksum == row.number(11) else { return nil }
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
