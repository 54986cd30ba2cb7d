/// What makes entries of the lines of a playlist.
protocol PlaylistLines {
    /// Takes a line without its end, and adds the entries that are complete with it.
    mutating func take(_ line: Span<UInt8>, into entries: inout [QueueEntry])

    /// Adds what is complete only now that there are no more lines.
    mutating func finish(into entries: inout [QueueEntry])
}

/// Cuts a playlist that comes in pieces into lines, which end with LF, CR or both. A byte order mark
/// is left out, and so is a line that is too long to be one. After a mark of UTF-16, it is decoded.
struct LineReader<Lines: PlaylistLines>: PlaylistReader {
    /// How the bytes stand for characters.
    private enum Encoding {
        /// So far these bytes have come, too few to see.
        case unknown([UInt8])
        /// ASCII, and others that contain it.
        case bytes
        case utf16(UTF16Decoder)
    }

    /// So many bytes has the longest line.
    private static var limit: Int { 1 << 16 }

    private var lines: Lines
    private var encoding = Encoding.unknown([])
    /// The beginning of the line whose end has not come yet.
    private var rest: [UInt8] = []
    private var isTooLong = false
    private var isFirst = true

    init(_ lines: Lines) { self.lines = lines }

    mutating func read(_ bytes: Span<UInt8>, into entries: inout [QueueEntry]) {
        switch encoding {
        case .bytes: cut(bytes, into: &entries)
        case .utf16(var decoder):
            var text: [UInt8] = []
            decoder.decode(bytes, into: &text)
            encoding = .utf16(decoder)
            cut(text.span, into: &entries)
        case .unknown(var head):
            head.append(contentsOf: bytes)
            encoding = .unknown(head)
            guard head.count >= 2 else { return }
            let decoder = UTF16Decoder(mark: head[..<2])
            encoding = decoder.map(Encoding.utf16) ?? .bytes
            read(head.span.extracting((decoder == nil ? 0 : 2)...), into: &entries)
        }
    }

    mutating func finish(into entries: inout [QueueEntry]) {
        var text: [UInt8] = []
        switch encoding {
        case .unknown(let head): text = head
        case .bytes: break
        case .utf16(var decoder): decoder.finish(into: &text)
        }
        cut(text.span, into: &entries)
        end([UInt8]().span, into: &entries)
        lines.finish(into: &entries)
    }

    private mutating func cut(_ bytes: Span<UInt8>, into entries: inout [QueueEntry]) {
        var start = 0
        for index in bytes.indices where bytes[index] == 0x0A || bytes[index] == 0x0D {
            end(bytes.extracting(start..<index), into: &entries)
            start = index + 1
        }
        keep(bytes.extracting(start..<bytes.count))
    }

    private mutating func keep(_ bytes: Span<UInt8>) {
        isTooLong = isTooLong || rest.count + bytes.count > Self.limit
        guard !isTooLong else { return rest.removeAll() }
        rest.append(contentsOf: bytes)
    }

    /// Gives the line that ends with `bytes` to what makes entries of it.
    private mutating func end(_ bytes: Span<UInt8>, into entries: inout [QueueEntry]) {
        if rest.isEmpty && !isTooLong && !isFirst && bytes.count <= Self.limit {
            return lines.take(bytes, into: &entries)
        }
        keep(bytes)
        let line = rest
        let mark = isFirst && line.starts(with: byteOrderMark) ? byteOrderMark.count : 0
        rest.removeAll(keepingCapacity: true)
        (isFirst, isTooLong) = (false, false)
        lines.take(line.span.extracting(mark..<line.count), into: &entries)
    }
}

let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

extension [UInt8] {
    /// Adds the bytes of a span.
    mutating func append(contentsOf bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

extension Span<UInt8> {
    /// Where the bytes of `range` are without the spaces, tabs and line ends around them.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, Self.isSpace(self[start]) { start += 1 }
        while start < end, Self.isSpace(self[end - 1]) { end -= 1 }
        return start..<end
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Whether `text`, in upper-case ASCII, stands at `place`; small letters count as large ones.
    func has(_ text: StaticString, at place: Int) -> Bool {
        guard count - place >= text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { wanted in
            for index in 0..<wanted.count {
                let byte = self[place + index]
                let isSmall = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
                if unsafe (isSmall ? byte - 0x20 : byte) != wanted[index] { return false }
            }
            return true
        }
    }

    /// The bytes of `range`.
    func bytes(_ range: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(contentsOf: extracting(range))
        return bytes
    }

    /// The text of the bytes of `range`: UTF-8, or Windows-1252 where they are not UTF-8.
    func text(_ range: Range<Int>) -> String {
        if let text = try? UTF8Span(validating: extracting(range)) { return String(copying: text) }
        return Windows1252.text(bytes(range))
    }
}
