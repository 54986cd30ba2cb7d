import Playback

/// What the player knows of one family of file formats: how to recognize, open and examine its files.
/// One folder beside this file, and one line in `DecoderRegistry.standard`.
///
/// Any thread may call it. Each call that takes a file may block on the disk, and moves the place at
/// which the file is read.
protocol AudioCodec: Sendable {
    /// The extensions that its files have, in lower case and without the point, the usual one first.
    var fileExtensions: [String] { get }

    /// Whether some of its files have samples that need more than 16 bits.
    var mayBeWide: Bool { get }

    /// Whether a file is of this family. `head` is its first 64 bytes, or fewer where it is shorter,
    /// after an ID3v2 tag; none of a pipe.
    func recognizes(_ head: [UInt8]) -> Bool

    /// Makes a decoder, which reads `file` from its start.
    /// Errors: reading failed, or it holds nothing that can be played.
    func decoder(for file: MediaFile) throws(MediaError) -> any AudioDecoder

    /// Everything that the tags of `file` say; nothing where there are none.
    /// Errors: the codec cannot begin.
    func tags(of file: MediaFile) throws(MediaError) -> MediaTags

    /// How `file` is built, found without decoding it; nil for a pipe, and where nothing is known.
    /// Reads all of it. Errors: the codec cannot begin.
    func structure(of file: MediaFile) throws(MediaError) -> FileStructure?
}
