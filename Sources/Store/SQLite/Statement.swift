import CSQLite

/// Owns one prepared statement, which can be run repeatedly and returns its rows one by one.
@safe
final class Statement {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { unsafe self.handle = handle }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Binds values to its question marks, and prepares it to run from the start.
    func bind<each Value: SQLiteValue>(_ values: repeat each Value) {
        rewind()
        var place: Int32 = 0
        for value in repeat each values {
            place += 1
            value.bind(to: self, at: place)
        }
    }

    /// Runs it to its end with `values` and discards its rows.
    func run<each Value: SQLiteValue>(_ values: repeat each Value) throws(SQLiteError) {
        bind(repeat each values)
        while try next() {}
    }

    /// Moves to the next row; false after the last one.
    func next() throws(SQLiteError) -> Bool {
        let code = unsafe sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        rewind()
        guard code == SQLITE_DONE else {
            throw SQLiteError(
                extendedCode: code,
                message: unsafe String(cString: sqlite3_errmsg(sqlite3_db_handle(handle))))
        }
        return false
    }

    /// Ends its run early.
    func rewind() { unsafe sqlite3_reset(handle) }

    /// A value of the row.
    subscript<Value: SQLiteValue>(column: Int32) -> Value { Value(self, column) }

    var columnCount: Int32 { unsafe sqlite3_column_count(handle) }

    func name(_ column: Int32) -> String {
        unsafe String(cString: sqlite3_column_name(handle, column))
    }

    /// The type of the column in this row: `SQLITE_NULL`, `SQLITE_TEXT` and so on.
    func type(_ column: Int32) -> Int32 { unsafe sqlite3_column_type(handle, column) }

    /// Calls `body` with the bytes of a text or a blob; none for NULL.
    func withBytes<Result>(
        _ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let start = unsafe sqlite3_column_blob(handle, column)
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    func isNull(_ column: Int32) -> Bool { type(column) == SQLITE_NULL }

    func isBlob(_ column: Int32) -> Bool { type(column) == SQLITE_BLOB }
}

extension Statement {
    /// Makes SQLite copy the bytes.
    private static var copied: sqlite3_destructor_type {
        unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    func bind(_ number: Int64, at place: Int32) {
        unsafe sqlite3_bind_int64(handle, place, number)
    }

    func bind(_ number: Double, at place: Int32) {
        unsafe sqlite3_bind_double(handle, place, number)
    }

    func bindNull(at place: Int32) { unsafe sqlite3_bind_null(handle, place) }

    func bind(_ text: String, at place: Int32) {
        var text = text
        text.withUTF8 { bytes in
            _ = unsafe sqlite3_bind_text(
                handle, place, bytes.baseAddress, Int32(clamping: bytes.count), Self.copied)
        }
    }

    func bind(_ bytes: [UInt8], at place: Int32) {
        // Without an address it would be NULL.
        guard !bytes.isEmpty else { return _ = unsafe sqlite3_bind_zeroblob(handle, place, 0) }
        unsafe sqlite3_bind_blob64(handle, place, bytes, UInt64(bytes.count), Self.copied)
    }

    func number(_ column: Int32) -> Int64 {
        unsafe sqlite3_column_int64(handle, column)
    }

    func double(_ column: Int32) -> Double {
        unsafe sqlite3_column_double(handle, column)
    }

    func text(_ column: Int32) -> String {
        guard let start = unsafe sqlite3_column_text(handle, column) else { return "" }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe String(
            decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
