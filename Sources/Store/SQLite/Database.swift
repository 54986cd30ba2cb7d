import CSQLite

/// Owns one SQLite connection to a database file. Only one thread at a time may use it, except for
/// `interrupt`.
@safe
final class Database {
    private let handle: OpaquePointer
    private var isClosed = false
    /// Prepared statements, by their SQL.
    private var statements: [String: Statement] = [:]

    /// Opens the file at `path`, and creates it if it is missing unless `readOnly`. Waits up to
    /// half a second for another connection's lock. Errors: it cannot be opened.
    init(_ path: String, readOnly: Bool) throws(SQLiteError) {
        let access = readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
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
    }

    deinit { close() }

    /// Closes the file; every later call fails.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        statements = [:]
        unsafe sqlite3_close_v2(handle)
    }

    /// Runs all statements of `sql` and discards their rows.
    func execute(_ sql: String) throws(SQLiteError) {
        try checkOpen()
        guard unsafe sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw lastError }
    }

    /// A cached statement, which must not be in use already.
    func statement(_ sql: String) throws(SQLiteError) -> Statement {
        if let statement = statements[sql] { return statement }
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
        isDurable: Bool, _ body: (Database) throws -> Result
    ) throws -> Result {
        try execute("PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL"); BEGIN IMMEDIATE")
        do {
            let result = try body(self)
            try execute("COMMIT")
            return result
        } catch {
            // SQLite has rolled it back already after some errors, such as a full disk.
            if unsafe sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Makes the current operation fail. Any thread may call it while the connection is not being
    /// closed.
    func interrupt() { unsafe sqlite3_interrupt(handle) }

    private func checkOpen() throws(SQLiteError) {
        guard !isClosed else {
            throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "the file is closed")
        }
    }

    private var lastError: SQLiteError { unsafe SQLiteError(ofLastCallOn: handle) }
}

extension SQLiteError {
    fileprivate init(ofLastCallOn handle: OpaquePointer) {
        unsafe self.init(
            extendedCode: sqlite3_extended_errcode(handle),
            message: String(cString: sqlite3_errmsg(handle)))
    }
}
