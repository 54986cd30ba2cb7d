package import UndersongBase

/// A CUE sheet: an album, and the parts of files that are its tracks.
package struct CueSheet: Hashable, Sendable {
    /// The most bytes of a sheet that are read.
    package static let limit = 1 << 20

    /// The texts about all of the album; empty for none.
    package struct Album: Hashable, Sendable {
        package var title = ""
        package var performer = ""
        package var genre = ""
        package var date = ""
        package var disc = ""
        package var gain = ReplayGain()
    }

    /// A track: from its INDEX 01 to that of the next one in the same file.
    package struct Track: Hashable, Sendable {
        package var path: FilePath
        package var number: Int?
        package var start: CMTime
        package var end: CMTime?
        /// Empty for none, as the others.
        package var title = ""
        package var performer = ""
        package var songwriter = ""
        package var gain = ReplayGain()
    }

    package let album: Album
    package let tracks: [Track]

    /// Parses the bytes of a sheet in `context`.
    package init(_ bytes: [UInt8], _ context: PlaylistContext) {
        var reader = LineReader(Lines(tracks: CueTracks(context)))
        var nothing: [QueueEntry] = []
        reader.read(bytes.span, into: &nothing)
        reader.finish(into: &nothing)
        (album, tracks) = (reader.lines.tracks.album, reader.lines.found)
    }

    /// Collects the tracks in place of entries.
    private struct Lines: PlaylistLines {
        var tracks: CueTracks
        var found: [Track] = []

        mutating func parse(_ line: Span<UInt8>, into entries: inout [QueueEntry]) {
            tracks.parse(line, into: &found)
        }

        mutating func finish(into entries: inout [QueueEntry]) { tracks.finish(into: &found) }
    }
}

/// Reads the audio tracks of a CUE sheet line by line.
struct CueTracks {
    /// The track being read.
    private struct Reading {
        var isSound: Bool
        var number: Int?
        var title: [UInt8] = []
        var performer: [UInt8] = []
        var songwriter: [UInt8] = []
        var gain = ReplayGain()
        var path: FilePath?
        var start: CMTime?
    }

    private var names: PlaylistNames
    /// The texts about the album, by the names of the commands.
    private var texts: [String: [UInt8]] = [:]
    private var gain = ReplayGain()
    private var path: FilePath?
    private var track: Reading?
    /// The track whose end is not known yet.
    private var last: CueSheet.Track?

    /// Creates a reader for a sheet in `context`.
    init(_ context: PlaylistContext) { names = PlaylistNames(context) }

    /// The album, as far as the lines so far describe it.
    var album: CueSheet.Album {
        func text(_ name: String) -> String { names.text(texts[name] ?? []) }
        return CueSheet.Album(
            title: text("TITLE"), performer: text("PERFORMER"), genre: text("GENRE"),
            date: text("DATE"), disc: text("DISCNUMBER"), gain: gain)
    }

    /// Parses a line, and adds the track that it completes.
    mutating func parse(_ line: Span<UInt8>, into tracks: inout [CueSheet.Track]) {
        let range = line.trimmed(line.indices)
        func value(after word: StaticString, from start: Int) -> Range<Int>? {
            let end = start + word.utf8CodeUnitCount
            guard line.has(word, at: start), end < range.upperBound,
                line[end] == 0x20 || line[end] == 0x09
            else { return nil }
            return line.trimmed(end..<range.upperBound)
        }
        func value(after word: StaticString) -> Range<Int>? {
            value(after: word, from: range.lowerBound)
        }
        if let value = value(after: "FILE") {
            path = names.path(line.extracting(Self.fileName(line, value)))
        } else if let value = value(after: "TRACK") {
            endTrack()
            let words = Self.words(line, value)
            track = Reading(
                isSound: words.dropFirst().first == "AUDIO", number: words.first.flatMap { Int($0) }
            )
        } else if let value = value(after: "TITLE") {
            let text = line.bytes(Self.unquoted(line, value))
            if track == nil { texts["TITLE"] = text } else { track?.title = text }
        } else if let value = value(after: "PERFORMER") {
            let name = line.bytes(Self.unquoted(line, value))
            if track == nil { texts["PERFORMER"] = name } else { track?.performer = name }
        } else if let value = value(after: "SONGWRITER") {
            track?.songwriter = line.bytes(Self.unquoted(line, value))
        } else if let value = value(after: "INDEX") {
            begin(Self.words(line, value), into: &tracks)
        } else if let remark = value(after: "REM") {
            parseRemark(line, remark)
        }
    }

    /// Adds the last track.
    mutating func finish(into tracks: inout [CueSheet.Track]) {
        endTrack()
        if let last { tracks.append(last) }
        last = nil
    }

    /// Parses `GENRE "Rock"` and the like.
    private mutating func parseRemark(_ line: Span<UInt8>, _ range: Range<Int>) {
        guard let space = range.first(where: { line[$0] == 0x20 || line[$0] == 0x09 }) else {
            return
        }
        let name = line.text(range.lowerBound..<space).uppercased()
        let value = line.bytes(Self.unquoted(line, line.trimmed(space..<range.upperBound)))
        switch name {
        case "GENRE", "DATE", "DISCNUMBER": if track == nil { texts[name] = value }
        default:
            let text = String(decoding: value, as: UTF8.self)
            if track == nil {
                gain.parse(name: name, value: text)
            } else {
                track?.gain.parse(name: name, value: text)
            }
        }
    }

    /// Parses `01 12:34:56`, where a track begins and the previous one ends.
    private mutating func begin(_ words: [Substring], into tracks: inout [CueSheet.Track]) {
        guard track != nil, track?.start == nil, words.count == 2, Int(words[0]) == 1,
            let path, let time = Self.time(words[1])
        else { return }
        track?.start = time
        track?.path = path
        guard var ended = last else { return }
        if ended.path == path, time > ended.start { ended.end = time }
        tracks.append(ended)
        last = nil
    }

    private mutating func endTrack() {
        guard let track else { return }
        self.track = nil
        guard track.isSound, let path = track.path, let start = track.start else { return }
        let performer = track.performer.isEmpty ? texts["PERFORMER"] ?? [] : track.performer
        last = CueSheet.Track(
            path: path, number: track.number, start: start, title: names.text(track.title),
            performer: names.text(performer), songwriter: names.text(track.songwriter),
            gain: track.gain)
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
