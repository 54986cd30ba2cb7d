import CUndersongSQLite

/// The tables of the file. Except in `past`, each row ends with a checksum of its other columns.
enum Schema {
    /// The application id in the file's header: `Undr`.
    static let applicationID = 0x556e_6472

    /// Increases with each change of the tables. A new setting changes nothing here.
    static let version = 11

    /// Returns true if the file is new and has no tables yet.
    ///
    /// - Throws: An error if it is damaged or belongs to another program, or `StoreTrouble` if it
    ///   has another version.
    static func isMissing(in db: Database) throws -> Bool {
        let id: Int = try db.value("PRAGMA application_id") ?? 0
        let found: Int = try db.value("PRAGMA user_version") ?? 0
        if try id == 0 && db.value("SELECT count(*) FROM sqlite_schema") == 0 { return true }
        guard id == applicationID else {
            throw SQLiteError(
                extendedCode: SQLITE_NOTADB, message: "the file belongs to another program")
        }
        guard found > 0 else { throw SQLiteError.damage("the file has no version") }
        guard found == version else { throw StoreTrouble.otherVersion(found) }
        return false
    }

    /// Creates the tables of a new file.
    static func create(in db: Database) throws {
        try db.transaction(isDurable: false) {
            try db.execute("PRAGMA application_id = \(applicationID)")
            for schema in [
                ItemTable.schema, OrderTable.schema, StateTable.schema, ListeningTable.schema,
                AnalysisTable.schema, EpisodeTable.schema, RecordTable.schema,
            ] {
                try db.execute(schema)
            }
            try db.execute("PRAGMA user_version = \(version)")
        }
    }
}
