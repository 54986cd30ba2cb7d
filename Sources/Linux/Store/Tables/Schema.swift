import CUndersongSQLite

/// The tables of the file. Except in `past`, each row ends with a checksum of its other columns.
enum Schema {
    /// The application id in the file's header: `Undr`.
    static let applicationID = 0x556e_6472

    /// Increases with each change of the tables. Settings are rows, so a new one changes nothing
    /// here.
    static let version = 11

    /// Whether the file is new and has no tables yet. Errors: it is damaged or belongs to another
    /// program, or `StoreTrouble` if it has another version.
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
            try db.execute(ItemTable.schema)
            try db.execute(refreshes)
            try db.execute(others)
            try db.execute(PushTable.schema)
            try db.execute(AnalysisTable.schema + EpisodeTable.schema)
            try db.execute(LocationTable.schema)
            try db.execute(ListeningTable.schema + RecordTable.schema)
            try db.execute("PRAGMA user_version = \(version)")
        }
    }

    private static let others = """
        -- The order of the queue: runs of up to 256 ids, by their place in the play order (list 0)
        -- or in the order before shuffling (list 1), each valid since a change of the order.
        CREATE TABLE runs (
            id INTEGER PRIMARY KEY, list INTEGER NOT NULL, place INTEGER NOT NULL,
            since INTEGER NOT NULL, ids BLOB NOT NULL, checksum INTEGER NOT NULL);
        -- Earlier runs, valid until a change, as far as an undoable edit needs them.
        CREATE TABLE past (
            id INTEGER PRIMARY KEY, list INTEGER NOT NULL, place INTEGER NOT NULL,
            since INTEGER NOT NULL, ids BLOB NOT NULL, checksum INTEGER NOT NULL,
            until INTEGER NOT NULL);
        CREATE INDEX past_until ON past (until);
        -- The edits that can be undone, by the number of their change, and what was current before;
        -- `total` is the sum of the checksums of the runs of that time.
        CREATE TABLE edits (
            sequence INTEGER PRIMARY KEY, current INTEGER, position TEXT NOT NULL,
            is_shuffled INTEGER NOT NULL, total INTEGER NOT NULL, checksum INTEGER NOT NULL);
        -- What left the queue by a change that is not an edit: no undo brings it back.
        CREATE TABLE consumed (
            sequence INTEGER PRIMARY KEY, ids BLOB NOT NULL, checksum INTEGER NOT NULL);
        -- The rest of the record, in one row, with the sums of the checksums of all runs and of all
        -- settings.
        CREATE TABLE state (
            id INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, runs_total INTEGER NOT NULL,
            settings_total INTEGER NOT NULL, is_shuffled INTEGER NOT NULL, current INTEGER,
            position TEXT NOT NULL, wants_playback INTEGER NOT NULL, last_number INTEGER NOT NULL,
            has_garbage INTEGER NOT NULL, checksum INTEGER NOT NULL);
        -- A number is REAL, a flag INTEGER, a word or a name TEXT.
        CREATE TABLE settings (name TEXT PRIMARY KEY, value, checksum INTEGER NOT NULL);
        """
}
