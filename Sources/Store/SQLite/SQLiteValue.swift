import CSQLite
import Playback

/// What a column can hold. Texts are bound and read by length, so that a zero byte does not
/// truncate them.
protocol SQLiteValue {
    /// Binds it to a question mark; the first is 1.
    func bind(to statement: Statement, at place: Int32)
    /// Reads it from a column of the row; the first is 0. A value of another type is converted as
    /// SQLite does.
    init(_ row: Statement, _ column: Int32)
}

extension Int64: SQLiteValue {
    func bind(to statement: Statement, at place: Int32) { statement.bind(self, at: place) }
    init(_ row: Statement, _ column: Int32) { self = row.number(column) }
}

extension Int: SQLiteValue {
    func bind(to statement: Statement, at place: Int32) { statement.bind(Int64(self), at: place) }
    init(_ row: Statement, _ column: Int32) { self = Int(row.number(column)) }
}

extension Bool: SQLiteValue {
    func bind(to statement: Statement, at place: Int32) {
        statement.bind(Int64(self ? 1 : 0), at: place)
    }
    init(_ row: Statement, _ column: Int32) { self = row.number(column) != 0 }
}

extension Double: SQLiteValue {
    func bind(to statement: Statement, at place: Int32) { statement.bind(self, at: place) }
    init(_ row: Statement, _ column: Int32) { self = row.double(column) }
}

extension String: SQLiteValue {
    func bind(to statement: Statement, at place: Int32) { statement.bind(self, at: place) }
    init(_ row: Statement, _ column: Int32) { self = row.text(column) }
}

extension [UInt8]: SQLiteValue {
    func bind(to statement: Statement, at place: Int32) { statement.bind(self, at: place) }
    init(_ row: Statement, _ column: Int32) {
        self = unsafe row.withBytes(column) { unsafe Array($0) }
    }
}

/// A path that is not UTF-8 is stored as a blob.
extension FilePath: SQLiteValue {
    func bind(to statement: Statement, at place: Int32) {
        if let string {
            statement.bind(string, at: place)
        } else {
            statement.bind(bytes, at: place)
        }
    }

    init(_ row: Statement, _ column: Int32) {
        if row.isBlob(column) { self.init(bytes: row[column]) } else { self.init(row[column]) }
    }
}

/// Nil is NULL.
extension Optional: SQLiteValue where Wrapped: SQLiteValue {
    func bind(to statement: Statement, at place: Int32) {
        if let self { self.bind(to: statement, at: place) } else { statement.bindNull(at: place) }
    }

    init(_ row: Statement, _ column: Int32) {
        self = row.isNull(column) ? nil : Wrapped(row, column)
    }
}

/// An invalid id is read as 0, which no item has.
extension ItemID: SQLiteValue {
    func bind(to statement: Statement, at place: Int32) { statement.bind(Int64(number), at: place) }
    init(_ row: Statement, _ column: Int32) {
        self = ItemID(exactly: Int(row.number(column))) ?? ItemID(0)
    }
}

/// A number is stored as REAL, never as INTEGER, which is for flags.
extension SettingValue: SQLiteValue {
    func bind(to statement: Statement, at place: Int32) {
        switch self {
        case .number(let number): number.bind(to: statement, at: place)
        case .flag(let isOn): isOn.bind(to: statement, at: place)
        case .text(let text): text.bind(to: statement, at: place)
        }
    }

    init(_ row: Statement, _ column: Int32) {
        self =
            switch row.type(column) {
            case SQLITE_INTEGER: .flag(row[column])
            case SQLITE_FLOAT: .number(row[column])
            default: .text(row[column])
            }
    }
}
