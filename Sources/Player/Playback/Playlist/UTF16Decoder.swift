/// Converts UTF-16 that arrives in pieces to UTF-8. Invalid characters become U+FFFD.
struct UTF16Decoder {
    private let isBigEndian: Bool
    /// The first byte of a unit whose second one has not arrived yet.
    private var half: UInt8?
    /// The first unit of a surrogate pair whose second one has not arrived yet.
    private var lead: UInt16?

    /// Creates a decoder for the text after the byte order mark `mark`; nil if it is not one.
    init?(mark: some Collection<UInt8>) {
        if mark.elementsEqual([0xFE, 0xFF]) {
            isBigEndian = true
        } else if mark.elementsEqual([0xFF, 0xFE]) {
            isBigEndian = false
        } else {
            return nil
        }
    }

    /// Appends the text of the next bytes to `text`.
    mutating func decode(_ bytes: Span<UInt8>, into text: inout [UInt8]) {
        for index in bytes.indices {
            guard let first = half else {
                half = bytes[index]
                continue
            }
            half = nil
            let (high, low) = isBigEndian ? (first, bytes[index]) : (bytes[index], first)
            decode(UInt16(high) << 8 | UInt16(low), into: &text)
        }
    }

    /// Appends U+FFFD for an incomplete character at the end.
    mutating func finish(into text: inout [UInt8]) {
        if half != nil || lead != nil { Self.append("\u{FFFD}", to: &text) }
        (half, lead) = (nil, nil)
    }

    private mutating func decode(_ unit: UInt16, into text: inout [UInt8]) {
        if let lead {
            self.lead = nil
            if UTF16.isTrailSurrogate(unit) {
                let value = 0x10000 + (UInt32(lead & 0x3FF) << 10 | UInt32(unit & 0x3FF))
                return Self.append(Unicode.Scalar(value) ?? "\u{FFFD}", to: &text)
            }
            Self.append("\u{FFFD}", to: &text)
        }
        if UTF16.isLeadSurrogate(unit) {
            lead = unit
        } else {
            Self.append(Unicode.Scalar(unit) ?? "\u{FFFD}", to: &text)
        }
    }

    private static func append(_ scalar: Unicode.Scalar, to text: inout [UInt8]) {
        text.append(contentsOf: UTF8.encode(scalar) ?? .init())
    }
}
