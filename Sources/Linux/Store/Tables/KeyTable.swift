/// The keys of edits that are to be made only once.
struct KeyTable {
    /// How many keys are kept. A client that asks again does so before as many other edits with a
    /// key.
    private static let limit = 1000

    let db: Database

    /// Adds the key of an edit, within the transaction that writes the edit.
    func add(_ key: String, of sequence: Int) throws(SQLiteError) {
        try db.insert(into: "keys", key, sequence)
        try db.statement(
            """
            DELETE FROM keys WHERE key NOT IN (
                SELECT key FROM keys ORDER BY sequence DESC LIMIT ?)
            """
        ).run(Self.limit)
    }

    /// Whether an edit with this key was made.
    func contains(_ key: String) throws(SQLiteError) -> Bool {
        let row = try db.statement("SELECT * FROM keys WHERE key = ?")
        row.bind(key)
        defer { row.rewind() }
        return try row.next() && row.checksum != nil
    }
}
