import UndersongBase

/// Creates entries from the lines of a CUE sheet: one for each audio track, from its INDEX 01 to
/// that of the next track in the same file.
struct CueLines: PlaylistLines {
    /// The track being read.
    private struct Track {
        var isSound: Bool
        var title: [UInt8] = []
        var performer: [UInt8] = []
        var path: FilePath?
        var start: CMTime?
    }

    private var names: PlaylistNames
    private var performer: [UInt8] = []
    private var path: FilePath?
    private var track: Track?
    /// The entry whose end is not known yet.
    private var last: QueueEntry?

    /// Creates a reader for a sheet in `context`.
    init(_ context: PlaylistContext) { names = PlaylistNames(context) }

    mutating func parse(_ line: Span<UInt8>, into entries: inout [QueueEntry]) {
        let range = line.trimmed(line.indices)
        func value(after word: StaticString) -> Range<Int>? {
            let end = range.lowerBound + word.utf8CodeUnitCount
            guard line.has(word, at: range.lowerBound), end < range.upperBound,
                line[end] == 0x20 || line[end] == 0x09
            else { return nil }
            return line.trimmed(end..<range.upperBound)
        }
        if let value = value(after: "FILE") {
            path = names.path(line.extracting(Self.fileName(line, value)))
        } else if let value = value(after: "TRACK") {
            endTrack()
            track = Track(isSound: Self.words(line, value).dropFirst().first == "AUDIO")
        } else if let value = value(after: "TITLE") {
            track?.title = line.bytes(Self.unquoted(line, value))
        } else if let value = value(after: "PERFORMER") {
            let name = line.bytes(Self.unquoted(line, value))
            if track == nil { performer = name } else { track?.performer = name }
        } else if let value = value(after: "INDEX") {
            begin(Self.words(line, value), into: &entries)
        }
    }

    mutating func finish(into entries: inout [QueueEntry]) {
        endTrack()
        if let last { entries.append(last) }
        last = nil
    }

    /// Parses `01 12:34:56`, where a track begins and the previous one ends.
    private mutating func begin(_ words: [Substring], into entries: inout [QueueEntry]) {
        guard track != nil, track?.start == nil, words.count == 2, Int(words[0]) == 1,
            let path, let time = Self.time(words[1])
        else { return }
        track?.start = time
        track?.path = path
        guard var entry = last else { return }
        if entry.source == .file(path: path), time > entry.start { entry.end = time }
        entries.append(entry)
        last = nil
    }

    private mutating func endTrack() {
        guard let track else { return }
        self.track = nil
        guard track.isSound, let path = track.path, let start = track.start else { return }
        last = QueueEntry(
            .file(path: path), start: start,
            title: PlaylistTitle.title(
                names.text(track.title),
                by: names.text(track.performer.isEmpty ? performer : track.performer)))
    }

    /// Parses minutes, seconds and frames, of which a second has 75.
    private static func time(_ text: Substring) -> CMTime? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { UInt32($0) }
        guard parts.count == 3, let minutes = parts[0], let seconds = parts[1], seconds < 60,
            let frames = parts[2], frames < 75
        else { return nil }
        let count = (Int64(minutes) * 60 + Int64(seconds)) * 75 + Int64(frames)
        return CMTime(value: count, timescale: 75)
    }

    private static func words(_ line: Span<UInt8>, _ range: Range<Int>) -> [Substring] {
        line.text(range).uppercased().split { $0 == " " || $0 == "\t" }
    }

    /// The name in `"a name.wav" WAVE`, quoted or not.
    private static func fileName(_ line: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        if line.hasQuote(at: range.first) { return unquoted(line, range) }
        let space = range.last { line[$0] == 0x20 || line[$0] == 0x09 }
        return line.trimmed(range.lowerBound..<(space ?? range.upperBound))
    }

    /// The text between the first and the last quote, or all of it if there are none.
    private static func unquoted(_ line: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        guard line.hasQuote(at: range.first) else { return range }
        let start = range.lowerBound + 1
        let end = (start..<range.upperBound).last { line.hasQuote(at: $0) }
        return start..<(end ?? range.upperBound)
    }
}

extension Span<UInt8> {
    fileprivate func hasQuote(at index: Int?) -> Bool {
        index.map { self[$0] == UInt8(ascii: "\"") } ?? false
    }
}
