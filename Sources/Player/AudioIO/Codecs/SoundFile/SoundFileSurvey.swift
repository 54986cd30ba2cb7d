import UndersongLibrary
import UndersongPlayback

/// The sound and tags of a FLAC, Vorbis or Opus file from its first and last bytes.
struct SoundFileSurvey {
    /// The most bytes of comments that are read; pictures may be among them.
    private static let commentLimit = 16 << 20
    /// A stream that begins later than this, in seconds, was cut out of a longer one.
    private static let latestStart = 30

    private let file: MediaFile
    private let container: SoundFileContainer
    private let size: Int

    init(_ file: MediaFile, _ container: SoundFileContainer, size: Int) {
        self.file = file
        self.container = container
        self.size = size
    }

    /// The comments and pictures.
    var fields: TagFields {
        var fields = TagFields()
        let bytes = container.commentBytes(limit: Self.commentLimit) ?? []
        var loudness = ReplayGain()
        VorbisComments.forEach(in: bytes) { name, value in
            switch name.uppercased() {
            case "METADATA_BLOCK_PICTURE", "COVERART": fields.hasPicture = true
            case "R128_TRACK_GAIN", "R128_ALBUM_GAIN":
                var comments = VorbisComments()
                comments.add(name, String(decoding: value, as: UTF8.self))
                loudness.complete(with: comments.replayGain)
            default: fields.addComment(name, String(decoding: value, as: UTF8.self))
            }
        }
        fields.gain.complete(with: loudness)
        if container.kind == .flac, container.flacBlocks().contains(where: { $0.kind == 6 }) {
            fields.hasPicture = true
        }
        return fields
    }

    /// The sound; nil if it has to be looked for.
    var sound: TrackSound? {
        switch container.kind {
        case .flac: flac
        case .ogg: ogg
        case .wav, .aiff, .caf, .other: nil
        }
    }

    /// The sound of FLAC by its first metadata block (RFC 9639, section 8.2).
    private var flac: TrackSound? {
        let blocks = container.flacBlocks()
        guard let first = blocks.first, first.kind == 0, first.range.count >= 18,
            let last = blocks.last
        else { return nil }
        let bytes = file.head(8, at: first.range.lowerBound + 10)
        guard bytes.count == 8 else { return nil }
        let word = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let (rate, bits) = (Int(word >> 44), Int(word >> 36 & 31) + 1)
        let count = Int(word & 0xF_FFFF_FFFF)
        let channels = Int(word >> 41 & 7) + 1
        guard [8, 16, 24].contains(bits), count > 0, StreamFormat.sampleRates ~= rate,
            channels <= StreamFormat.channelLimit, last.range.upperBound < size
        else { return nil }
        var sound = TrackSound(
            seconds: Double(count) / Double(rate),
            SoundFormat(sampleRate: rate, channels: channels, encoding: "FLAC \(bits) bit"))
        sound.setBitRate(ofBytes: size - last.range.upperBound)
        return sound
    }

    /// The sound of Vorbis or Opus by the head of its stream, and the position on its last page.
    private var ogg: TrackSound? {
        let chain = container.chain
        let head = chain.packet(0, ofStreamAt: container.start, limit: 30)
        var reader = ByteReader(head[...], isLittleEndian: true)
        let (encoding, rate, channels, skipped): (String, Int, Int, Int)
        if head.starts(with: [1] + Array("vorbis".utf8)) {
            guard reader.pop(11) != nil, let count = reader.number(1), let number = reader.number(4)
            else { return nil }
            (encoding, rate, channels, skipped) = ("Ogg Vorbis", number, count, 0)
        } else if head.starts(with: "OpusHead".utf8) {
            guard reader.pop(9) != nil, let count = reader.number(1), let skip = reader.number(2),
                let original = reader.number(4), original == 0 || original > 24_000
            else { return nil }
            (encoding, rate, channels, skipped) = ("Ogg Opus", 48_000, count, skip)
        } else {
            return nil
        }
        guard let first = chain.page(at: container.start), let last = chain.lastPage(),
            last.serial == first.serial, last.isLast, let granule = last.granule,
            StreamFormat.sampleRates ~= rate, 1...StreamFormat.channelLimit ~= channels,
            beginsEarly(first, rate)
        else { return nil }
        var sound = TrackSound(
            seconds: Double(max(0, granule - skipped)) / Double(rate),
            SoundFormat(sampleRate: rate, channels: channels, encoding: encoding))
        sound.setBitRate(ofBytes: size - container.start)
        return sound
    }

    /// True if the first sound of a stream is that of its beginning.
    private func beginsEarly(_ first: OggPage, _ rate: Int) -> Bool {
        var offset = first.end
        while let page = container.chain.page(at: offset) {
            if let granule = page.granule, granule > 0 { return granule <= Self.latestStart * rate }
            offset = page.end
        }
        return false
    }
}
