import UndersongPlayback

/// Support for one family of file formats: how to recognize, open and examine its files. Each is a
/// folder beside this file and one line in `DecoderRegistry.standard`.
///
/// Any thread may call it. Every method that takes a file may block on the disk, and moves the
/// file's read position.
protocol AudioCodec: Sendable {
    /// The extensions of its files, in lower case and without the dot, the usual one first.
    var fileExtensions: [String] { get }

    /// True if some of its files have samples of more than 16 bits.
    var mayBeWide: Bool { get }

    /// True if a file belongs to this family. `head` is the first 64 bytes after an ID3v2 tag,
    /// fewer if the file is shorter, and empty for a pipe.
    func recognizes(_ head: [UInt8]) -> Bool

    /// Creates a decoder, which reads `file` from its start.
    /// - Throws: An error if reading failed, or there is nothing playable in it.
    func decoder(for file: MediaFile) throws(MediaError) -> any AudioDecoder

    /// All tags of `file`; empty if it has none.
    /// - Throws: An error if the codec cannot start.
    func tags(of file: MediaFile) throws(MediaError) -> MediaTags

    /// The sound and tags of a regular file, from as few bytes as possible.
    /// - Throws: An error if there is nothing playable in it.
    func survey(_ file: MediaFile) throws(MediaError) -> MediaSurvey

    /// The structure of `file`, found without decoding it; nil for a pipe and if nothing is known.
    /// Reads all of it.
    /// - Throws: An error if the codec cannot start.
    func structure(of file: MediaFile) throws(MediaError) -> FileStructure?
}
