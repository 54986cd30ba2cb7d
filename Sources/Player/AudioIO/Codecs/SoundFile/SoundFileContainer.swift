import UndersongPlayback

/// The layout of a file: where its sound and metadata are. Read without libsndfile, which reports
/// few tags and does not support chains.
struct SoundFileContainer {
    enum Kind: Equatable {
        case flac
        case ogg
        case wav
        case aiff
        case caf
        /// Another one that libsndfile knows by its first bytes.
        case other
    }

    /// The bytes of comments to read for a description, and for all tags.
    static let descriptionLimit = 256 << 10
    static let tagLimit = 32 << 20

    let kind: Kind
    private let file: MediaFile
    private let size: Int
    /// The start after an ID3v2 tag, which some programs write before FLAC too.
    let start: Int

    /// Nil if `file` is a pipe or of none of the kinds.
    init?(_ file: MediaFile) {
        guard let size = file.size else { return nil }
        start = id3v2Length(file.head(10))
        guard let kind = Self.kind(file.head(64, at: start)) else { return nil }
        self.kind = kind
        self.file = file
        self.size = size
    }

    /// The kind of a file that begins with `head`.
    static func kind(_ head: [UInt8]) -> Kind? {
        signatures.first { signature in
            signature.parts.allSatisfy { part in
                head.count >= part.offset + part.bytes.count
                    && head[part.offset..<part.offset + part.bytes.count] == part.bytes[...]
            }
        }?.kind
    }

    /// The first bytes of files of each kind. Headers of less than four bytes prove nothing.
    private static let signatures: [Signature] = [
        Signature(.flac, "fLaC"), Signature(.ogg, "OggS"),
        Signature(.wav, "RIFF", at8: "WAVE"), Signature(.wav, "RF64", at8: "WAVE"),
        Signature(.aiff, "FORM", at8: "AIFF"), Signature(.aiff, "FORM", at8: "AIFC"),
        Signature(.caf, "caff"),
        // Wave64, the numbers of which are longer, and a WAV file of a machine with the other order.
        Signature(.other, Array("riff".utf8) + [0x2E, 0x91, 0xCF, 0x11]),
        Signature(.other, "RIFX", at8: "WAVE"),
        // AU, in both orders.
        Signature(.other, ".snd"), Signature(.other, "dns."),
        // Creative Voice, Amiga, NIST Sphere, PARIS, Portable Voice, Audio Visual Research, Psion,
        // and FastTracker.
        Signature(.other, "Creative Voice File"), Signature(.other, "FORM", at8: "8SVX"),
        Signature(.other, "FORM", at8: "16SV"), Signature(.other, "NIST_1A"),
        Signature(.other, " paf"), Signature(.other, "fap "), Signature(.other, "PVF1"),
        Signature(.other, "2BIT"), Signature(.other, "ALawSoundFile**"),
        Signature(.other, "Extended Instrument:"),
        // IRCAM, of four kinds of machines.
        Signature(.other, [0x64, 0xA3, 1, 0]), Signature(.other, [0x64, 0xA3, 2, 0]),
        Signature(.other, [0x64, 0xA3, 3, 0]), Signature(.other, [0x64, 0xA3, 4, 0]),
        Signature(.other, [0, 1, 0xA3, 0x64]), Signature(.other, [0, 2, 0xA3, 0x64]),
        Signature(.other, [0, 3, 0xA3, 0x64]), Signature(.other, [0, 4, 0xA3, 0x64]),
        // Matlab 4, in both orders, and 5.
        Signature(.other, [0, 0, 3, 0xE8, 0, 0, 0, 1, 0, 0, 0, 1]),
        Signature(.other, [0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]), Signature(.other, "MATLAB 5.0"),
    ]

    /// Bytes at the start of a file.
    private struct Signature {
        let kind: Kind
        let parts: [(offset: Int, bytes: [UInt8])]

        init(_ kind: Kind, _ bytes: [UInt8]) {
            self.kind = kind
            parts = [(0, bytes)]
        }

        init(_ kind: Kind, _ text: String, at8 form: String? = nil) {
            self.kind = kind
            parts = [(0, Array(text.utf8))] + (form.map { [(8, Array($0.utf8))] } ?? [])
        }
    }

    /// True if libsndfile, rather than this type, finds texts in it.
    var hasOtherTexts: Bool { kind != .flac && kind != .ogg }

    /// The consecutive streams in the file: one, unless it is a chain of Ogg streams.
    func links() -> [OggChain.Link] {
        kind == .ogg ? chain.links() : [OggChain.Link(range: start..<size)]
    }

    /// The coding of a CAF file, or of an Ogg file's first stream, if libsndfile cannot play it; nil
    /// if it can.
    func unplayedCoding() -> String? {
        if kind == .caf {
            // The format follows the rate in the chunk that comes first.
            let codings = [
                "aac ": "AAC", "ima4": "IMA ADPCM", ".mp1": "MPEG audio", ".mp2": "MPEG audio",
                ".mp3": "MP3", "ac-3": "AC-3", "opus": "Opus", "flac": "FLAC",
            ]
            let name = String(decoding: file.head(4, at: start + 28), as: UTF8.self)
            return codings[name].map { "\($0) in a CAF file" }
        }
        guard kind == .ogg else { return nil }
        let codings: [(magic: [UInt8], name: String)] = [
            (Array("Speex   ".utf8), "Speex audio"),
            (Array("\u{80}theora".unicodeScalars.map { UInt8($0.value) }), "Theora video"),
            (Array("fishead\0".utf8), "a Skeleton, which goes with video,"),
            (Array("BBCD".utf8), "Dirac video"), (Array("PCM     ".utf8), "PCM audio"),
        ]
        let packet = chain.packet(0, ofStreamAt: start, limit: 8)
        return codings.first { packet.starts(with: $0.magic) }.map { "\($0.name) in an Ogg file" }
    }

    /// The frames to skip at the start of the Opus stream in `link`; nil for other kinds.
    func preSkip(of link: OggChain.Link) -> Int? {
        guard kind == .ogg else { return nil }
        let head = chain.packet(0, ofStreamAt: link.range.lowerBound, limit: 12)
        guard head.count == 12, head.starts(with: "OpusHead".utf8) else { return nil }
        return Int(head[10]) | Int(head[11]) << 8
    }

    /// The comments; at most `limit` bytes of each piece of them are read. Other files than
    /// FLAC and Ogg have none here.
    func comments(limit: Int) -> VorbisComments {
        commentBytes(limit: limit).map { VorbisComments($0) } ?? VorbisComments()
    }

    /// The bytes of the comments, at most `limit`; nil if there are none.
    func commentBytes(limit: Int) -> ArraySlice<UInt8>? {
        switch kind {
        case .flac:
            guard let block = flacBlocks().first(where: { $0.kind == 4 }) else { return nil }
            return file.head(min(block.range.count, limit), at: block.range.lowerBound)[...]
        case .ogg:
            let packet = chain.packet(1, ofStreamAt: start, limit: limit)
            if packet.starts(with: "OpusTags".utf8) { return packet.dropFirst(8) }
            if packet.starts(with: [3] + Array("vorbis".utf8)) { return packet.dropFirst(7) }
            return oggFLACBlocks(limit: limit).first { $0.kind == 4 }?.bytes
        case .wav, .aiff, .caf, .other:
            return nil
        }
    }

    /// The pictures stored in blocks of their own.
    func pictures() -> [MediaTags.Picture] {
        if kind == .ogg {
            return oggFLACBlocks(limit: Self.tagLimit).filter { $0.kind == 6 }
                .compactMap { picture(ofBlock: $0.bytes) }
        }
        guard kind == .flac else { return [] }
        return flacBlocks().filter { $0.kind == 6 && $0.range.count <= Self.tagLimit }
            .compactMap { block in
                picture(ofBlock: file.head(block.range.count, at: block.range.lowerBound)[...])
            }
    }

    /// The contradictions between a WAV or AIFF file and its own header.
    func damage() -> [MediaDamage] {
        guard kind == .wav || kind == .aiff else { return [] }
        let head = file.head(12, at: start)
        // 64-bit sizes are stored elsewhere, and the largest number means an unknown size.
        guard head.count == 12, !head.starts(with: "RF64".utf8) else { return [] }
        var reader = ByteReader(head.dropFirst(4), isLittleEndian: kind == .wav)
        guard let announced = reader.number(4), announced < Int(UInt32.max) - 8,
            announced + 8 > size - start
        else { return [] }
        return [.missingBytes(expected: announced + 8, found: size - start)]
    }

    /// The metadata blocks of FLAC in an Ogg file.
    private func oggFLACBlocks(limit: Int) -> [(kind: Int, bytes: ArraySlice<UInt8>)] {
        let packet = chain.packet(0, ofStreamAt: start, limit: OggFLAC.magic.count)
        return packet == OggFLAC.magic ? OggFLAC.blocks(of: chain, at: start, limit: limit) : []
    }

    /// The streams of an Ogg file.
    var chain: OggChain { OggChain(file, from: start, size: size) }

    /// The most metadata blocks that are read.
    private static let mostBlocks = 4096

    /// The metadata blocks of a FLAC file: their types and where their contents are.
    func flacBlocks() -> [(kind: Int, range: Range<Int>)] {
        var blocks: [(kind: Int, range: Range<Int>)] = []
        var place = start + 4
        // Zeros are empty blocks without end.
        while blocks.count < Self.mostBlocks {
            let head = file.head(4, at: place)
            guard head.count == 4 else { return blocks }
            let length = Int(head[1]) << 16 | Int(head[2]) << 8 | Int(head[3])
            blocks.append((Int(head[0] & 0x7F), place + 4..<place + 4 + length))
            place += 4 + length
            if head[0] & 0x80 != 0 { return blocks }
        }
        return blocks
    }
}
