import GRDB

/// One connection to the database's file, with a small cache.
final class Connection: Sendable {
    private let queue: DatabaseQueue

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

    /// Opens the file. `cacheSize` is in KiB.
    init(_ path: String, for purpose: Purpose, cacheSize: Int) throws {
        var configuration = Configuration()
        configuration.readonly = purpose == .reading || purpose == .salvage
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(0.5)
        configuration.prepareDatabase { db in
            var settings = Self.settings(purpose, cacheSize)
            if purpose == .writing { settings += try Self.logSettings(db) }
            for sql in settings { try db.execute(sql: sql) }
        }
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    private static func settings(_ purpose: Purpose, _ cacheSize: Int) -> [String] {
        let always = ["PRAGMA cache_size = -\(cacheSize)", "PRAGMA cell_size_check = ON"]
        switch purpose {
        case .writing, .reading: return always
        case .peeking: return ["PRAGMA locking_mode = EXCLUSIVE"] + always
        // It reads on in a file that is shorter than it should be.
        case .salvage: return always + ["PRAGMA writable_schema = ON"]
        }
    }

    /// What a cleared queue leaves is given back to the disk, which has to be said before there is a
    /// table. Said again it is a write, by which it is known whether the file can be written; there is
    /// nothing in it for which to wait for the disk. GRDB's own way to the log would do that, too.
    private static func logSettings(_ db: Database) throws -> [String] {
        let isNew = try Int64.fetchOne(db, sql: "PRAGMA page_count") == 0
        let (room, log) = ("PRAGMA auto_vacuum = INCREMENTAL", "PRAGMA journal_mode = WAL")
        return (isNew ? [room, log] : [log, "PRAGMA synchronous = OFF", room]) + [
            "PRAGMA synchronous = NORMAL", "PRAGMA wal_autocheckpoint = 2000",
            "PRAGMA journal_size_limit = 8388608",
        ]
    }

    /// Brings the tables to this version's shape. Errors: the file is damaged or another program's,
    /// or `StoreTrouble` when a newer version has made it.
    func migrate() throws {
        do {
            try queue.unsafeRead { try Self.checkOrigin($0) }
            try Schema.migrator.migrate(queue)
        } catch let error where error is StoreTrouble || error is DatabaseError {
            throw error
        } catch {
            // What GRDB notes of migrations is not what it has written.
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "\(error)")
        }
    }

    private static func checkOrigin(_ db: Database) throws {
        let id = try Int64.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let count = try Int64.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
        let isNew = id == 0 && count == 0
        guard isNew || id == Schema.applicationID else {
            throw DatabaseError(resultCode: .SQLITE_NOTADB, message: "another program's file")
        }
        let version = try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard version <= Schema.version else { throw StoreTrouble.newerVersion }
        guard try !Schema.migrator.hasBeenSuperseded(db) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "unknown migrations")
        }
    }

    /// Looks at all of the file's pages. Errors: one is damaged.
    func check() throws {
        try read { db in
            let finding = try String.fetchOne(db, sql: "PRAGMA quick_check(1)")
            guard finding == "ok" else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: finding)
            }
        }
    }

    /// Calls `body` outside any transaction.
    func read<T>(_ body: (Database) throws -> T) throws -> T { try queue.unsafeRead(body) }

    /// Makes the changes of `body`, all or none. When `isDurable` they survive a loss of power from
    /// then on, otherwise from the next ones on that do.
    func write<T>(isDurable: Bool, _ body: (Database) throws -> T) throws -> T {
        try queue.inDatabase { db in
            try db.execute(sql: "PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL")")
            var result: T?
            try db.inTransaction(.immediate) {
                result = try body(db)
                return .commit
            }
            guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
            return result
        }
    }

    /// Moves everything into the main file.
    func checkpoint() throws {
        try queue.inDatabase { db in
            try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    /// Lets what it is just reading fail. Any thread may call it.
    func interrupt() { queue.interrupt() }

    func close() throws { try queue.close() }
}
