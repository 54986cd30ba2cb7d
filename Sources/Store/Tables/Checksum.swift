import Playback

/// Detects damage: a number that depends on every bit of its input and on their order (FNV-1a, by
/// words of eight bytes).
struct Checksum {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    /// Starts empty.
    init() {}

    /// Continues from an earlier checksum. If that was wrong, so is the result.
    init(continuing value: Int64) { state = UInt64(bitPattern: value) }

    /// The checksum, as a column stores it.
    var value: Int64 { Int64(bitPattern: state) }

    /// The checksum in four bytes, for tables with very many rows.
    var shortValue: Int64 { Int64(UInt32(truncatingIfNeeded: state ^ (state >> 32))) }

    mutating func add(_ word: UInt64) {
        state = (state ^ word) &* 0x0000_0100_0000_01b3
        state ^= state >> 29
    }

    mutating func add(_ number: Int64) { add(UInt64(bitPattern: number)) }

    mutating func add(_ number: Int64?) {
        add(number == nil ? UInt64(0) : 1)
        if let number { add(number) }
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        add(UInt64(bytes.count))
        let whole = bytes.count & ~7
        for place in stride(from: 0, to: whole, by: 8) {
            add(unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        }
        var rest: UInt64 = 0
        for place in whole..<bytes.count { rest = rest << 8 | UInt64(unsafe bytes[place]) }
        add(rest)
    }

    mutating func add(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe add($0) }
    }

    mutating func add(_ path: FilePath) {
        if let text = path.string { add(text) } else { add(path.bytes) }
    }

    mutating func add(_ text: String?) {
        guard var text else { return add(UInt64.max) }
        text.withUTF8 { unsafe add(UnsafeRawBufferPointer($0)) }
    }
}
