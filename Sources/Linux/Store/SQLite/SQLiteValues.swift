import UndersongBase
import UndersongPlayback

extension Int: SQLiteValue {
    var cell: Cell { .integer(self) }
    init(_ cell: Cell) { self = if case .integer(let number) = cell { number } else { 0 } }
}

extension Bool: SQLiteValue {
    var cell: Cell { .integer(self ? 1 : 0) }
    init(_ cell: Cell) { self = Int(cell) != 0 }
}

/// SQLite has neither NaN nor a negative zero.
extension Double: SQLiteValue {
    var cell: Cell { isNaN ? .null : .real(self + 0) }
    init(_ cell: Cell) { self = if case .real(let number) = cell { number } else { 0 } }
}

extension String: SQLiteValue {
    var cell: Cell { .text(self) }
    init(_ cell: Cell) { self = if case .text(let text) = cell { text } else { "" } }
}

/// Bytes as they are.
struct Blob: SQLiteValue {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }
    var cell: Cell { .blob(bytes) }
    init(_ cell: Cell) { bytes = if case .blob(let bytes) = cell { bytes } else { [] } }
}

/// A path that is not UTF-8 is stored as a blob.
extension FilePath: SQLiteValue {
    var cell: Cell { string.map(Cell.text) ?? .blob(bytes) }
    init(_ cell: Cell) {
        if case .blob(let bytes) = cell { self.init(bytes: bytes) } else { self.init(String(cell)) }
    }
}

/// A rational number of seconds: `123457/44100`.
extension CMTime: SQLiteValue {
    var cell: Cell { .text("\(value)/\(timescale)") }
    init(_ cell: Cell) {
        let parts = String(cell).split(separator: "/")
        if parts.count == 2, let value = CMTimeValue(parts[0]),
            let timescale = CMTimeScale(parts[1]), timescale > 0
        {
            self.init(value: value, timescale: timescale)
        } else {
            self = .zero
        }
    }
}

/// Nil is NULL.
extension Optional: SQLiteValue where Wrapped: SQLiteValue {
    // A key path here would be made again for each value.
    var cell: Cell { if let self { self.cell } else { .null } }
    init(_ cell: Cell) { self = if case .null = cell { nil } else { Wrapped(cell) } }
}

/// An invalid id is read as 0, which no item has.
extension ItemID: SQLiteValue {
    var cell: Cell { .integer(number) }
    init(_ cell: Cell) { self = ItemID(exactly: Int(cell)) ?? ItemID(0) }
}

/// Four bytes for each id, the lowest first.
extension [ItemID]: SQLiteValue {
    var cell: Cell {
        let numbers = map { Int32($0.number).littleEndian }
        return .blob(unsafe numbers.withUnsafeBytes { unsafe [UInt8]($0) })
    }

    init(_ cell: Cell) {
        let bytes = if case .blob(let bytes) = cell { bytes } else { [UInt8]() }
        self = unsafe bytes.withUnsafeBytes { bytes in
            (0..<bytes.count / 4).map { index in
                let number = unsafe bytes.loadUnaligned(fromByteOffset: 4 * index, as: Int32.self)
                return ItemID(Int(Int32(littleEndian: number)))
            }
        }
    }
}
