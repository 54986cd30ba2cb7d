import Playback

/// A page of a database file, read without the page tree that leads to it: SQLite's file format is
/// documented, and each row has a checksum that shows whether it was read correctly.
struct RawPage {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The items on the page; none if it is a page of another kind.
    static func items(on bytes: [UInt8]) -> [QueueItem] {
        // A leaf page of a table: its kind, and where its rows begin from byte 8 on.
        guard bytes.count >= 512, bytes[0] == 0x0d else { return [] }
        let count = Int(bytes[3]) << 8 | Int(bytes[4])
        guard count > 0, 8 + 2 * count <= bytes.count else { return [] }
        return (0..<count).compactMap { index in
            let place = 8 + 2 * index
            var page = RawPage(bytes)
            page.place = Int(bytes[place]) << 8 | Int(bytes[place + 1])
            return page.item()
        }
    }

    /// The row at this place as an item; nil if it is not one or continues on another page.
    private mutating func item() -> QueueItem? {
        guard let length = varint(), let id = varint(), length <= bytes.count - place,
            let kinds = kinds()
        else { return nil }
        // The id precedes the row, whose own column for it is null. Rows written before facts were
        // kept have no columns for them.
        guard [8, 12].contains(kinds.count), kinds[0] == 0 else { return nil }
        let path = path(kinds[1])
        let title = text(kinds[2])
        let numbers = kinds[3..<8].map { number($0) }
        guard let path, let checksum = numbers[4] else { return nil }
        var row = ItemRow(
            id: id, path: path, title: title, startValue: numbers[0], startTimescale: numbers[1],
            endValue: numbers[2], endTimescale: numbers[3], checksum: checksum)
        if kinds.count > 8 {
            row.tagTitle = text(kinds[8])
            row.durationValue = number(kinds[9])
            row.durationTimescale = number(kinds[10])
            row.isDurationExact = number(kinds[11])
        }
        return row.item
    }

    /// The column types of the row at this place; nil if its header is invalid.
    private mutating func kinds() -> [Int64]? {
        let start = place
        guard let length = varint(), length > 0, length <= bytes.count - start else { return nil }
        let end = start + Int(length)
        var kinds: [Int64] = []
        while place < end, kinds.count <= 12 {
            guard let kind = varint() else { return nil }
            kinds.append(kind)
        }
        return place == end ? kinds : nil
    }

    /// A big-endian number of one to nine bytes.
    private mutating func varint() -> Int64? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard let byte = next() else { return nil }
            if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
            value = value << 7 | UInt64(byte & 0x7f)
            if byte < 0x80 { return Int64(bitPattern: value) }
        }
        return nil
    }

    /// A column's number; nil for null and for anything but a number.
    private mutating func number(_ kind: Int64) -> Int64? {
        let sizes: [Int64: Int] = [1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8]
        if kind == 8 || kind == 9 { return kind - 8 }
        guard let size = sizes[kind], let first = next() else { return nil }
        var value = Int64(Int8(bitPattern: first))
        for _ in 0..<size - 1 {
            guard let byte = next() else { return nil }
            value = value << 8 | Int64(byte)
        }
        return value
    }

    private mutating func path(_ kind: Int64) -> FilePath? {
        guard kind >= 12 else { return nil }
        return part(Int(kind - 12) / 2).map { FilePath(bytes: Array($0)) }
    }

    private mutating func text(_ kind: Int64) -> String? {
        guard kind >= 13, kind & 1 == 1 else { return nil }
        return part(Int(kind - 13) / 2).map { String(decoding: $0, as: UTF8.self) }
    }

    private mutating func part(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= bytes.count - place else { return nil }
        defer { place += count }
        return bytes[place..<place + count]
    }

    private mutating func next() -> UInt8? {
        guard place < bytes.count else { return nil }
        defer { place += 1 }
        return bytes[place]
    }
}
