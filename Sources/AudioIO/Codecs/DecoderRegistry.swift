package import Playback

/// The codecs there are, and which of them a file belongs to: by its content, and by its name where
/// the content does not say.
package struct DecoderRegistry: Sendable {
    /// Every format that is played.
    package static let standard = DecoderRegistry(
        codecs: [SoundFileCodec()], searching: MPEGCodec())

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

    /// Whether a file of that name may have samples that need more than 16 bits.
    func mayBeWide(_ path: FilePath) -> Bool { codec(named: path).mayBeWide }

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
        if let name = unplayedFormat(head, of: file) {
            throw MediaError(
                .unsupportedFormat, operation: "play \(file.path)",
                reason: "It is \(name), which cannot be played")
        }
        return codec(named: file.path)
    }

    private func codec(named path: FilePath) -> any AudioCodec {
        let fileExtension = path.fileExtension
        return codecs.first { $0.fileExtensions.contains(fileExtension) } ?? searching
    }
}
