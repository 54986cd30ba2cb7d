/// Names a metadata value together with its key space: `common/title`, `id3/TIT2`.
public struct AVMetadataIdentifier: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public let rawValue: String

    /// Makes an identifier of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes an identifier of that name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

// Identifiers of what live streams send.
extension AVMetadataIdentifier {
    /// The title of what is playing.
    public static let icyMetadataStreamTitle = AVMetadataIdentifier(rawValue: "icy/StreamTitle")
}

// Identifiers that are the same in every file format.
extension AVMetadataIdentifier {
    /// The title.
    public static let commonIdentifierTitle = AVMetadataIdentifier(rawValue: "common/title")
    /// The performer.
    public static let commonIdentifierArtist = AVMetadataIdentifier(rawValue: "common/artist")
    /// The album.
    public static let commonIdentifierAlbumName = AVMetadataIdentifier(rawValue: "common/albumName")
    /// The year or date of the recording.
    public static let commonIdentifierCreationDate = AVMetadataIdentifier(
        rawValue: "common/creationDate")
    /// The genre.
    public static let commonIdentifierType = AVMetadataIdentifier(rawValue: "common/type")
    /// The artwork.
    public static let commonIdentifierArtwork = AVMetadataIdentifier(rawValue: "common/artwork")
    /// The composer.
    public static let commonIdentifierCreator = AVMetadataIdentifier(rawValue: "common/creator")
    /// The publisher.
    public static let commonIdentifierPublisher = AVMetadataIdentifier(rawValue: "common/publisher")
    /// The copyright notice.
    public static let commonIdentifierCopyrights = AVMetadataIdentifier(
        rawValue: "common/copyrights")
    /// The language of the lyrics or speech.
    public static let commonIdentifierLanguage = AVMetadataIdentifier(rawValue: "common/language")
    /// The software that encoded the file.
    public static let commonIdentifierSoftware = AVMetadataIdentifier(rawValue: "common/software")
}

// Identifiers of ID3 tags.
extension AVMetadataIdentifier {
    /// The title.
    public static let id3MetadataTitleDescription = AVMetadataIdentifier(rawValue: "id3/TIT2")
    /// The subtitle.
    public static let id3MetadataSubTitle = AVMetadataIdentifier(rawValue: "id3/TIT3")
    /// The work that this is part of.
    public static let id3MetadataContentGroupDescription = AVMetadataIdentifier(
        rawValue: "id3/TIT1")
    /// The performer.
    public static let id3MetadataLeadPerformer = AVMetadataIdentifier(rawValue: "id3/TPE1")
    /// The album's artist.
    public static let id3MetadataBand = AVMetadataIdentifier(rawValue: "id3/TPE2")
    /// The conductor.
    public static let id3MetadataConductor = AVMetadataIdentifier(rawValue: "id3/TPE3")
    /// The album.
    public static let id3MetadataAlbumTitle = AVMetadataIdentifier(rawValue: "id3/TALB")
    /// The track number on the album, such as `3` or `3/12`.
    public static let id3MetadataTrackNumber = AVMetadataIdentifier(rawValue: "id3/TRCK")
    /// The number of the disc, such as `1/2`.
    public static let id3MetadataPartOfASet = AVMetadataIdentifier(rawValue: "id3/TPOS")
    /// The composer.
    public static let id3MetadataComposer = AVMetadataIdentifier(rawValue: "id3/TCOM")
    /// The lyricist.
    public static let id3MetadataLyricist = AVMetadataIdentifier(rawValue: "id3/TEXT")
    /// The genre.
    public static let id3MetadataContentType = AVMetadataIdentifier(rawValue: "id3/TCON")
    /// The year, in ID3v2.3 and older.
    public static let id3MetadataYear = AVMetadataIdentifier(rawValue: "id3/TYER")
    /// The date, in ID3v2.4.
    public static let id3MetadataRecordingTime = AVMetadataIdentifier(rawValue: "id3/TDRC")
    /// The copyright notice.
    public static let id3MetadataCopyright = AVMetadataIdentifier(rawValue: "id3/TCOP")
    /// The publisher.
    public static let id3MetadataPublisher = AVMetadataIdentifier(rawValue: "id3/TPUB")
    /// The language of the lyrics or speech.
    public static let id3MetadataLanguage = AVMetadataIdentifier(rawValue: "id3/TLAN")
    /// The tempo in beats per minute.
    public static let id3MetadataBeatsPerMinute = AVMetadataIdentifier(rawValue: "id3/TBPM")
    /// The person or organization that encoded the file.
    public static let id3MetadataEncodedBy = AVMetadataIdentifier(rawValue: "id3/TENC")
    /// The software that encoded the file.
    public static let id3MetadataEncodedWith = AVMetadataIdentifier(rawValue: "id3/TSSE")
    /// The ISRC.
    public static let id3MetadataInternationalStandardRecordingCode = AVMetadataIdentifier(
        rawValue: "id3/TSRC")
    /// A comment; the extra attribute `info` is its description.
    public static let id3MetadataComments = AVMetadataIdentifier(rawValue: "id3/COMM")
    /// A user-defined text; the extra attribute `info` is its name.
    public static let id3MetadataUserText = AVMetadataIdentifier(rawValue: "id3/TXXX")
    /// The lyrics.
    public static let id3MetadataUnsynchronizedLyric = AVMetadataIdentifier(rawValue: "id3/USLT")
    /// A picture.
    public static let id3MetadataAttachedPicture = AVMetadataIdentifier(rawValue: "id3/APIC")
}
