/// Names something that metadata tell, together with where they tell it: `common/title`, `id3/TIT2`.
public struct AVMetadataIdentifier: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public let rawValue: String

    /// Makes an identifier of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes an identifier of that name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

// What is told whatever the format of the file.
extension AVMetadataIdentifier {
    /// The title.
    public static let commonIdentifierTitle = AVMetadataIdentifier(rawValue: "common/title")
    /// Who performs it.
    public static let commonIdentifierArtist = AVMetadataIdentifier(rawValue: "common/artist")
    /// The album.
    public static let commonIdentifierAlbumName = AVMetadataIdentifier(rawValue: "common/albumName")
    /// The year or date of the recording.
    public static let commonIdentifierCreationDate = AVMetadataIdentifier(
        rawValue: "common/creationDate")
    /// The genre.
    public static let commonIdentifierType = AVMetadataIdentifier(rawValue: "common/type")
    /// A picture.
    public static let commonIdentifierArtwork = AVMetadataIdentifier(rawValue: "common/artwork")
    /// The composer.
    public static let commonIdentifierCreator = AVMetadataIdentifier(rawValue: "common/creator")
    /// The publisher.
    public static let commonIdentifierPublisher = AVMetadataIdentifier(rawValue: "common/publisher")
    /// Who holds the rights.
    public static let commonIdentifierCopyrights = AVMetadataIdentifier(
        rawValue: "common/copyrights")
    /// The language of what is sung or said.
    public static let commonIdentifierLanguage = AVMetadataIdentifier(rawValue: "common/language")
    /// What has coded the file.
    public static let commonIdentifierSoftware = AVMetadataIdentifier(rawValue: "common/software")
}

// What ID3 tags tell.
extension AVMetadataIdentifier {
    /// The title.
    public static let id3MetadataTitleDescription = AVMetadataIdentifier(rawValue: "id3/TIT2")
    /// The title's second line.
    public static let id3MetadataSubTitle = AVMetadataIdentifier(rawValue: "id3/TIT3")
    /// The work that it is a part of.
    public static let id3MetadataContentGroupDescription = AVMetadataIdentifier(
        rawValue: "id3/TIT1")
    /// Who performs it.
    public static let id3MetadataLeadPerformer = AVMetadataIdentifier(rawValue: "id3/TPE1")
    /// The album's artist.
    public static let id3MetadataBand = AVMetadataIdentifier(rawValue: "id3/TPE2")
    /// The conductor.
    public static let id3MetadataConductor = AVMetadataIdentifier(rawValue: "id3/TPE3")
    /// The album.
    public static let id3MetadataAlbumTitle = AVMetadataIdentifier(rawValue: "id3/TALB")
    /// The place on the album, such as `3` or `3/12`.
    public static let id3MetadataTrackNumber = AVMetadataIdentifier(rawValue: "id3/TRCK")
    /// The disc of the album, such as `1/2`.
    public static let id3MetadataPartOfASet = AVMetadataIdentifier(rawValue: "id3/TPOS")
    /// The composer.
    public static let id3MetadataComposer = AVMetadataIdentifier(rawValue: "id3/TCOM")
    /// Who wrote the words.
    public static let id3MetadataLyricist = AVMetadataIdentifier(rawValue: "id3/TEXT")
    /// The genre.
    public static let id3MetadataContentType = AVMetadataIdentifier(rawValue: "id3/TCON")
    /// The year, in ID3v2.3 and older.
    public static let id3MetadataYear = AVMetadataIdentifier(rawValue: "id3/TYER")
    /// The date, in ID3v2.4.
    public static let id3MetadataRecordingTime = AVMetadataIdentifier(rawValue: "id3/TDRC")
    /// Who holds the rights.
    public static let id3MetadataCopyright = AVMetadataIdentifier(rawValue: "id3/TCOP")
    /// The publisher.
    public static let id3MetadataPublisher = AVMetadataIdentifier(rawValue: "id3/TPUB")
    /// The language of what is sung or said.
    public static let id3MetadataLanguage = AVMetadataIdentifier(rawValue: "id3/TLAN")
    /// The tempo.
    public static let id3MetadataBeatsPerMinute = AVMetadataIdentifier(rawValue: "id3/TBPM")
    /// Who has coded the file.
    public static let id3MetadataEncodedBy = AVMetadataIdentifier(rawValue: "id3/TENC")
    /// What has coded the file.
    public static let id3MetadataEncodedWith = AVMetadataIdentifier(rawValue: "id3/TSSE")
    /// The ISRC.
    public static let id3MetadataInternationalStandardRecordingCode = AVMetadataIdentifier(
        rawValue: "id3/TSRC")
    /// A comment; the extra attribute `info` says of what kind.
    public static let id3MetadataComments = AVMetadataIdentifier(rawValue: "id3/COMM")
    /// A text under a name of its own, the extra attribute `info`.
    public static let id3MetadataUserText = AVMetadataIdentifier(rawValue: "id3/TXXX")
    /// The words.
    public static let id3MetadataUnsynchronizedLyric = AVMetadataIdentifier(rawValue: "id3/USLT")
    /// A picture.
    public static let id3MetadataAttachedPicture = AVMetadataIdentifier(rawValue: "id3/APIC")
}
