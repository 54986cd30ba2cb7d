package import Playback

/// The codecs there are, and which of them a file belongs to: by its content, and by its name where
/// the content does not say.
package struct DecoderRegistry: Sendable {
    /// Every format that is played.
    package static let standard = DecoderRegistry(codecs: [], searching: MPEGCodec())

    private let codecs: [any AudioCodec]
    /// What is asked where neither the content nor the name says anything, and for a pipe.
    private let searching: any AudioCodec

    /// Makes a registry. Where two of `codecs` recognize a file, it is the first one's. Those before
    /// `searching` know their files by a mark in them; that one searches any file for music.
    init(codecs: [any AudioCodec], searching: any AudioCodec) {
        self.codecs = codecs + [searching]
        self.searching = searching
    }

    /// The extensions of files that can be played, in lower case and without the point.
    package var fileExtensions: [String] { codecs.flatMap(\.fileExtensions) }

    /// Opens `source`. Blocks on the disk for some milliseconds.
    /// Errors: it cannot be opened, or holds nothing that can be played.
    package func decoder(for source: MediaSource) throws(MediaError) -> any AudioDecoder {
        let file = try MediaFile(source)
        return try codec(for: file).decoder(for: file)
    }

    /// Everything that the tags of `source` say. Blocks on the disk for some milliseconds.
    /// Errors: it cannot be opened, or is of a format that is not played.
    package func tags(of source: MediaSource) throws(MediaError) -> MediaTags {
        let file = try MediaFile(source)
        return try codec(for: file).tags(of: file)
    }

    /// The codec that `file` belongs to. Errors: it is of a format that is not played.
    func codec(for file: MediaFile) throws(MediaError) -> any AudioCodec {
        let head = file.head(64, at: id3v2Length(file.head(10)))
        if let codec = codecs.first(where: { $0.recognizes(head) }) { return codec }
        if let name = unplayedFormat(head) {
            throw MediaError(
                .notMPEGAudio, operation: "play \(file.path)",
                reason: "It is \(name), not MPEG audio")
        }
        let fileExtension = file.path.fileExtension
        return codecs.first { $0.fileExtensions.contains(fileExtension) } ?? searching
    }
}

/// What the first bytes of a file say that it is, with its article, where no codec knows them.
private func unplayedFormat(_ head: [UInt8]) -> String? {
    let formats: [(magic: String, name: String)] = [
        ("fLaC", "FLAC audio"), ("OggS", "an Ogg stream"), ("FORM", "AIFF audio"),
        ("MThd", "a MIDI file"), ("%PDF", "a PDF document"), ("PK\u{3}\u{4}", "a ZIP archive"),
        ("GIF8", "a GIF image"), ("\u{7F}ELF", "a program"), ("caff", "CAF audio"),
    ]
    if head.count >= 8, head[4..<8].elementsEqual("ftyp".utf8) { return "an MP4 file" }
    if head.starts(with: [0x89] + Array("PNG".utf8)) { return "a PNG image" }
    if head.starts(with: "RIFF".utf8), head.count >= 12, head[8..<12].elementsEqual("WAVE".utf8) {
        return "WAV audio"
    }
    return formats.first { head.starts(with: $0.magic.utf8) }?.name
}
