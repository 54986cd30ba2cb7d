import UndersongBase
package import UndersongPlayback

/// The fields of a file's tags, in their order, from which `TrackTags` is made.
///
/// ID3v2 frames and Vorbis comments are translated into the same fields. A field that comes again adds
/// its texts; in fields with one text, the first one counts.
package struct TagFields: Hashable, Sendable {
    /// The characters of a text, and the texts of a field, that are kept: tags may be of any size.
    private static let (textLimit, countLimit) = (4096, 64)

    /// A property of a track that tags give. The names of `other` are those of MPD's tags.
    enum Key: Hashable, Sendable {
        case title, titleSort, artist, artistSort, albumArtist, albumArtistSort, album, albumSort
        case disc, number, genre, composer, compilation
        /// Dates: the first of these that a tag has counts, for the release and the first release.
        case date, releaseDate, year, dayAndMonth, originalDate, originalYear
        case other(String)
    }

    private var texts: [Key: [String]] = [:]
    /// True if the file contains a picture.
    package var hasPicture = false
    /// The gain that the tags or the encoder give.
    package var gain = ReplayGain()
    /// The CUE sheet that the tags contain.
    package private(set) var cueSheet: String?

    package init() {}

    /// Adds the texts of an ID3v2 frame with a name of four letters; `detail` is the description in
    /// `TXXX` and `COMM`, and the owner in `UFID`.
    package mutating func addFrame(_ name: String, detail: String = "", _ values: [String]) {
        switch name {
        case "APIC": hasPicture = true
        case "TXXX":
            for value in values { addComment(detail, value) }
        case "COMM":
            if detail.isEmpty { add(.other("Comment"), values) }
        case "UFID":
            if detail == "http://musicbrainz.org" { add(.other("MUSICBRAINZ_TRACKID"), values) }
        case "TCON": add(.genre, values.flatMap(Self.genres))
        case "TMCL": add(.other("Performer"), Self.performers(values))
        default:
            if let key = Self.frames[name] { add(key, values) }
        }
    }

    /// Adds a Vorbis comment, a text of APEv2 or a `TXXX` frame, whose names are the same but for
    /// capitals and spaces.
    package mutating func addComment(_ name: String, _ value: String) {
        let name = name.uppercased()
        switch name {
        case "METADATA_BLOCK_PICTURE", "COVERART": hasPicture = true
        case "CUESHEET": cueSheet = cueSheet ?? value
        default:
            gain.parse(name: name, value: value)
            if let key = Self.comments[name] { add(key, [value]) }
        }
    }

    /// Adds the fields of an ID3v1 tag, of 128 bytes.
    package mutating func addID3v1(_ tag: [UInt8]) {
        guard tag.count == 128 else { return }
        func text(_ range: Range<Int>) -> [String] {
            [Windows1252.text(Array(tag[range].prefix { $0 != 0 }))]
        }
        add(.title, text(3..<33))
        add(.artist, text(33..<63))
        add(.album, text(63..<93))
        add(.year, text(93..<97))
        add(.other("Comment"), text(97..<127))
        // Version 1.1 has the number of the track in what was the end of the comment.
        if tag[125] == 0, tag[126] > 0 { add(.number, ["\(tag[126])"]) }
        if let genre = Self.genre(ofCode: "\(tag[127])") { add(.genre, [genre]) }
    }

    /// Adds the fields of `other` that are not known yet, as those of ID3v1 after ID3v2.
    package mutating func complete(with other: TagFields) {
        texts.merge(other.texts) { known, _ in known }
        gain.complete(with: other.gain)
        hasPicture = hasPicture || other.hasPicture
        cueSheet = cueSheet ?? other.cueSheet
    }

    private mutating func add(_ key: Key, _ values: [String]) {
        for value in values {
            guard let text = Self.trimmed(value), texts[key, default: []].count < Self.countLimit
            else { continue }
            if !texts[key, default: []].contains(text) { texts[key, default: []].append(text) }
        }
    }

    /// `text` without space around it, control characters, and what is too long; nil if nothing is left.
    static func trimmed(_ text: String) -> String? {
        var text = text
        if text.utf8.count > textLimit {
            text = String(String.UnicodeScalarView(text.unicodeScalars.prefix(textLimit)))
        }
        if text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
            let scalars = text.unicodeScalars.map { scalar in
                scalar.value < 0x20 || scalar.value == 0x7F ? " " : scalar
            }
            text = String(String.UnicodeScalarView(scalars))
        }
        let start = text.drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return nil }
        return String(start[...last])
    }
}

// MARK: - The tags of a track

extension TagFields {
    /// The tags that the fields amount to.
    package var tags: TrackTags {
        var tags = TrackTags()
        (tags.title, tags.titleSort) = (first(.title), first(.titleSort))
        (tags.artists, tags.artistSort) = (all(.artist), first(.artistSort))
        (tags.albumArtists, tags.albumArtistSort) = (all(.albumArtist), first(.albumArtistSort))
        (tags.album, tags.albumSort) = (first(.album), first(.albumSort))
        (tags.disc, tags.number) = (number(.disc), number(.number))
        tags.date = date([.date, .releaseDate, .year], withDayAndMonth: true)
        tags.originalDate = date([.originalDate, .originalYear], withDayAndMonth: false)
        (tags.genres, tags.composers) = (all(.genre), all(.composer))
        tags.isCompilation = isCompilation
        tags.hasCover = hasPicture
        tags.gain = gain.isEmpty ? nil : gain
        for case (.other(let name), let values) in texts { tags.others[name] = values }
        return tags
    }

    private func all(_ key: Key) -> [String] { texts[key] ?? [] }

    private func first(_ key: Key) -> String? { texts[key]?.first }

    /// The number in `3`, `03/12`; nil if it does not begin with one, or is 0.
    private func number(_ key: Key) -> Int? {
        let digits = (first(key) ?? "").prefix { ("0"..."9").contains($0) }
        return Int(digits).flatMap { 1...99_999 ~= $0 ? $0 : nil }
    }

    private var isCompilation: Bool {
        let flag = first(.compilation)?.lowercased()
        return ["1", "true", "yes"].contains(flag)
            || all(.albumArtist).contains { $0.lowercased() == "various artists" }
            || texts[.other("MUSICBRAINZ_ALBUMARTISTID")] == [Self.variousArtists]
    }

    /// MusicBrainz's identifier of "Various Artists".
    private static let variousArtists = "89ad4ac3-39f7-470e-963a-56509c546377"

    private func date(_ keys: [Key], withDayAndMonth: Bool) -> String? {
        let dates = keys.compactMap { key in first(key).flatMap(Self.date) }
        guard let date = dates.first else { return nil }
        // ID3v2.3 has day and month apart, as DDMM.
        guard withDayAndMonth, date.utf8.count == 4, let text = first(.dayAndMonth),
            text.utf8.count == 4, let number = Int(text), 1...31 ~= number / 100,
            1...12 ~= number % 100
        else { return date }
        return "\(date)-\(text.suffix(2))-\(text.prefix(2))"
    }

    /// The date in `1995`, `1995-06`, `1995-06-13T10:00`, `19950613`, `1995/6/13`, and the year in any
    /// text that has one; nil if there is none.
    static func date(_ text: String) -> String? {
        let numbers = text.split(omittingEmptySubsequences: true) { !("0"..."9").contains($0) }
        guard let first = numbers.first(where: { $0.count == 4 || $0.count == 8 }),
            let year = Int(first.prefix(4)), year >= 1000
        else { return nil }
        var rest: [Substring] = []
        if first.count == 8 {
            rest = [first.dropFirst(4).prefix(2), first.suffix(2)]
        } else if first.startIndex == text.startIndex {
            // A time of the day follows after a letter or a space.
            let date = text.prefix { !$0.isLetter && $0 != " " }
            rest = date.split { !("0"..."9").contains($0) }.dropFirst().map { $0 }
        }
        guard let month = rest.first.flatMap({ Int($0) }), 1...12 ~= month else { return "\(year)" }
        let start = "\(year)-\(twoDigits(month))"
        guard rest.count > 1, let day = Int(rest[1]), 1...31 ~= day else { return start }
        return "\(start)-\(twoDigits(day))"
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    /// Pairs of an instrument and a person, as MPD shows them: `Ann (piano)`.
    private static func performers(_ values: [String]) -> [String] {
        stride(from: 0, to: values.count - 1, by: 2).map { index in
            let (role, name) = (values[index], values[index + 1])
            return role.isEmpty || name.isEmpty ? name : "\(name) (\(role))"
        }
    }

    /// The genres in a `TCON` frame: a name, a number of ID3v1, or numbers in parentheses, which a name
    /// may follow that refines the last.
    static func genres(_ text: String) -> [String] {
        var genres: [String] = []
        var rest = text[...]
        while rest.first == "(", rest.dropFirst().first != "(",
            let end = rest.firstIndex(of: ")"),
            let genre = genre(ofCode: rest[rest.index(after: rest.startIndex)..<end])
        {
            genres.append(genre)
            rest = rest[rest.index(after: end)...]
        }
        if rest.hasPrefix("((") { rest = rest.dropFirst() }
        guard !rest.isEmpty else { return genres }
        return genres.isEmpty
            ? [genre(ofCode: rest) ?? String(rest)] : genres.dropLast() + [String(rest)]
    }

    /// The genre that a number of ID3v1, or the code of ID3v2 for a remix or a cover, stands for.
    static func genre(ofCode code: Substring) -> String? {
        switch code {
        case "RX": return "Remix"
        case "CR": return "Cover"
        default:
            guard !code.isEmpty, code.allSatisfy({ ("0"..."9").contains($0) }),
                let number = Int(code),
                number < ID3Genre.names.count
            else { return nil }
            return ID3Genre.names[number]
        }
    }
}

// MARK: - Names

extension TagFields {
    private static let frames: [String: Key] = [
        "TIT2": .title, "TSOT": .titleSort, "TPE1": .artist, "TSOP": .artistSort,
        "TPE2": .albumArtist, "TSO2": .albumArtistSort, "TALB": .album, "TSOA": .albumSort,
        "TPOS": .disc, "TRCK": .number, "TCOM": .composer, "TCMP": .compilation,
        "TDRC": .date, "TDRL": .releaseDate, "TYER": .year, "TDAT": .dayAndMonth,
        "TDOR": .originalDate, "TORY": .originalYear, "TSOC": .other("ComposerSort"),
        "TPE3": .other("Conductor"), "TIT1": .other("Grouping"), "GRP1": .other("Grouping"),
        "TPUB": .other("Label"), "TMOO": .other("Mood"), "MVNM": .other("Movement"),
        "MVIN": .other("MovementNumber"),
    ]

    private static let comments: [String: Key] = [
        "TITLE": .title, "TITLESORT": .titleSort, "ARTIST": .artist, "ARTISTSORT": .artistSort,
        "ALBUMARTIST": .albumArtist, "ALBUM ARTIST": .albumArtist,
        "ALBUMARTISTSORT": .albumArtistSort, "ALBUM": .album, "ALBUMSORT": .albumSort,
        "DISCNUMBER": .disc, "DISC": .disc, "TRACKNUMBER": .number, "TRACK": .number,
        "GENRE": .genre, "COMPOSER": .composer, "COMPILATION": .compilation,
        // As FFmpeg writes it, in a TXXX frame.
        "TCMP": .compilation,
        "DATE": .date, "RELEASEDATE": .releaseDate, "YEAR": .year,
        "ORIGINALDATE": .originalDate, "ORIGINALYEAR": .originalYear,
        "COMPOSERSORT": .other("ComposerSort"), "PERFORMER": .other("Performer"),
        "CONDUCTOR": .other("Conductor"), "ENSEMBLE": .other("Ensemble"), "WORK": .other("Work"),
        "MOVEMENTNAME": .other("Movement"), "MOVEMENT": .other("MovementNumber"),
        "LOCATION": .other("Location"), "GROUPING": .other("Grouping"), "MOOD": .other("Mood"),
        "LABEL": .other("Label"), "ORGANIZATION": .other("Label"), "PUBLISHER": .other("Label"),
        "COMMENT": .other("Comment"), "DESCRIPTION": .other("Comment"),
        "MUSICBRAINZ_ARTISTID": .other("MUSICBRAINZ_ARTISTID"),
        "MUSICBRAINZ_ALBUMID": .other("MUSICBRAINZ_ALBUMID"),
        "MUSICBRAINZ_ALBUMARTISTID": .other("MUSICBRAINZ_ALBUMARTISTID"),
        "MUSICBRAINZ_TRACKID": .other("MUSICBRAINZ_TRACKID"),
        "MUSICBRAINZ_RELEASETRACKID": .other("MUSICBRAINZ_RELEASETRACKID"),
        "MUSICBRAINZ_RELEASEGROUPID": .other("MUSICBRAINZ_RELEASEGROUPID"),
        "MUSICBRAINZ_WORKID": .other("MUSICBRAINZ_WORKID"),
        // As Picard names them in TXXX frames.
        "MUSICBRAINZ ARTIST ID": .other("MUSICBRAINZ_ARTISTID"),
        "MUSICBRAINZ ALBUM ID": .other("MUSICBRAINZ_ALBUMID"),
        "MUSICBRAINZ ALBUM ARTIST ID": .other("MUSICBRAINZ_ALBUMARTISTID"),
        "MUSICBRAINZ TRACK ID": .other("MUSICBRAINZ_TRACKID"),
        "MUSICBRAINZ RELEASE TRACK ID": .other("MUSICBRAINZ_RELEASETRACKID"),
        "MUSICBRAINZ RELEASE GROUP ID": .other("MUSICBRAINZ_RELEASEGROUPID"),
        "MUSICBRAINZ WORK ID": .other("MUSICBRAINZ_WORKID"),
    ]
}
