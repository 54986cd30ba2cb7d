import UndersongBase

/// Creates entries from the lines of an M3U or M3U8 playlist.
///
/// A line that is not a comment is a name. Comments before it may give its title (`#EXTINF`) and
/// where it starts and ends (`#EXTVLCOPT`, as written by VLC and others), and the exact values of
/// these, which only `M3UWriter` writes.
struct M3ULines: PlaylistLines {
    /// The prefixes of comments that only `M3UWriter` writes.
    enum Own {
        static let title: StaticString = "#UNDERSONG-TITLE:"
        static let start: StaticString = "#UNDERSONG-START:"
        static let end: StaticString = "#UNDERSONG-END:"
    }

    /// The comment that declares the playlist's character set.
    private static let encoding: StaticString = "#EXTENC:"

    private var names: PlaylistNames
    /// The comments about the name that follows.
    private var directives = Directives()

    private struct Directives {
        var isAnything = false
        var title: [UInt8]?
        var duration: CMTime?
        var ownTitle: String?
        var start: CMTime?
        var ownStart: CMTime?
        var end: CMTime?
        var ownEnd: CMTime?
    }

    /// Creates a reader for a playlist in `context`.
    init(_ context: PlaylistContext) { names = PlaylistNames(context) }

    mutating func parse(_ line: Span<UInt8>, into entries: inout [QueueEntry]) {
        let range = line.trimmed(line.indices)
        guard !range.isEmpty else { return }
        guard line[range.lowerBound] != UInt8(ascii: "#") else { return note(line, range) }
        if let path = names.path(line.extracting(range)) {
            entries.append(entry(path))
        }
        if directives.isAnything { directives = Directives() }
    }

    mutating func finish(into entries: inout [QueueEntry]) {}

    private func entry(_ path: FilePath) -> QueueEntry {
        guard directives.isAnything else { return QueueEntry(.file(path: path)) }
        var entry = QueueEntry(
            .file(path: path), start: directives.ownStart ?? directives.start ?? .zero,
            end: directives.ownEnd ?? directives.end,
            title: directives.ownTitle ?? directives.title.map(names.text))
        // For part of a file, it is unclear what the length refers to.
        if entry.start == .zero, entry.end == nil { entry.duration = directives.duration }
        return entry
    }

    /// Reads a comment.
    private mutating func note(_ line: Span<UInt8>, _ range: Range<Int>) {
        func value(after prefix: StaticString) -> Range<Int>? {
            let start = range.lowerBound
            guard line.has(prefix, at: start) else { return nil }
            return line.trimmed(start + prefix.utf8CodeUnitCount..<range.upperBound)
        }
        if let value = value(after: "#EXTINF:") {
            directives.title = Self.title(line, value)
            let length = value.first { line[$0] == UInt8(ascii: ",") || line[$0] == 0x20 }
            let text = line.text(value.lowerBound..<(length ?? value.upperBound))
            directives.duration = PlaylistTime.length(text)
        } else if let value = value(after: "#EXTVLCOPT:START-TIME=") {
            directives.start = PlaylistTime.time(line.text(value))
        } else if let value = value(after: "#EXTVLCOPT:STOP-TIME=") {
            directives.end = PlaylistTime.time(line.text(value))
        } else if let value = value(after: Own.start) {
            directives.ownStart = PlaylistTime.time(line.text(value))
        } else if let value = value(after: Own.end) {
            directives.ownEnd = PlaylistTime.time(line.text(value))
        } else if let value = value(after: Own.title) {
            directives.ownTitle = PercentCoding.text(line.extracting(value))
        } else if let value = value(after: Self.encoding) {
            names.characterSet = line.text(value)
            return
        } else {
            return
        }
        directives.isAnything = true
    }

    /// The title in `12 key="a, b",Title`: the text after the first comma outside quotes.
    private static func title(_ line: Span<UInt8>, _ range: Range<Int>) -> [UInt8]? {
        var isQuoted = false
        for index in range {
            if line[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
            guard line[index] == UInt8(ascii: ","), !isQuoted else { continue }
            let title = line.trimmed(index + 1..<range.upperBound)
            return title.isEmpty ? nil : line.bytes(title)
        }
        return nil
    }
}
