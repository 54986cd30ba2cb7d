/// What makes entries of the lines of a playlist.
protocol PlaylistLines {
    /// Takes a line without its end, and adds the entries that are complete with it.
    mutating func take(_ line: Span<UInt8>, into entries: inout [QueueEntry])

    /// Adds what is complete only now that there are no more lines.
    mutating func finish(into entries: inout [QueueEntry])
}

/// Cuts a playlist that comes in pieces into lines, which end with LF, CR or both. A byte order mark
/// is left out, and so is a line that is too long to be one.
struct LineReader<Lines: PlaylistLines>: PlaylistReader {
    /// So many bytes has the longest line.
    private static var limit: Int { 1 << 16 }

    private var lines: Lines
    /// The beginning of the line whose end has not come yet.
    private var rest: [UInt8] = []
    private var isTooLong = false
    private var isFirst = true

    init(_ lines: Lines) { self.lines = lines }

    mutating func read(_ bytes: Span<UInt8>, into entries: inout [QueueEntry]) {
        var start = 0
        for index in bytes.indices where bytes[index] == 0x0A || bytes[index] == 0x0D {
            end(bytes.extracting(start..<index), into: &entries)
            start = index + 1
        }
        keep(bytes.extracting(start..<bytes.count))
    }

    mutating func finish(into entries: inout [QueueEntry]) {
        end([UInt8]().span, into: &entries)
        lines.finish(into: &entries)
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

    /// The text of the bytes of `range`: UTF-8, or Latin-1 where they are no UTF-8, as old playlists
    /// have it.
    func text(_ range: Range<Int>) -> String {
        let bytes = extracting(range)
        if let text = try? UTF8Span(validating: bytes) { return String(copying: text) }
        var scalars = String.UnicodeScalarView()
        for index in bytes.indices { scalars.append(Unicode.Scalar(bytes[index])) }
        return String(scalars)
    }
}
