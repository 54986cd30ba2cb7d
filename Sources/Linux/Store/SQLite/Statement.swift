import CUndersongLinux
import CUndersongSQLite
import UndersongBase

/// Owns one prepared statement, which can be run repeatedly and returns its rows one by one.
@safe
final class Statement {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { unsafe self.handle = handle }

    deinit { unsafe sqlite3_finalize(handle) }

    // MARK: Running

    /// Binds values to its question marks, and prepares it to run from the start.
    func bind<each Value: SQLiteValue>(_ values: repeat each Value) {
        var cells: [Cell] = []
        for value in repeat each values { cells.append(value.cell) }
        bind(cells)
    }

    func bind(_ cells: [Cell]) {
        rewind()
        for (index, cell) in cells.enumerated() { bind(cell, at: Int32(index + 1)) }
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

    // MARK: Its row

    /// A value of the row.
    subscript<Value: SQLiteValue>(column: Int32) -> Value { Value(cell(column)) }

    /// The row's last column, which is the checksum of the others; nil if it is not, because the
    /// row is damaged.
    var checksum: Int? {
        let last = unsafe sqlite3_column_count(handle) - 1
        guard case .integer(let number) = cell(last) else { return nil }
        return Checksum((0..<last).lazy.map { self.cell($0) }).value == number ? number : nil
    }

    /// The row's values, without its checksum.
    var cells: [Cell] {
        let last = unsafe sqlite3_column_count(handle) - 1
        return (0..<last).map { cell($0) }
    }

    /// All of the row's values.
    var allCells: [Cell] {
        (0..<(unsafe sqlite3_column_count(handle))).map { cell($0) }
    }

    /// Texts are read, and bound, by length, so that a zero byte does not truncate them.
    private func cell(_ column: Int32) -> Cell {
        let type = unsafe sqlite3_column_type(handle, column)
        switch type {
        case SQLITE_NULL: return .null
        case SQLITE_INTEGER: return .integer(unsafe Int(sqlite3_column_int64(handle, column)))
        case SQLITE_FLOAT: return .real(unsafe sqlite3_column_double(handle, column))
        default:
            let start = unsafe sqlite3_column_blob(handle, column)
            let count = unsafe Int(sqlite3_column_bytes(handle, column))
            let bytes = unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
            return unsafe type == SQLITE_TEXT
                ? .text(String(decoding: bytes, as: UTF8.self)) : .blob(Array(bytes))
        }
    }

    /// Appends the text of a column to `bytes`, as searches compare it. Returns false if it has no text, and
    /// appends nothing.
    func appendFolded(_ column: Int32, to bytes: inout [UInt8]) -> Bool {
        guard unsafe sqlite3_column_type(handle, column) == SQLITE_TEXT,
            let start = unsafe sqlite3_column_blob(handle, column)
        else { return false }
        let old = bytes.count
        unsafe bytes.append(
            contentsOf: UnsafeRawBufferPointer(
                start: start, count: Int(sqlite3_column_bytes(handle, column))))
        let isASCII = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            unsafe clinux_lower(bytes.baseAddress.map { unsafe $0 + old }, bytes.count - old)
        }
        if isASCII == 0 {
            let text = String(decoding: bytes[old...], as: UTF8.self).folded
            bytes.replaceSubrange(old..., with: text.utf8)
        }
        return true
    }

    /// Calls `body` with the bytes of a column, which are valid only meanwhile.
    func withBytes<Result>(
        _ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let start = unsafe sqlite3_column_blob(handle, column)
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return try unsafe body(
            UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    private func bind(_ cell: Cell, at index: Int32) {
        switch cell {
        case .null: unsafe sqlite3_bind_null(handle, index)
        case .integer(let number): unsafe sqlite3_bind_int64(handle, index, Int64(number))
        case .real(let number): unsafe sqlite3_bind_double(handle, index, number)
        case .text(var text):
            text.withUTF8 { bytes in
                _ = unsafe sqlite3_bind_text(
                    handle, index, bytes.baseAddress, Int32(clamping: bytes.count), Self.copied)
            }
        case .blob(let bytes):
            // An array without bytes has no address, which would be NULL.
            guard !bytes.isEmpty else { return _ = unsafe sqlite3_bind_zeroblob(handle, index, 0) }
            unsafe sqlite3_bind_blob64(handle, index, bytes, UInt64(bytes.count), Self.copied)
        }
    }

    /// Makes SQLite copy the bytes.
    private static var copied: sqlite3_destructor_type {
        unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }
}
