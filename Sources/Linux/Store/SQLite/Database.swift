import CUndersongSQLite

/// Owns one SQLite connection to a database file.
// Unchecked: a connection is used by one thread at a time. The one that writes belongs to the
// store's own thread, the one that reads to the mutex of `StoredItems`, and others to the function
// that opens them.
@safe
final class Database: @unchecked Sendable {
    /// The purposes of a connection.
    enum Purpose {
        case writing
        /// Reading, beside the connection that writes.
        case reading
        /// Reading from a damaged file.
        case salvage
        /// Reading alone, if there is no room for the shared index of the log.
        case peeking
    }

    private let handle: OpaquePointer
    private var isClosed = false
    /// Prepared statements, by their SQL or, if they insert a row, by their table.
    private var statements: [String: Statement] = [:]

    /// Opens the file at `path`, and creates it if it is missing and to be written. Waits up to
    /// half a second for another connection's lock.
    ///
    /// - Throws: An error if it cannot be opened.
    ///
    /// - Parameter pageSize: Of a new file, in bytes.
    init(
        _ path: String, for purpose: Purpose, pageSize: Int = 4096
    ) throws(SQLiteError) {
        let isReader = purpose == .reading || purpose == .salvage
        let access = isReader ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(path, &opened, access | SQLITE_OPEN_NOMUTEX, nil)
        guard let opened = unsafe opened, code == SQLITE_OK else {
            // A connection that failed to open must be closed as well.
            defer { unsafe sqlite3_close(opened) }
            throw SQLiteError(
                extendedCode: code, message: unsafe String(cString: sqlite3_errstr(code)))
        }
        unsafe handle = opened
        unsafe sqlite3_extended_result_codes(handle, 1)
        unsafe sqlite3_busy_timeout(handle, 500)
        let cacheSize = purpose == .writing ? 2048 : 512
        try execute("PRAGMA cache_size = -\(cacheSize); PRAGMA cell_size_check = ON")
        switch purpose {
        case .writing: try useLog(pageSize)
        case .reading: break
        case .peeking: try execute("PRAGMA locking_mode = EXCLUSIVE")
        // Continues reading in a file that is shorter than it should be.
        case .salvage: try execute("PRAGMA writable_schema = ON")
        }
    }

    /// Opens a database whose file has these bytes.
    ///
    /// - Throws: An error if it cannot be opened.
    convenience init(image: [UInt8]) throws(SQLiteError) {
        try self.init(":memory:", for: .peeking)
        let buffer = unsafe sqlite3_malloc64(UInt64(image.count))?
            .bindMemory(to: UInt8.self, capacity: image.count)
        guard let buffer = unsafe buffer else { throw lastError }
        for (index, byte) in image.enumerated() { unsafe buffer[index] = byte }
        // SQLite frees the buffer, even if this fails.
        let code = unsafe sqlite3_deserialize(
            handle, "main", buffer, Int64(image.count), Int64(image.count),
            UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY))
        guard code == SQLITE_OK else { throw lastError }
    }

    /// The bytes that the file would have; none if there is no memory for them.
    var image: [UInt8] {
        var size: Int64 = 0
        guard let start = unsafe sqlite3_serialize(handle, "main", &size, 0) else { return [] }
        defer { unsafe sqlite3_free(start) }
        return unsafe Array(UnsafeBufferPointer(start: start, count: Int(size)))
    }

    deinit { close() }

    /// Closes the file; every later call fails.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        statements = [:]
        unsafe sqlite3_close_v2(handle)
    }

    /// Lets the file shrink when the queue is cleared, which must be set before there is a table.
    /// Setting it again is a write, which shows whether the file can be written; it contains
    /// nothing that must reach the disk.
    private func useLog(_ pageSize: Int) throws(SQLiteError) {
        let isNew = try value("PRAGMA page_count") == 0
        let (room, log) = ("PRAGMA auto_vacuum = INCREMENTAL", "PRAGMA journal_mode = WAL")
        let settings =
            isNew
            ? ["PRAGMA page_size = \(pageSize)", room, log]
            : [log, "PRAGMA synchronous = OFF", room]
        for sql in settings + [
            "PRAGMA synchronous = NORMAL", "PRAGMA wal_autocheckpoint = \(8_192_000 / pageSize)",
            "PRAGMA journal_size_limit = 8388608",
        ] {
            try execute(sql)
        }
    }

    // MARK: Statements

    /// Runs all statements of `sql` and discards their rows.
    func execute(_ sql: String) throws(SQLiteError) {
        try checkOpen()
        guard unsafe sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw lastError }
    }

    /// A cached statement, which must not be in use already, except by a function that threw.
    func statement(_ sql: String) throws(SQLiteError) -> Statement {
        if let statement = statements[sql] {
            statement.rewind()
            return statement
        }
        let statement = try prepare(sql)
        statements[sql] = statement
        return statement
    }

    /// The first column of the first row; nil if there is no row or it is NULL.
    func value<Value: SQLiteValue>(_ sql: String) throws(SQLiteError) -> Value? {
        let statement = try prepare(sql)
        return try statement.next() ? statement[0] : nil
    }

    private func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        try checkOpen()
        var prepared: OpaquePointer?
        guard unsafe sqlite3_prepare_v2(handle, sql, -1, &prepared, nil) == SQLITE_OK,
            let prepared = unsafe prepared
        else { throw lastError }
        return unsafe Statement(prepared)
    }

    /// Applies the changes of `body`, all or none. If `isDurable`, they survive a power loss at
    /// once, otherwise together with the next durable ones.
    func transaction<Result>(
        isDurable: Bool, _ body: () throws -> Result
    ) throws -> Result {
        try execute("PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL"); BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // SQLite has rolled it back already after some errors, such as a full disk.
            if unsafe sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    // MARK: Rows

    /// Adds a row to a table whose last column is the checksum of the others, replacing one with
    /// the same key. Returns the checksum.
    @discardableResult
    func insert<each Value: SQLiteValue>(
        into table: String, _ values: repeat each Value
    ) throws(SQLiteError) -> Int {
        var cells: [Cell] = []
        for value in repeat each values { cells.append(value.cell) }
        return try insert(cells, into: table)
    }

    private func insert(_ cells: [Cell], into table: String) throws(SQLiteError) -> Int {
        let checksum = Checksum(cells).value
        let row = try insertion(into: table, of: cells.count + 1)
        row.bind(cells + [.integer(checksum)])
        while try row.next() {}
        return checksum
    }

    private func insertion(into table: String, of count: Int) throws(SQLiteError) -> Statement {
        if let statement = statements[table] { return statement }
        let marks = String(repeating: "?, ", count: count - 1)
        let statement = try prepare("INSERT OR REPLACE INTO \(table) VALUES (\(marks)?)")
        statements[table] = statement
        return statement
    }

    /// Passes the rows of a query to `body` as far as they can be read: to the end or to the first
    /// one that cannot, and then from the last one back. Returns whether all could be read.
    ///
    /// - Throws: The errors of `body`.
    func readRows(of query: String, _ body: (Statement) throws -> Void) rethrows -> Bool {
        for order in ["ASC", "DESC"] {
            guard let row = try? statement("\(query) ORDER BY 1 \(order)") else { return false }
            defer { row.rewind() }
            while let isRow = try? row.next() {
                guard isRow else { return true }
                try body(row)
            }
        }
        return false
    }

    /// Copies the undamaged rows of the same table of another file, as far as it can be read. Returns
    /// the part that was lost, `3 of 40`, for people to read; nil if nothing was found or lost.
    func carryRows(of table: String, from old: Database) throws -> String? {
        var (damaged, all) = (0, 0)
        let isWhole = try old.readRows(of: "SELECT * FROM \(table)") { row in
            all += 1
            if row.checksum == nil { damaged += 1 } else { _ = try insert(row.cells, into: table) }
        }
        guard isWhole else { return all == 0 ? nil : "some" }
        return damaged == 0 ? nil : "\(damaged) of \(all)"
    }

    // MARK: The file

    /// Checks all pages.
    ///
    /// - Throws: An error if one is damaged.
    func check() throws(SQLiteError) {
        let finding: String? = try value("PRAGMA quick_check(1)")
        guard finding == "ok" else { throw .damage(finding ?? "not checked") }
    }

    /// Moves everything from the log into the main file.
    func checkpoint() throws(SQLiteError) { try execute("PRAGMA wal_checkpoint(TRUNCATE)") }

    private func checkOpen() throws(SQLiteError) {
        guard !isClosed else {
            throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "the file is closed")
        }
    }

    private var lastError: SQLiteError {
        unsafe SQLiteError(
            extendedCode: sqlite3_extended_errcode(handle),
            message: String(cString: sqlite3_errmsg(handle)))
    }
}
