/// Reads the parts of a frame whose first byte is an encoding: texts, and numbers between them.
struct ID3Texts {
    private let bytes: [UInt8]
    private let encoding: UInt8
    /// The order of UTF-16's bytes: that of the latest byte order mark.
    private var isBigEndian: Bool
    private var offset = 1

    /// Nil if there is no encoding.
    init?(_ bytes: [UInt8]) {
        guard let encoding = bytes.first else { return nil }
        (self.bytes, self.encoding) = (bytes, encoding)
        isBigEndian = encoding == 2
    }

    /// True if nothing is left.
    var isAtEnd: Bool { offset >= bytes.count }

    /// The bytes of the next part, which has this length; fewer at the end.
    mutating func pop(_ count: Int) -> ArraySlice<UInt8> {
        let part = bytes.dropFirst(offset).prefix(count)
        offset += count
        return part
    }

    /// The next text, up to the zero that ends it or to the end, without a byte order mark.
    mutating func text() -> String {
        guard encoding == 1 || encoding == 2 else {
            let body = bytes.dropFirst(offset).prefix { $0 != 0 }
            offset += body.count + 1
            if encoding == 3 { return String(decoding: body, as: UTF8.self) }
            return String(String.UnicodeScalarView(body.map { Unicode.Scalar($0) }))
        }
        let mark = Array(bytes.dropFirst(offset).prefix(2))
        if mark == [0xFE, 0xFF] || (mark == [0xFF, 0xFE] && encoding == 1) {
            isBigEndian = mark == [0xFE, 0xFF]
            offset += 2
        }
        var units: [UInt16] = []
        while offset + 1 < bytes.count {
            let (first, second) = (UInt16(bytes[offset]), UInt16(bytes[offset + 1]))
            offset += 2
            let unit = isBigEndian ? first << 8 | second : second << 8 | first
            if unit == 0 { return String(decoding: units, as: UTF16.self) }
            units.append(unit)
        }
        offset = bytes.count
        return String(decoding: units, as: UTF16.self)
    }
}
