/// The keys of edits that are to be made only once. They are records, with the numbers of the edits.
struct KeyTable {
    /// The number of keys that are kept. A client that asks again does so before as many other
    /// edits with a key.
    private static let limit = 1000
    private static let namespace = "edits"

    let db: Database

    /// Adds the key of an edit, within the transaction that writes the edit.
    func add(_ key: String, of sequence: Int) throws {
        try db.insert(into: "records", Self.namespace, key, String(sequence))
        try db.statement(
            """
            DELETE FROM records WHERE namespace = ?1 AND key NOT IN (
                SELECT key FROM records WHERE namespace = ?1
                ORDER BY CAST(value AS INTEGER) DESC LIMIT ?2)
            """
        ).run(Self.namespace, Self.limit)
    }

    /// Returns true if an edit with this key was made.
    func contains(_ key: String) throws -> Bool {
        let row = try db.statement("SELECT * FROM records WHERE namespace = ? AND key = ?")
        row.bind(Self.namespace, key)
        defer { row.rewind() }
        return try row.next() && row.checksum != nil
    }
}
