/// Creates entries from the lines of a playlist.
protocol PlaylistLines {
    /// Reads a line without its end, and adds the entries that it completes.
    mutating func parse(_ line: Span<UInt8>, into entries: inout [QueueEntry])

    /// Adds entries that are complete once there are no more lines.
    mutating func finish(into entries: inout [QueueEntry])
}

/// Splits a playlist that arrives in pieces into lines, which end with LF, CR or both. A byte order
/// mark is dropped, and so is an overlong line. After a UTF-16 mark the playlist is decoded.
struct LineReader<Lines: PlaylistLines>: PlaylistReader {
    /// The playlist's encoding.
    private enum Encoding {
        /// These are the bytes so far, too few to decide.
        case unknown([UInt8])
        /// ASCII, or an encoding that contains it.
        case bytes
        case utf16(UTF16Decoder)
    }

    /// The maximum length of a line in bytes.
    private static var limit: Int { 1 << 16 }

    private(set) var lines: Lines
    private var encoding = Encoding.unknown([])
    /// The start of a line whose end has not arrived yet.
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

    /// Passes on the line that ends with `bytes`.
    private mutating func end(_ bytes: Span<UInt8>, into entries: inout [QueueEntry]) {
        if rest.isEmpty && !isTooLong && !isFirst && bytes.count <= Self.limit {
            return lines.parse(bytes, into: &entries)
        }
        keep(bytes)
        let line = rest
        let mark = isFirst && line.starts(with: byteOrderMark) ? byteOrderMark.count : 0
        rest.removeAll(keepingCapacity: true)
        (isFirst, isTooLong) = (false, false)
        lines.parse(line.span.extracting(mark..<line.count), into: &entries)
    }
}

let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
