import CUndersongSQLite

/// The reason an SQLite call failed, or what is wrong with its file.
struct SQLiteError: Error, Equatable, CustomStringConvertible {
    /// SQLite's extended result code, such as `SQLITE_IOERR_SHMSIZE`.
    let extendedCode: Int32
    /// SQLite's error text.
    let message: String

    /// Rows that differ from what was written.
    static func damage(_ message: String) -> SQLiteError {
        SQLiteError(extendedCode: SQLITE_CORRUPT, message: message)
    }

    /// The primary result code, such as `SQLITE_IOERR`.
    var code: Int32 { extendedCode & 0xff }

    /// True if the file is damaged.
    var isDamage: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }

    var description: String { "SQLite error \(extendedCode): \(message)" }
}
