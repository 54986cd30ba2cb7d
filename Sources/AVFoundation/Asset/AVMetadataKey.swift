/// Names something that metadata tell, within a key space: `title`, `TIT2`.
public struct AVMetadataKey: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public let rawValue: String

    /// Makes a key of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes a key of that name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// Where keys are from.
public struct AVMetadataKeySpace: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public let rawValue: String

    /// Makes a key space of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The keys that are the same in every format.
    public static let common = AVMetadataKeySpace(rawValue: "comn")
    /// The names of ID3's frames.
    public static let id3 = AVMetadataKeySpace(rawValue: "org.id3")
}

/// A kind of tags.
public struct AVMetadataFormat: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public let rawValue: String

    /// Makes a format of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// ID3 tags.
    public static let id3Metadata = AVMetadataFormat(rawValue: "org.id3")
}

/// Names something that is told beside a value.
public struct AVMetadataExtraAttributeKey: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public let rawValue: String

    /// Makes a key of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// What the tag says of the value: a comment's kind, the name of a user's text.
    public static let info = AVMetadataExtraAttributeKey(rawValue: "info")
}

// The keys that are the same in every format.
extension AVMetadataKey {
    /// The title.
    public static let commonKeyTitle = AVMetadataKey(rawValue: "title")
    /// Who performs it.
    public static let commonKeyArtist = AVMetadataKey(rawValue: "artist")
    /// The album.
    public static let commonKeyAlbumName = AVMetadataKey(rawValue: "albumName")
    /// The year or date of the recording.
    public static let commonKeyCreationDate = AVMetadataKey(rawValue: "creationDate")
    /// The genre.
    public static let commonKeyType = AVMetadataKey(rawValue: "type")
    /// A picture.
    public static let commonKeyArtwork = AVMetadataKey(rawValue: "artwork")
    /// The composer.
    public static let commonKeyCreator = AVMetadataKey(rawValue: "creator")
    /// The publisher.
    public static let commonKeyPublisher = AVMetadataKey(rawValue: "publisher")
    /// Who holds the rights.
    public static let commonKeyCopyrights = AVMetadataKey(rawValue: "copyrights")
    /// The language of what is sung or said.
    public static let commonKeyLanguage = AVMetadataKey(rawValue: "language")
    /// What has coded the file.
    public static let commonKeySoftware = AVMetadataKey(rawValue: "software")
    /// In no ID3 tag.
    public static let commonKeyAuthor = AVMetadataKey(rawValue: "author")
    /// In no ID3 tag.
    public static let commonKeyContributor = AVMetadataKey(rawValue: "contributor")
    /// In no ID3 tag.
    public static let commonKeyDescription = AVMetadataKey(rawValue: "description")
    /// In no ID3 tag.
    public static let commonKeySubject = AVMetadataKey(rawValue: "subject")
    /// In no ID3 tag.
    public static let commonKeyFormat = AVMetadataKey(rawValue: "format")
    /// In no ID3 tag.
    public static let commonKeyIdentifier = AVMetadataKey(rawValue: "identifier")
    /// In no ID3 tag.
    public static let commonKeySource = AVMetadataKey(rawValue: "source")
    /// In no ID3 tag.
    public static let commonKeyRelation = AVMetadataKey(rawValue: "relation")
    /// In no ID3 tag.
    public static let commonKeyLocation = AVMetadataKey(rawValue: "location")
}

// The names of ID3's frames.
extension AVMetadataKey {
    /// The title.
    public static let id3MetadataKeyTitleDescription = AVMetadataKey(rawValue: "TIT2")
    /// The title's second line.
    public static let id3MetadataKeySubTitle = AVMetadataKey(rawValue: "TIT3")
    /// The work that it is a part of.
    public static let id3MetadataKeyContentGroupDescription = AVMetadataKey(rawValue: "TIT1")
    /// Who performs it.
    public static let id3MetadataKeyLeadPerformer = AVMetadataKey(rawValue: "TPE1")
    /// The album's artist.
    public static let id3MetadataKeyBand = AVMetadataKey(rawValue: "TPE2")
    /// The conductor.
    public static let id3MetadataKeyConductor = AVMetadataKey(rawValue: "TPE3")
    /// The album.
    public static let id3MetadataKeyAlbumTitle = AVMetadataKey(rawValue: "TALB")
    /// The place on the album, such as `3` or `3/12`.
    public static let id3MetadataKeyTrackNumber = AVMetadataKey(rawValue: "TRCK")
    /// The disc of the album, such as `1/2`.
    public static let id3MetadataKeyPartOfASet = AVMetadataKey(rawValue: "TPOS")
    /// The composer.
    public static let id3MetadataKeyComposer = AVMetadataKey(rawValue: "TCOM")
    /// Who wrote the words.
    public static let id3MetadataKeyLyricist = AVMetadataKey(rawValue: "TEXT")
    /// The genre.
    public static let id3MetadataKeyContentType = AVMetadataKey(rawValue: "TCON")
    /// The year, in ID3v2.3 and older.
    public static let id3MetadataKeyYear = AVMetadataKey(rawValue: "TYER")
    /// The date, in ID3v2.4.
    public static let id3MetadataKeyRecordingTime = AVMetadataKey(rawValue: "TDRC")
    /// Who holds the rights.
    public static let id3MetadataKeyCopyright = AVMetadataKey(rawValue: "TCOP")
    /// The publisher.
    public static let id3MetadataKeyPublisher = AVMetadataKey(rawValue: "TPUB")
    /// The language of what is sung or said.
    public static let id3MetadataKeyLanguage = AVMetadataKey(rawValue: "TLAN")
    /// The tempo.
    public static let id3MetadataKeyBeatsPerMinute = AVMetadataKey(rawValue: "TBPM")
    /// Who has coded the file.
    public static let id3MetadataKeyEncodedBy = AVMetadataKey(rawValue: "TENC")
    /// What has coded the file.
    public static let id3MetadataKeyEncodedWith = AVMetadataKey(rawValue: "TSSE")
    /// The ISRC.
    public static let id3MetadataKeyInternationalStandardRecordingCode = AVMetadataKey(
        rawValue: "TSRC")
    /// A comment; the extra attribute `info` says of what kind.
    public static let id3MetadataKeyComments = AVMetadataKey(rawValue: "COMM")
    /// A text under a name of its own, the extra attribute `info`.
    public static let id3MetadataKeyUserText = AVMetadataKey(rawValue: "TXXX")
    /// The words.
    public static let id3MetadataKeyUnsynchronizedLyric = AVMetadataKey(rawValue: "USLT")
    /// A picture.
    public static let id3MetadataKeyAttachedPicture = AVMetadataKey(rawValue: "APIC")
}
