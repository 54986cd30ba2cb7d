import UndersongBase
import UndersongLibrary
import UndersongPlayback

/// A song as MPD's answers describe it, and as its filters see it.
struct MPDSong: Hashable, Sendable {
    /// The name by which clients ask for it: a path relative to the music directory, an absolute path,
    /// or a URL.
    var uri: String
    /// The part of the file that it plays; nil for all of it.
    var part: TrackPart?
    /// The time of the file's last change, in seconds since 1970; nil if it is unknown.
    var modified: Double?
    var sound: TrackSound?
    var tags = TrackTags()
    /// The text of the tag `Name`, which only streams have.
    var name: String?
    /// The tags that clients have given to a stream.
    var given: [MPDTag: [String]] = [:]

    init(uri: String) { self.uri = uri }

    /// The song of a track of the library.
    init(_ track: Track, uri: String) {
        self.uri = uri
        part = track.part
        modified = track.modified
        sound = track.sound
        tags = track.tags
    }

    /// The texts of a tag, without its substitutes.
    func texts(of tag: MPDTag) -> [String] {
        (tag == .name ? [name].compactMap(\.self) : tags.texts(of: tag)) + (given[tag] ?? [])
    }

    /// The texts of a tag, or else those of the first of its substitutes that the song has.
    func textsOrSubstitutes(of tag: MPDTag) -> [String] {
        for tag in [tag] + tag.substitutes {
            let texts = texts(of: tag)
            if !texts.isEmpty { return texts }
        }
        return []
    }

    // MARK: Lines

    /// The names and values of its lines, in MPD's order, but for position and id in the queue.
    func lines(_ shown: Set<MPDTag> = Set(MPDTag.listed)) -> [(name: String, value: String)] {
        var lines = [("file", uri)]
        if let part {
            let end = part.end.map { MPDReply.decimal($0) } ?? ""
            lines.append(("Range", "\(MPDReply.decimal(part.start))-\(end)"))
        }
        if let modified {
            lines.append(("Last-Modified", CalendarDate(secondsSince1970: modified).mpdText))
        }
        if let format = sound?.mpdFormat { lines.append(("Format", format)) }
        for tag in MPDTag.listed where shown.contains(tag) {
            for text in texts(of: tag) { lines.append((tag.rawValue, text)) }
        }
        if let seconds = sound?.seconds {
            lines.append(("Time", String(MPDReply.whole(seconds))))
            lines.append(("duration", MPDReply.decimal(seconds)))
        }
        return lines
    }
}

extension TrackSound {
    /// The sound of what was not read yet, of which the length is known.
    init(seconds: Double) {
        self.init(seconds: seconds, SoundFormat(sampleRate: 0, channels: 0, encoding: ""))
    }

    /// The format as MPD writes it, `44100:16:2`: frames per second, bits per sample or `f`, channels.
    /// Nil if it is unknown.
    var mpdFormat: String? {
        format.sampleRate == 0
            ? nil : "\(format.sampleRate):\(bitsPerSample):\(format.channels)"
    }

    /// The bits of a sample as the encoding names them; `f` for others, which are decoded as
    /// floating-point numbers.
    var bitsPerSample: String {
        let words = format.encoding.split(separator: " ")
        guard words.count >= 2, words.last == "bit", let bits = Int(words[words.count - 2]) else {
            return "f"
        }
        return String(bits)
    }
}

extension CalendarDate {
    /// `2026-11-24T22:56:34Z`
    var mpdText: String {
        let whole = CalendarDate(secondsSince1970: secondsSince1970.rounded(.down))
        return whole.iso8601.prefix(19) + "Z"
    }
}

extension MPDReply {
    /// Adds the lines of a song, with those of its tags that are shown.
    mutating func add(_ song: MPDSong, _ shown: Set<MPDTag>) {
        for line in song.lines(shown) { add(name: line.name, line.value) }
    }

    /// Adds the time of a file's last change.
    mutating func add(modified time: Double) {
        add("Last-Modified", CalendarDate(secondsSince1970: time).mpdText)
    }
}
