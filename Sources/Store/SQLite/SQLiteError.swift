import CSQLite

/// Why SQLite could not do what it was asked for, or what was found wrong in its file.
struct SQLiteError: Error, Equatable, CustomStringConvertible {
    /// SQLite's extended result code, such as `SQLITE_IOERR_SHMSIZE`.
    let extendedCode: Int32
    /// SQLite's words for it.
    let message: String

    /// Rows that are not what was written.
    static func damage(_ message: String) -> SQLiteError {
        SQLiteError(extendedCode: SQLITE_CORRUPT, message: message)
    }

    /// The result code without what it is extended by, such as `SQLITE_IOERR`.
    var code: Int32 { extendedCode & 0xff }

    /// Whether the file is not what it should be.
    var isDamage: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }

    var description: String { "SQLite error \(extendedCode): \(message)" }
}
