import UndersongBase
package import UndersongPlayback

/// The words of a song.
package struct Lyrics: Codable, Hashable, Sendable {
    package struct Line: Codable, Hashable, Sendable {
        /// When it is sung, on the item's timeline in seconds; nil if unknown.
        package var seconds: Double?
        /// The text; empty for a pause.
        package var text: String

        package init(seconds: Double? = nil, _ text: String) {
            self.seconds = seconds
            self.text = text
        }
    }

    /// The kind of place where they were found.
    package enum Source: String, Codable, Sendable { case lrcFile, synchronizedTag, tag }

    /// The lines, in order of time if they have one. Either all of them have a time or none.
    package var lines: [Line]
    package var source: Source

    package init(lines: [Line], source: Source) {
        self.lines = lines
        self.source = source
    }
}

extension Lyrics {
    /// The maximum size of an LRC file, in bytes.
    package static let fileLimit = 1 << 20
    /// The maximum number of lines, and of their bytes together. What is beyond is left out.
    private static let limits = (lines: 5000, bytes: 1 << 18)

    /// True if the lines have times.
    package var areTimed: Bool { lines.first?.seconds != nil }

    /// Parses an LRC file in UTF-8, UTF-16 or Windows-1252; nil if it has no words.
    package init?(lrcFile bytes: [UInt8]) {
        self.init(LRCText(Self.text(bytes)).lines, .lrcFile)
    }

    /// Creates the words that a file's tags have: those with times if there are any; nil if there are
    /// none. `texts` are the words without times or in the form of an LRC file, the best first.
    package init?(_ tagged: TaggedLyrics, texts: [String]) {
        if let found = Lyrics(Self.lines(tagged.pieces), .synchronizedTag) {
            self = found
            return
        }
        let found = (texts + [tagged.text].compactMap(\.self)).compactMap { text in
            let lines = LRCText(text).lines
            return Lyrics(lines, lines.first?.seconds == nil ? .tag : .synchronizedTag)
        }
        guard let best = found.first(where: \.areTimed) ?? found.first else { return nil }
        self = best
    }

    /// Nil if no line has text.
    private init?(_ lines: [Line], _ source: Source) {
        var rest = Self.limits.bytes
        let permitted = lines.prefix(Self.limits.lines).prefix { line in
            rest -= line.text.utf8.count
            return rest >= 0
        }
        guard let end = permitted.lastIndex(where: { !$0.text.isEmpty }) else { return nil }
        self.init(lines: Array(permitted[...end].drop { $0.text.isEmpty }), source: source)
    }

    /// The lines that are sung from `start` to before `end`, and all if they have no times; nil if
    /// there are none.
    package func part(from start: Double, to end: Double?) -> Lyrics? {
        guard areTimed else { return self }
        let sung = lines.filter { line in
            guard let seconds = line.seconds else { return false }
            return seconds >= start && end.map { seconds < $0 } != false
        }
        return Lyrics(sung, source)
    }

    private static func text(_ bytes: [UInt8]) -> String {
        for (mark, isBigEndian) in [([0xFE, 0xFF], true), ([0xFF, 0xFE], false)]
            as [([UInt8], Bool)]
        where bytes.starts(with: mark) {
            let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
                let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
                return isBigEndian ? first << 8 | second : second << 8 | first
            }
            return String(decoding: units, as: UTF16.self)
        }
        let body = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        return String(validating: body, as: UTF8.self) ?? Windows1252.text(Array(body))
    }

    /// Joins syllables to lines. Line ends are at the beginning or the end of pieces; without any, each
    /// piece is a line.
    private static func lines(_ pieces: [TaggedLyrics.Piece]) -> [Line] {
        let areLines = !pieces.contains { $0.text.contains(where: \.isNewline) }
        var lines: [Line] = []
        var isOpen = false
        for piece in pieces {
            let parts = piece.text.split(
                omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            for (index, part) in parts.enumerated() {
                if index > 0 { isOpen = false }
                // A line end begins no line by itself.
                if part.isEmpty && parts.count > 1 { continue }
                if isOpen, !areLines {
                    lines[lines.count - 1].text += part
                } else {
                    lines.append(Line(seconds: piece.seconds, String(part)))
                    isOpen = !part.isEmpty
                }
            }
        }
        return lines.map { Line(seconds: $0.seconds, plain($0.text[...])) }.inOrder
    }

    /// A text without control characters and outer spaces.
    fileprivate static func plain(_ text: Substring) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where scalar.properties.generalCategory != .control {
            scalars.append(scalar)
        }
        let trimmed = String(scalars).drop(while: \.isWhitespace)
        let end = trimmed.lastIndex { !$0.isWhitespace }
        return end.map { String(trimmed[...$0]) } ?? ""
    }
}

extension [Lyrics.Line] {
    /// The lines by time; those of one time stay in their order.
    fileprivate var inOrder: [Lyrics.Line] {
        enumerated().sorted { first, second in
            (first.element.seconds ?? 0, first.offset)
                < (second.element.seconds ?? 0, second.offset)
        }.map(\.element)
    }
}

/// A text in the LRC format: lines that begin with the times at which they are sung, as in
/// `[00:12.00][01:15.00]Words`. Also a text without times.
private struct LRCText {
    /// The names of what is said about the song, as in `[ti:Title]`.
    private static let names: Set<Substring> = [
        "al", "album", "ar", "artist", "au", "author", "by", "hash", "id", "la", "length", "lr",
        "qq",
        "re", "sign", "ti", "title", "tool", "total", "ve",
    ]

    /// The most lines: one without a time is repeated for each time of the line before it.
    private static let mostLines = 100_000
    /// More characters than the time of a word has.
    private static let longestTime = 16

    /// The lines, in order of time if they have one.
    private(set) var lines: [Lyrics.Line] = []
    /// The milliseconds by which all of them are sung earlier.
    private var offset = 0

    init(_ text: String) {
        var times: [Int] = []
        var rows: [(times: [Int], text: String)] = []
        for row in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            var rest = row.drop(while: \.isWhitespace)
            var found: [Int] = []
            var isAbout = false
            while rest.first == "[", let end = rest.firstIndex(of: "]") {
                let content = rest[rest.index(after: rest.startIndex)..<end]
                if let time = Self.milliseconds(content) {
                    found.append(time)
                } else if found.isEmpty, parseName(content) {
                    isAbout = true
                } else {
                    break
                }
                rest = rest[rest.index(after: end)...].drop(while: \.isWhitespace)
            }
            let text = Lyrics.plain(Self.withoutWordTimes(rest))
            if isAbout && text.isEmpty && found.isEmpty { continue }
            if !found.isEmpty { times = found }
            rows.append((found, text))
        }
        guard !times.isEmpty else {
            lines = rows.map { Lyrics.Line($0.text) }
            return
        }
        // A line without a time continues the one before it.
        times = [0]
        for row in rows where !(row.times.isEmpty && row.text.isEmpty) {
            if !row.times.isEmpty { times = row.times }
            let room = Self.mostLines - lines.count
            guard room > 0 else { break }
            for time in times.prefix(room) {
                lines.append(Lyrics.Line(seconds: Double(max(0, time - offset)) / 1000, row.text))
            }
        }
        lines = lines.inOrder
    }

    /// Parses what is between brackets and not a time. Returns false for a part of the words, as
    /// `[Chorus]` is.
    private mutating func parseName(_ content: Substring) -> Bool {
        guard let colon = content.firstIndex(of: ":") else { return false }
        let name = Substring(content[..<colon].lowercased())
        guard name == "offset" else { return Self.names.contains(name) }
        let number = content[content.index(after: colon)...].filter { !$0.isWhitespace }
        // Longer than any song, and short enough to calculate with.
        if let value = Int(number), value.magnitude < 1 << 40 { offset = value }
        return true
    }

    /// The words without the times of single ones, as in `<00:12.00>One <00:12.50>two`.
    private static func withoutWordTimes(_ text: Substring) -> Substring {
        var result = ""
        var rest = text
        while let start = rest.firstIndex(of: "<") {
            let after = rest.index(after: start)
            guard let end = rest[after...].prefix(Self.longestTime).firstIndex(of: ">") else {
                result += rest[...start]
                rest = rest[after...]
                continue
            }
            let next = rest.index(after: end)
            if milliseconds(rest[after..<end]) != nil {
                result += rest[..<start]
                rest =
                    result.isEmpty || result.last?.isWhitespace == true
                    ? rest[next...].drop(while: \.isWhitespace) : rest[next...]
            } else {
                result += rest[...start]
                rest = rest[after...]
            }
        }
        return result + rest
    }

    /// A time: `mm:ss`, `mm:ss.x` to `mm:ss.xxx`, `mm:ss:xx`, and `h:mm:ss.xx`.
    private static func milliseconds(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard 2...3 ~= parts.count, let first = number(parts[0], digits: 1...4) else { return nil }
        let last = parts[parts.count - 1].split(
            omittingEmptySubsequences: false, whereSeparator: { $0 == "." || $0 == "," })
        guard last.count <= 2, let end = number(last[0], digits: 1...2) else { return nil }
        let fraction = last.count == 2 ? thousandths(last[1]) : 0
        guard let fraction else { return nil }
        if parts.count == 2 { return (first * 60 + end) * 1000 + fraction }
        guard let middle = number(parts[1], digits: 1...2) else { return nil }
        if last.count == 2 { return ((first * 60 + middle) * 60 + end) * 1000 + fraction }
        return thousandths(last[0]).map { (first * 60 + middle) * 1000 + $0 }
    }

    private static func thousandths(_ digits: Substring) -> Int? {
        guard let number = number(digits, digits: 1...3) else { return nil }
        return [100, 10, 1][digits.utf8.count - 1] * number
    }

    private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
        guard digits ~= text.utf8.count, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            return nil
        }
        return Int(text)
    }
}
