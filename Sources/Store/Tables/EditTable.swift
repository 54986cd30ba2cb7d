import Playback

/// An edit of the queue that can be undone, and what was current before it.
struct EditRow: Equatable {
    /// The number of its change.
    var sequence: Int
    var current: ItemID?
    /// The place of the current item in the play order, which gives its successor once it is gone.
    var place: Int64?
    var position: CMTime
    var isShuffled: Bool

    fileprivate var checksum: Int64 {
        var sum = Checksum()
        sum.add(Int64(sequence))
        sum.add(current.map { Int64($0.number) })
        sum.add(place)
        sum.add(position.value)
        sum.add(Int64(position.timescale))
        sum.add(isShuffled ? Int64(1) : 0)
        return sum.value
    }
}

/// The edits that can be undone.
struct EditTable {
    let db: Database

    func write(_ row: EditRow) throws {
        try db.statement("INSERT INTO edits VALUES (?, ?, ?, ?, ?, ?, ?)").run(
            row.sequence, row.current, row.place, row.position.value,
            Int(row.position.timescale), row.isShuffled, row.checksum)
    }

    /// Errors: the row is damaged or missing.
    func row(_ sequence: Int) throws -> EditRow {
        let statement = try db.statement("SELECT * FROM edits WHERE sequence = ?")
        statement.bind(sequence)
        guard try statement.next() else { throw EntryTable.damage }
        defer { statement.rewind() }
        guard let timescale = CMTimeScale(exactly: statement[4] as Int) else {
            throw EntryTable.damage
        }
        let row = EditRow(
            sequence: statement[0], current: statement[1], place: statement[2],
            position: CMTime(value: statement[3], timescale: timescale), isShuffled: statement[5])
        guard row.checksum == statement[6] else { throw EntryTable.damage }
        return row
    }

    /// The numbers of all edits, latest last.
    func sequences() throws -> [Int] {
        let statement = try db.statement("SELECT sequence FROM edits ORDER BY sequence")
        var sequences: [Int] = []
        while try statement.next() { sequences.append(statement[0]) }
        return sequences
    }

    func remove(_ sequence: Int) throws {
        try db.statement("DELETE FROM edits WHERE sequence = ?").run(sequence)
    }
}
