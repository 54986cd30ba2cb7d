import GRDB

/// One connection to the database's file, with a small cache.
final class Connection: Sendable {
    private let queue: DatabaseQueue

    /// Opens the file. `cacheSize` is in KiB.
    init(_ path: String, isReadOnly: Bool, cacheSize: Int) throws {
        var configuration = Configuration()
        configuration.readonly = isReadOnly
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(2)
        if !isReadOnly { configuration.journalMode = .wal }
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA cache_size = -\(cacheSize)")
            try db.execute(sql: "PRAGMA cell_size_check = ON")
            guard !isReadOnly else { return }
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 2000")
            try db.execute(sql: "PRAGMA journal_size_limit = 8388608")
        }
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    func migrate() throws { try Schema.migrator.migrate(queue) }

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

    func close() throws { try queue.close() }
}
