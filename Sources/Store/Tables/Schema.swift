import GRDB
import Playback

/// The tables, and how each version of them was made from the one before.
enum Schema {
    /// What a file of ours has in its header: `Undr`.
    static let applicationID: Int64 = 0x556e_6472

    /// Goes up with each migration.
    static let version = SettingTable.rows.map { Int64($0.names.column.version) }
        .reduce(3, max)

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator().disablingDeferredForeignKeyChecks()
        migrator.registerMigration("1: queue, positions and history") { db in
            try db.execute(sql: "PRAGMA application_id = \(applicationID)")
            try db.execute(sql: "PRAGMA user_version = 1")
            for sql in first { try db.execute(sql: sql) }
        }
        migrator.registerMigration("2: the device, and how it sounds beside others") { db in
            try db.execute(sql: "PRAGMA user_version = 2")
            try addSettings(of: 2, to: db)
        }
        migrator.registerMigration("3: what the items' files have said of themselves") { db in
            try db.execute(sql: "PRAGMA user_version = 3")
            for sql in third { try db.execute(sql: sql) }
        }
        for version in 4..<version + 1 {
            migrator.registerMigration("\(version): settings") { db in
                try db.execute(sql: "PRAGMA user_version = \(version)")
                try addSettings(of: Int(version), to: db)
            }
        }
        return migrator
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
            try db.execute(sql: "ALTER TABLE state ADD COLUMN \(row.names.column.name) \(type)")
        }
        guard let old = try Int64.fetchOne(db, sql: "SELECT checksum FROM state") else { return }
        var sum = Checksum(continuing: old)
        sum.add(rows, of: version, in: usual)
        try db.execute(sql: "UPDATE state SET checksum = ?", arguments: [sum.value])
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
