import UndersongPlayback

/// The tags of FLAC, Vorbis and Opus files (xiph.org/vorbis/doc/v-comment.html), by the names that
/// they give them. WAV and AIFF files have a few texts, which get the same names.
struct VorbisComments {
    /// The player's names of them.
    private static let names = [
        "TITLE": "title", "ARTIST": "artist", "ALBUM": "album", "TRACKNUMBER": "track",
        "DATE": "year", "YEAR": "year", "GENRE": "genre", "COMMENT": "comment",
        "DESCRIPTION": "comment", "ALBUMARTIST": "albumArtist", "ALBUM ARTIST": "albumArtist",
        "COMPOSER": "composer", "DISCNUMBER": "disc",
    ]
    /// The ID3v2 frames of the same meaning.
    private static let frames = [
        "TITLE": "TIT2", "ARTIST": "TPE1", "ALBUM": "TALB", "TRACKNUMBER": "TRCK",
        "DATE": "TDRC", "YEAR": "TDRC", "GENRE": "TCON", "COMMENT": "COMM",
        "DESCRIPTION": "COMM", "ALBUMARTIST": "TPE2", "ALBUM ARTIST": "TPE2",
        "COMPOSER": "TCOM", "DISCNUMBER": "TPOS", "ISRC": "TSRC", "COPYRIGHT": "TCOP",
        "PUBLISHER": "TPUB", "ORGANIZATION": "TPUB", "LABEL": "TPUB", "BPM": "TBPM",
        "LYRICIST": "TEXT", "CONDUCTOR": "TPE3", "SUBTITLE": "TIT3", "ENCODER": "TSSE",
        "ENCODED-BY": "TENC", "LANGUAGE": "TLAN",
    ]
    private static let pictureName = "METADATA_BLOCK_PICTURE"
    /// R128 gains refer to -23 LUFS, those of ReplayGain to -18 (RFC 7845, section 5.2.1).
    private static let loudnessDifference = 5.0

    /// Names in capitals, and their values, in the order of the file; a name may come more than once.
    private(set) var entries: [(name: String, value: String)] = []
    /// The program that made the file.
    private(set) var vendor: String?
    /// Pictures that stand among the comments.
    private(set) var pictures: [MediaTags.Picture] = []

    init() {}

    /// Parses what stands in `bytes`; of comments that are cut short, those that are whole.
    init(_ bytes: ArraySlice<UInt8>) {
        let vendor = Self.forEach(in: bytes) { name, value in
            add(name, String(decoding: value, as: UTF8.self))
        }
        self.vendor = vendor
    }

    /// Passes each comment in `bytes` that is whole to `body`. Returns the name of the program that made
    /// the file.
    @discardableResult
    static func forEach(
        in bytes: ArraySlice<UInt8>, _ body: (_ name: String, _ value: ArraySlice<UInt8>) -> Void
    ) -> String? {
        var reader = ByteReader(bytes, isLittleEndian: true)
        guard let length = reader.number(4), let bytes = reader.pop(length),
            let count = reader.number(4)
        else { return nil }
        let name = String(decoding: bytes, as: UTF8.self)
        let vendor = name.isEmpty ? nil : name
        for _ in 0..<count {
            guard let length = reader.number(4), let comment = reader.pop(length) else { break }
            guard let equals = comment.firstIndex(of: UInt8(ascii: "=")) else { continue }
            body(String(decoding: comment[..<equals], as: UTF8.self), comment[(equals + 1)...])
        }
        return vendor
    }

    mutating func add(_ name: String, _ value: String) {
        let name = name.uppercased()
        if name == Self.pictureName {
            if let block = bytes(ofBase64: value), let picture = picture(ofBlock: block[...]) {
                pictures.append(picture)
            }
        } else if !value.isEmpty {
            entries.append((name, value))
        }
    }

    /// The tags that are reported; several values of one name are listed.
    var text: [String: String] {
        var text: [String: String] = [:]
        for (key, value) in listed(by: Self.names) where text[key] == nil { text[key] = value }
        return text
    }

    var replayGain: ReplayGain {
        var gain = ReplayGain()
        for (name, value) in entries { gain.parse(name: name, value: value) }
        func loudness(_ name: String) -> Double? {
            guard let value = entries.first(where: { $0.name == name })?.value,
                let number = Int16(value.filter { !$0.isWhitespace })
            else { return nil }
            return Double(number) / 256 + Self.loudnessDifference
        }
        gain.complete(
            with: ReplayGain(
                trackGain: loudness("R128_TRACK_GAIN"), albumGain: loudness("R128_ALBUM_GAIN")))
        return gain
    }

    /// Adds everything to `tags`, by the names of ID3v2.
    func add(to tags: inout MediaTags) {
        for (frame, value) in listed(by: Self.frames) {
            tags.add(MediaTags.Text(name: frame, detail: "", text: value))
        }
        for (name, value) in entries where Self.frames[name] == nil {
            tags.add(MediaTags.Text(name: "TXXX", detail: name, text: value))
        }
        tags.pictures += pictures
    }

    /// The values of each name that `names` has, `A; B` where there are several.
    private func listed(by names: [String: String]) -> [(String, String)] {
        var known: Set<String> = []
        return entries.compactMap { name, _ in
            guard let key = names[name], known.insert(name).inserted else { return nil }
            let values = entries.filter { $0.name == name }.map(\.value)
            return (key, values.joined(separator: "; "))
        }
    }
}

/// The picture in a FLAC metadata block (RFC 9639, section 8.8); nil where the block is not whole.
func picture(ofBlock bytes: ArraySlice<UInt8>) -> MediaTags.Picture? {
    var reader = ByteReader(bytes, isLittleEndian: false)
    guard let kind = reader.number(4), let typeLength = reader.number(4),
        let type = reader.pop(typeLength), let detailLength = reader.number(4),
        let detail = reader.pop(detailLength), reader.pop(16) != nil,
        let length = reader.number(4), let data = reader.pop(length), !data.isEmpty
    else { return nil }
    return MediaTags.Picture(
        kind: kind, mediaType: String(decoding: type, as: UTF8.self),
        detail: String(decoding: detail, as: UTF8.self), data: Array(data))
}

/// Reads numbers and pieces one after the other, as far as there are bytes.
struct ByteReader {
    private var rest: ArraySlice<UInt8>
    private let isLittleEndian: Bool

    init(_ bytes: ArraySlice<UInt8>, isLittleEndian: Bool) {
        rest = bytes
        self.isLittleEndian = isLittleEndian
    }

    mutating func number(_ size: Int) -> Int? {
        guard let bytes = pop(size) else { return nil }
        return isLittleEndian
            ? bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
            : bytes.reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func pop(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}

/// The bytes of `text` in base64 (RFC 4648, section 4); nil where it is none.
private func bytes(ofBase64 text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (bits, count) = (0, 0)
    for character in text.utf8 where character != UInt8(ascii: "=") {
        let value: UInt8
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): value = character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): value = character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): value = 62
        case UInt8(ascii: "/"): value = 63
        default: return nil
        }
        bits = (bits << 6 | Int(value)) & 0xFFFF
        count += 6
        if count >= 8 {
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
    }
    return bytes
}
