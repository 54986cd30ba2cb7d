import Playback

/// Writes whole numbers and items' ids in as few bytes as they need. Ids that follow each other, as
/// those of a playlist do, take a byte each.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ number: Int) {
        var rest = UInt64(bitPattern: Int64(number))
        while rest > 0x7f {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Writes the ids without their number, each as the distance from the one before it.
    mutating func write(_ ids: some Collection<ItemID>) {
        bytes.reserveCapacity(bytes.count + Self.size(ids))
        Self.forEachDistance(ids) { write($0) }
    }

    /// How many bytes the ids take: those of a million do not grow into twice the room.
    private static func size(_ ids: some Collection<ItemID>) -> Int {
        var size = 0
        forEachDistance(ids) { size += max(1, (Int.bitWidth - $0.leadingZeroBitCount + 6) / 7) }
        return size
    }

    private static func forEachDistance(_ ids: some Collection<ItemID>, _ body: (Int) -> Void) {
        var last = 0
        for id in ids {
            let distance = id.number - last
            body((distance << 1) ^ (distance >> 63))
            last = id.number
        }
    }
}

/// Reads what a `ByteWriter` has written. What is no such thing gives nil, and no trap.
struct ByteReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    mutating func number() -> Int? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while place < bytes.count, shift < 42 {
            let byte = bytes[place]
            place += 1
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return Int(value) }
            shift += 7
        }
        return nil
    }

    /// A number that says how many of something follow, each at least a byte long.
    mutating func count() -> Int? { number().flatMap { $0 <= bytes.count - place ? $0 : nil } }

    mutating func ids(_ count: Int) -> [ItemID]? {
        guard count <= bytes.count - place else { return nil }
        var ids: [ItemID] = []
        ids.reserveCapacity(count)
        var last = 0
        for _ in 0..<count {
            guard let folded = number() else { return nil }
            last += (folded >> 1) ^ -(folded & 1)
            guard let id = ItemID(exactly: last) else { return nil }
            ids.append(id)
        }
        return ids
    }
}
