import Playback
import Synchronization

/// One connection to the database file, with a small cache. Any thread may call it.
// `lock` is held whenever `database` is in use, except by `interrupt`, as SQLite permits.
final class Connection: @unchecked Sendable {
    private let lock = Mutex(())
    private let database: Database

    /// What the connection is for.
    enum Purpose {
        case writing
        /// Reading, beside the connection that writes.
        case reading
        /// Reading from a damaged file.
        case salvage
        /// Reading alone, if there is no room for the shared index of the log.
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
        // Continues reading in a file that is shorter than it should be.
        case .salvage: try database.execute("PRAGMA writable_schema = ON")
        }
    }

    /// Lets the file shrink when the queue is cleared, which must be set before there is a table.
    /// Setting it again is a write, which shows whether the file can be written; it contains
    /// nothing that must reach the disk.
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

    /// Brings the tables to this version's schema. Errors: as `Schema.migrate`.
    func migrate() throws { try read { try Schema.migrate($0) } }

    /// Checks all pages of the file. Errors: one is damaged.
    func check() throws {
        try read { db in
            let finding: String? = try db.value("PRAGMA quick_check(1)")
            guard finding == "ok" else { throw SQLiteError.damage(finding ?? "not checked") }
        }
    }

    /// Calls `body` outside any transaction.
    func read<Result: Sendable>(_ body: (Database) throws -> Result) throws -> Result {
        try lock.withLock { _ in try body(database) }
    }

    /// Calls `body` as `Database.transaction` does.
    func write<Result: Sendable>(
        isDurable: Bool, _ body: (Database) throws -> Result
    ) throws -> Result {
        try read { try $0.transaction(isDurable: isDurable, body) }
    }

    /// Moves everything into the main file.
    func checkpoint() throws { try read { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") } }

    /// Makes the current operation fail. The connection must not be closed meanwhile.
    func interrupt() { database.interrupt() }

    /// Closes the connection; every later call fails.
    func close() { lock.withLock { _ in database.close() } }
}
