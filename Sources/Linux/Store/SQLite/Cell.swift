/// A value as SQLite stores it.
enum Cell {
    case null
    case integer(Int)
    case real(Double)
    case text(String)
    case blob([UInt8])
}

/// A value that a column can hold.
protocol SQLiteValue {
    /// This as SQLite stores it.
    var cell: Cell { get }
    /// Reads it from a cell; zero or empty if that has another type.
    init(_ cell: Cell)
}

/// Detects damage: a number that depends on every bit of a row and on their order (FNV-1a, by words
/// of eight bytes).
struct Checksum {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    init(_ cells: some Sequence<Cell>) { for cell in cells { add(cell) } }

    /// The checksum, as a column stores it.
    var value: Int { Int(truncatingIfNeeded: state) }

    private mutating func add(_ cell: Cell) {
        switch cell {
        case .null: add(5)
        case .integer(let number): add(1, UInt64(bitPattern: Int64(number)))
        case .real(let number): add(2, number.bitPattern)
        case .text(var text): text.withUTF8 { unsafe add(3, UnsafeRawBufferPointer($0)) }
        case .blob(let bytes): unsafe bytes.withUnsafeBytes { unsafe add(4, $0) }
        }
    }

    private mutating func add(_ word: UInt64) {
        state = (state ^ word) &* 0x0000_0100_0000_01b3
        state ^= state >> 29
    }

    private mutating func add(_ type: UInt64, _ word: UInt64) {
        add(type)
        add(word)
    }

    private mutating func add(_ type: UInt64, _ bytes: UnsafeRawBufferPointer) {
        add(type, UInt64(bytes.count))
        let whole = bytes.count & ~7
        for index in stride(from: 0, to: whole, by: 8) {
            add(unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        }
        var rest: UInt64 = 0
        for index in whole..<bytes.count { rest = rest << 8 | UInt64(unsafe bytes[index]) }
        add(rest)
    }
}
