package import UndersongBase
package import UndersongPlayback

/// The available codecs, and the choice between them for a file: by its content, or by its name if
/// the content is inconclusive.
package struct DecoderRegistry: Sendable {
    /// The codecs for all supported formats.
    package static let standard = DecoderRegistry(
        codecs: [SoundFileCodec()], searching: MPEGCodec())

    private let codecs: [any AudioCodec]
    /// The codec for files that neither content nor name identifies, and for pipes.
    private let searching: any AudioCodec

    /// Creates a registry. If several of `codecs` recognize a file, the first one gets it. Those
    /// before `searching` recognize files by a signature; that one searches any file for audio.
    init(codecs: [any AudioCodec], searching: any AudioCodec) {
        self.codecs = codecs + [searching]
        self.searching = searching
    }

    /// The extensions of playable files, in lower case and without the dot.
    package var fileExtensions: [String] { codecs.flatMap(\.fileExtensions) }

    /// True if a file of that name may have samples of more than 16 bits.
    func mayBeWide(_ path: FilePath) -> Bool { codec(named: path).mayBeWide }

    /// Opens `source`. Blocks on the disk for some milliseconds, and on the network for as long as
    /// `access` lets it.
    /// - Throws: An error if it cannot be opened, or there is nothing playable in it.
    package func decoder(
        for source: MediaSource, _ access: NetworkAccess? = nil
    ) throws(MediaError) -> any AudioDecoder {
        try decoder(for: MediaFile(source, access))
    }

    /// A decoder for an open file.
    /// - Throws: An error if there is nothing playable in it.
    func decoder(for file: MediaFile) throws(MediaError) -> any AudioDecoder {
        try codec(for: file).decoder(for: file)
    }

    /// All tags of `source`. Blocks on the disk for some milliseconds.
    /// - Throws: An error if it cannot be opened, or its format is not supported.
    package func tags(
        of source: MediaSource, _ access: NetworkAccess? = nil
    ) throws(MediaError) -> MediaTags {
        let file = try MediaFile(source, access)
        var tags = try codec(for: file).tags(of: file)
        tags.lyrics = TaggedLyrics { file.head($1, at: $0) }
        return tags
    }

    /// The sound and tags of the file at `path`, for a library: from its first and last bytes if they
    /// suffice, without decoding. Blocks on the disk.
    /// - Throws: An error if it cannot be opened, or there is nothing playable in it.
    package func survey(of path: FilePath) throws(MediaError) -> MediaSurvey {
        let file = try MediaFile(.file(path: path))
        guard let size = file.size else {
            throw MediaError(.notAFile, operation: "read \(path)", reason: "It is not a file")
        }
        file.keep(MediaSurvey.firstBytes, at: 0)
        if size > MediaSurvey.firstBytes {
            file.keep(MediaSurvey.lastBytes, at: size - MediaSurvey.lastBytes)
        }
        do throws(MediaError) {
            return try codec(for: file).survey(file)
        } catch {
            // A disk that fails is not a file without music.
            throw file.readError() ?? error
        }
    }

    /// The codec for `file`.
    /// - Throws: An error if its format is not supported.
    func codec(for file: MediaFile) throws(MediaError) -> any AudioCodec {
        let head = file.signature
        if let error = file.network?.failure { throw error }
        if let codec = codecs.first(where: { $0.recognizes(head) }) { return codec }
        if let name = unplayedFormat(head, of: file) {
            throw MediaError(
                .unsupportedFormat, operation: "play \(file.path)",
                reason: "It is \(name)")
        }
        return file.network != nil && file.size == nil ? searching : codec(named: file.path)
    }

    private func codec(named path: FilePath) -> any AudioCodec {
        let name = NetworkName.isOne(path) ? FilePath(NetworkName.path(path.description)) : path
        let fileExtension = name.fileExtension
        return codecs.first { $0.fileExtensions.contains(fileExtension) } ?? searching
    }
}
