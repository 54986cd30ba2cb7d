import CSQLite
import Playback

/// The tables, and how each version of them was made from the one before.
enum Schema {
    /// What a file of ours has in its header: `Undr`.
    static let applicationID: Int64 = 0x556e_6472

    /// Goes up with each migration.
    static let version = SettingTable.rows.map { Int64($0.names.column.version) }
        .reduce(5, max)

    /// Brings the tables to the shape of `version`: each step in a transaction of its own. Errors: the
    /// file is damaged or another program's, or `StoreTrouble` when a newer version has made it.
    static func migrate(_ db: Database, to version: Int64 = version) throws {
        let id: Int64 = try db.value("PRAGMA application_id") ?? 0
        let count: Int64 = try db.value("SELECT count(*) FROM sqlite_schema") ?? 0
        guard id == applicationID || id == 0 && count == 0 else {
            throw SQLiteError(extendedCode: SQLITE_NOTADB, message: "another program's file")
        }
        let old: Int64 = try db.value("PRAGMA user_version") ?? 0
        guard old >= 0, id == applicationID || old == 0 else {
            throw SQLiteError.damage("the file has no such version")
        }
        guard old <= Self.version else { throw StoreTrouble.newerVersion }
        for next in stride(from: old + 1, through: version, by: 1) {
            try db.transaction(isDurable: false) { db in
                try db.execute("PRAGMA user_version = \(next)")
                try step(to: next, db)
            }
        }
    }

    private static func step(to version: Int64, _ db: Database) throws {
        switch version {
        case 1:
            try db.execute("PRAGMA application_id = \(applicationID)")
            for sql in first { try db.execute(sql) }
        case 3: for sql in third { try db.execute(sql) }
        // The library that read the file before had a list of its own.
        case 5: try db.execute("DROP TABLE IF EXISTS grdb_migrations")
        default: break
        }
        if version > 1 { try addSettings(of: Int(version), to: db) }
    }

    /// Adds the columns of the settings that a version has first, with the values of a new player. The
    /// checksum of a state is made to cover them: a wrong one stays wrong.
    private static func addSettings(of version: Int, to db: Database) throws {
        let (rows, usual) = (SettingTable.rows, PlayerSettings())
        for row in rows where row.names.column.version == version {
            let type =
                switch row.storedValue(in: usual) {
                case .number(let number): "REAL NOT NULL DEFAULT \(number)"
                case .flag(let isOn): "INTEGER NOT NULL DEFAULT \(isOn ? 1 : 0)"
                case .text(let text): "TEXT NOT NULL DEFAULT '\(text)'"
                case nil: "TEXT"
                }
            try db.execute("ALTER TABLE state ADD COLUMN \(row.names.column.name) \(type)")
        }
        guard let old: Int64 = try db.value("SELECT checksum FROM state") else { return }
        var sum = Checksum(continuing: old)
        sum.add(rows, of: version, in: usual)
        try db.statement("UPDATE state SET checksum = ?").run(sum.value)
    }

    /// The last of them is null for an item whose file was never opened.
    private static let third = [
        "ALTER TABLE items ADD COLUMN tag_title TEXT",
        "ALTER TABLE items ADD COLUMN duration_value INTEGER",
        "ALTER TABLE items ADD COLUMN duration_timescale INTEGER",
        "ALTER TABLE items ADD COLUMN is_duration_exact INTEGER",
    ]

    private static let first = [
        // An entry of the queue; the path is `-` for the standard input.
        """
        CREATE TABLE items (
            id INTEGER PRIMARY KEY, path TEXT NOT NULL, title TEXT,
            start_value INTEGER, start_timescale INTEGER,
            end_value INTEGER, end_timescale INTEGER, checksum INTEGER NOT NULL)
        """,
        // The order as it was once, in parts: list 0 is the play order, 1 the one before shuffling.
        """
        CREATE TABLE order_parts (
            list INTEGER NOT NULL, part INTEGER NOT NULL, parts INTEGER NOT NULL,
            sequence INTEGER NOT NULL, token INTEGER NOT NULL, ids BLOB NOT NULL,
            checksum INTEGER NOT NULL, PRIMARY KEY (list, part))
        """,
        // What has happened to the order since, and how it is taken back.
        """
        CREATE TABLE order_changes (
            sequence INTEGER PRIMARY KEY, token INTEGER NOT NULL, previous INTEGER NOT NULL,
            kind INTEGER NOT NULL, name TEXT, undoes INTEGER, forward BLOB, backward BLOB NOT NULL,
            current INTEGER, position_value INTEGER NOT NULL, position_timescale INTEGER NOT NULL,
            checksum INTEGER NOT NULL)
        """,
        // The rest of the record; one row.
        """
        CREATE TABLE state (
            id INTEGER PRIMARY KEY CHECK (id = 1), sequence INTEGER NOT NULL,
            token INTEGER NOT NULL, current INTEGER, position_value INTEGER NOT NULL,
            position_timescale INTEGER NOT NULL, wants_playback INTEGER NOT NULL,
            volume REAL NOT NULL, is_muted INTEGER NOT NULL, rate REAL NOT NULL,
            repeat_mode TEXT NOT NULL, is_shuffled INTEGER NOT NULL, is_single INTEGER NOT NULL,
            is_consuming INTEGER NOT NULL, item_end_action TEXT NOT NULL,
            replay_gain TEXT NOT NULL, crossfade REAL NOT NULL,
            resumes_items INTEGER NOT NULL, skip_back REAL NOT NULL, last_number INTEGER NOT NULL,
            has_garbage INTEGER NOT NULL, checksum INTEGER NOT NULL)
        """,
        // How far files were heard, whether they are in the queue or not.
        """
        CREATE TABLE positions (
            path TEXT PRIMARY KEY, seconds REAL NOT NULL, duration REAL NOT NULL,
            is_finished INTEGER NOT NULL,
            last_played REAL NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID
        """,
        // What was heard when.
        """
        CREATE TABLE history (
            id INTEGER PRIMARY KEY, path TEXT NOT NULL, title TEXT, began REAL NOT NULL,
            seconds REAL NOT NULL, checksum INTEGER NOT NULL)
        """,
    ]
}
