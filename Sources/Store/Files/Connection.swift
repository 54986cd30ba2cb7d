import Playback
import Synchronization

/// One connection to the database's file, with a small cache. Any thread may call it.
// `lock` is held for as long as `database` is in use, but by `interrupt`, which SQLite allows.
final class Connection: @unchecked Sendable {
    private let lock = Mutex(())
    private let database: Database

    /// What it is opened for.
    enum Purpose {
        case writing
        /// Beside the one that writes.
        case reading
        /// From a file that is damaged.
        case salvage
        /// All alone, where there is no room for the index of the log that others would share.
        case peeking
    }

    /// Opens the file. `cacheSize` is in KiB. Errors: `SQLiteError`.
    init(_ path: String, for purpose: Purpose, cacheSize: Int) throws {
        database = try Database(path, readOnly: purpose == .reading || purpose == .salvage)
        try database.execute("PRAGMA cache_size = -\(cacheSize); PRAGMA cell_size_check = ON")
        switch purpose {
        case .writing: try Self.useLog(database)
        case .reading: break
        case .peeking: try database.execute("PRAGMA locking_mode = EXCLUSIVE")
        // It reads on in a file that is shorter than it should be.
        case .salvage: try database.execute("PRAGMA writable_schema = ON")
        }
    }

    /// What a cleared queue leaves is given back to the disk, which has to be said before there is a
    /// table. Said again it is a write, by which it is known whether the file can be written; there is
    /// nothing in it for which to wait for the disk.
    private static func useLog(_ db: Database) throws {
        let isNew = try db.value("PRAGMA page_count") == 0
        let (room, log) = ("PRAGMA auto_vacuum = INCREMENTAL", "PRAGMA journal_mode = WAL")
        let settings = isNew ? [room, log] : [log, "PRAGMA synchronous = OFF", room]
        for sql in settings + [
            "PRAGMA synchronous = NORMAL", "PRAGMA wal_autocheckpoint = 2000",
            "PRAGMA journal_size_limit = 8388608",
        ] {
            try db.execute(sql)
        }
    }

    /// Brings the tables to this version's shape. Errors: as `Schema.migrate`.
    func migrate() throws { try read { try Schema.migrate($0) } }

    /// Looks at all of the file's pages. Errors: one is damaged.
    func check() throws {
        try read { db in
            let finding: String? = try db.value("PRAGMA quick_check(1)")
            guard finding == "ok" else { throw SQLiteError.damage(finding ?? "it is not checked") }
        }
    }

    /// Calls `body` outside any transaction.
    func read<Result: Sendable>(_ body: (Database) throws -> Result) throws -> Result {
        try lock.withLock { _ in try body(database) }
    }

    /// As `Database.transaction`.
    func write<Result: Sendable>(
        isDurable: Bool, _ body: (Database) throws -> Result
    ) throws -> Result {
        try read { try $0.transaction(isDurable: isDurable, body) }
    }

    /// Moves everything into the main file.
    func checkpoint() throws { try read { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") } }

    /// Lets what it is just reading fail. Nobody may close it meanwhile.
    func interrupt() { database.interrupt() }

    /// Closes it; every call fails from then on.
    func close() { lock.withLock { _ in database.close() } }
}
