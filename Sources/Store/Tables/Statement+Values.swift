import GRDB
import GRDBSQLite
import Playback

// SQLite's own calls under GRDB's statements: a text is bound and read by its length, so that none is
// cut short by a zero byte, and a million rows are written without a box around each value.

/// Lets SQLite copy what it is given.
private let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)

extension Statement {
    func bind(_ number: Int64?, at place: Int32) {
        if let number {
            unsafe sqlite3_bind_int64(sqliteStatement, place, number)
        } else {
            unsafe sqlite3_bind_null(sqliteStatement, place)
        }
    }

    func bind(_ number: Double, at place: Int32) {
        unsafe sqlite3_bind_double(sqliteStatement, place, number)
    }

    func bind(_ text: String?, at place: Int32) {
        guard let text else { return bind(Int64?.none, at: place) }
        let count = Int32(clamping: text.utf8.count)
        unsafe sqlite3_bind_text(sqliteStatement, place, text, count, copied)
    }

    /// A path that is not UTF-8 is kept as its bytes.
    func bind(_ path: FilePath, at place: Int32) {
        guard let text = path.string else { return bind(path.bytes, at: place) }
        bind(text, at: place)
    }

    func bind(_ bytes: [UInt8]?, at place: Int32) {
        guard let bytes else { return bind(Int64?.none, at: place) }
        let count = Int32(clamping: bytes.count)
        if count == 0 {
            unsafe sqlite3_bind_zeroblob(sqliteStatement, place, 0)
        } else {
            unsafe sqlite3_bind_blob(sqliteStatement, place, bytes, count, copied)
        }
    }

    /// Runs it to its end with `bytes` at a place, without a copy of them; it gives no rows.
    func run(with bytes: [UInt8], at place: Int32) throws {
        guard !bytes.isEmpty else {
            bind(bytes, at: place)
            return try run()
        }
        try unsafe bytes.withUnsafeBytes { raw in
            unsafe sqlite3_bind_blob(
                sqliteStatement, place, raw.baseAddress, Int32(clamping: raw.count), nil)
            defer { bind(Int64?.none, at: place) }
            try run()
        }
    }

    /// Runs it to its end; it gives no rows.
    func run() throws {
        while try nextRow() {}
    }

    /// Goes on to the next row; false behind the last one, where it can be run again.
    func nextRow() throws -> Bool {
        let code = unsafe sqlite3_step(sqliteStatement)
        if code == SQLITE_ROW { return true }
        defer { rewind() }
        guard code == SQLITE_DONE else {
            let connection = unsafe sqlite3_db_handle(sqliteStatement)
            throw unsafe DatabaseError(
                resultCode: ResultCode(rawValue: code),
                message: String(cString: sqlite3_errmsg(connection)))
        }
        return false
    }

    /// Makes it ready to be run again, before its last row.
    func rewind() { unsafe sqlite3_reset(sqliteStatement) }

    func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(sqliteStatement, column) == SQLITE_NULL
    }

    func number(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(sqliteStatement, column) }

    func optionalNumber(_ column: Int32) -> Int64? { isNull(column) ? nil : number(column) }

    func double(_ column: Int32) -> Double { unsafe sqlite3_column_double(sqliteStatement, column) }

    func text(_ column: Int32) -> String? {
        guard let start = unsafe sqlite3_column_text(sqliteStatement, column) else { return nil }
        let count = unsafe Int(sqlite3_column_bytes(sqliteStatement, column))
        return unsafe String(
            decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func path(_ column: Int32) -> FilePath? {
        let type = unsafe sqlite3_column_type(sqliteStatement, column)
        if type == SQLITE_BLOB { return FilePath(bytes: bytes(column)) }
        return text(column).map { FilePath($0) }
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = unsafe sqlite3_column_blob(sqliteStatement, column) else { return [] }
        let count = unsafe Int(sqlite3_column_bytes(sqliteStatement, column))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }
}
