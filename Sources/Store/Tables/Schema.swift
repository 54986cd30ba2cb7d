import CSQLite

/// The tables of the file.
enum Schema {
    /// The application id in the file's header: `Undr`.
    static let applicationID: Int64 = 0x556e_6472

    /// Increases with each change of the tables. Settings are rows, so a new one changes nothing
    /// here.
    static let version: Int64 = 5

    /// Creates the tables, or migrates those of an earlier version. Errors: the file is damaged or
    /// belongs to another program, or `StoreTrouble` if a newer version made it.
    static func migrate(_ db: Database) throws {
        let id: Int64 = try db.value("PRAGMA application_id") ?? 0
        let count: Int64 = try db.value("SELECT count(*) FROM sqlite_schema") ?? 0
        let old = try version(of: db)
        guard id == applicationID || id == 0 && count == 0 else {
            throw SQLiteError(
                extendedCode: SQLITE_NOTADB, message: "the file belongs to another program")
        }
        guard old <= version else { throw StoreTrouble.newerVersion }
        guard (id == applicationID) == (old > 0) else {
            throw SQLiteError.damage("the file has no version")
        }
        guard old < version else { return }
        try db.transaction(isDurable: false) { db in
            if old == 0 {
                try db.execute("PRAGMA application_id = \(applicationID)")
                for sql in items + queue { try db.execute(sql) }
            } else {
                let earlier = EarlierFile(db: db)
                let durable = try earlier.read()
                try earlier.removeTables(version: old)
                for sql in queue { try db.execute(sql) }
                if !durable.isNew {
                    var new = DurableState()
                    try new.start(
                        with: durable.record, lastNumber: durable.state.lastNumber, in: db)
                }
            }
            try db.execute("PRAGMA user_version = \(version)")
        }
    }

    /// The version that made the file, 1 or above; 0 for a new file.
    static func version(of db: Database) throws -> Int64 {
        try db.value("PRAGMA user_version") ?? 0
    }

    private static let items = [
        // An entry of the queue; the path is `-` for the standard input. The last four columns are
        // facts read from the file; the last one is null if it was never opened.
        """
        CREATE TABLE items (
            id INTEGER PRIMARY KEY, path TEXT NOT NULL, title TEXT,
            start_value INTEGER, start_timescale INTEGER,
            end_value INTEGER, end_timescale INTEGER, checksum INTEGER NOT NULL,
            tag_title TEXT, duration_value INTEGER, duration_timescale INTEGER,
            is_duration_exact INTEGER)
        """,
        // How far files were heard, whether or not they are in the queue.
        """
        CREATE TABLE positions (
            path TEXT PRIMARY KEY, seconds REAL NOT NULL, duration REAL NOT NULL,
            is_finished INTEGER NOT NULL,
            last_played REAL NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID
        """,
        // What was heard, and when.
        """
        CREATE TABLE history (
            id INTEGER PRIMARY KEY, path TEXT NOT NULL, title TEXT, began REAL NOT NULL,
            seconds REAL NOT NULL, checksum INTEGER NOT NULL)
        """,
    ]

    private static let queue = [
        // The places of items in the queue, each valid since a change of the order.
        """
        CREATE TABLE entries (
            id INTEGER PRIMARY KEY, place INTEGER NOT NULL, original INTEGER,
            since INTEGER NOT NULL, checksum INTEGER NOT NULL)
        """,
        // Earlier places, valid until a change, as far as an undoable edit needs them.
        """
        CREATE TABLE past (
            id INTEGER NOT NULL, until INTEGER NOT NULL, place INTEGER NOT NULL, original INTEGER,
            since INTEGER NOT NULL, checksum INTEGER NOT NULL,
            PRIMARY KEY (id, until)) WITHOUT ROWID
        """,
        // The edits that can be undone, and what was current before each.
        """
        CREATE TABLE edits (
            sequence INTEGER PRIMARY KEY, current INTEGER, place INTEGER,
            position_value INTEGER NOT NULL, position_timescale INTEGER NOT NULL,
            is_shuffled INTEGER NOT NULL, checksum INTEGER NOT NULL)
        """,
        // The rest of the record; one row.
        """
        CREATE TABLE state (
            id INTEGER PRIMARY KEY CHECK (id = 1), sequence INTEGER NOT NULL,
            entry_count INTEGER NOT NULL, entry_checksums INTEGER NOT NULL,
            is_shuffled INTEGER NOT NULL, current INTEGER, position_value INTEGER NOT NULL,
            position_timescale INTEGER NOT NULL, wants_playback INTEGER NOT NULL,
            last_number INTEGER NOT NULL, has_garbage INTEGER NOT NULL, checksum INTEGER NOT NULL)
        """,
        // A number is REAL, a flag INTEGER, a word or a name TEXT.
        "CREATE TABLE settings (name TEXT NOT NULL, value)",
    ]
}
