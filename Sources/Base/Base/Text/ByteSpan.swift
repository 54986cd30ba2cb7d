extension [UInt8] {
    /// Appends the bytes of a span.
    package mutating func append(contentsOf bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

extension Span<UInt8> {
    /// `range` without leading and trailing spaces, tabs and line ends.
    package func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, Self.isSpace(self[start]) { start += 1 }
        while start < end, Self.isSpace(self[end - 1]) { end -= 1 }
        return start..<end
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Returns true if the bytes at `offset` match `text`, which is upper-case ASCII, ignoring case.
    package func has(_ text: StaticString, at offset: Int) -> Bool {
        guard count - offset >= text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { wanted in
            for index in 0..<wanted.count {
                let byte = self[offset + index]
                let isSmall = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
                if unsafe (isSmall ? byte - 0x20 : byte) != wanted[index] { return false }
            }
            return true
        }
    }

    /// The bytes of `range`.
    package func bytes(_ range: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(contentsOf: extracting(range))
        return bytes
    }

    /// The text of the bytes in `range`: UTF-8, or Windows-1252 if they are not UTF-8.
    package func text(_ range: Range<Int>) -> String {
        if let text = try? UTF8Span(validating: extracting(range)) { return String(copying: text) }
        return Windows1252.text(bytes(range))
    }
}
