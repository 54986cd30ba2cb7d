/// The checksum of LAME's tag: CRC-16/ARC, polynomial 0x8005, reflected, initially 0.
package struct CRC16: Sendable {
    package private(set) var value: UInt16 = 0

    /// The effect of each value of the low byte on the remainder.
    private static let table: [UInt16] = (0..<256).map { byte in
        (0..<8).reduce(UInt16(byte)) { rest, _ in
            rest & 1 == 0 ? rest >> 1 : rest >> 1 ^ 0xA001
        }
    }

    package init() {}

    /// Adds the bytes that follow.
    package mutating func update(_ bytes: Span<UInt8>) {
        let table = Self.table
        var rest = value
        for index in bytes.indices {
            rest = rest >> 8 ^ table[Int(UInt8(truncatingIfNeeded: rest) ^ bytes[index])]
        }
        value = rest
    }
}
