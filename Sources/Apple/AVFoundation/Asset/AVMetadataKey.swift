/// Names a metadata value within a key space: `title`, `TIT2`.
public struct AVMetadataKey: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public let rawValue: String

    /// Makes a key of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes a key of that name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// A set of keys.
public struct AVMetadataKeySpace: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public let rawValue: String

    /// Makes a key space of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The common keys, which are the same in every format.
    public static let common = AVMetadataKeySpace(rawValue: "comn")
    /// The names of ID3 frames.
    public static let id3 = AVMetadataKeySpace(rawValue: "org.id3")
    /// The names of what live streams send.
    public static let icy = AVMetadataKeySpace(rawValue: "icy ")
}

/// A format of tags.
public struct AVMetadataFormat: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public let rawValue: String

    /// Makes a format of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// ID3 tags.
    public static let id3Metadata = AVMetadataFormat(rawValue: "org.id3")
}

/// Names an attribute of a value.
public struct AVMetadataExtraAttributeKey: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public let rawValue: String

    /// Makes a key of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The frame's description: a comment's description, or the name of a user-defined text.
    public static let info = AVMetadataExtraAttributeKey(rawValue: "info")
}

// Keys that are the same in every format.
extension AVMetadataKey {
    /// The title.
    public static let commonKeyTitle = AVMetadataKey(rawValue: "title")
    /// The performer.
    public static let commonKeyArtist = AVMetadataKey(rawValue: "artist")
    /// The album.
    public static let commonKeyAlbumName = AVMetadataKey(rawValue: "albumName")
    /// The year or date of the recording.
    public static let commonKeyCreationDate = AVMetadataKey(rawValue: "creationDate")
    /// The genre.
    public static let commonKeyType = AVMetadataKey(rawValue: "type")
    /// The artwork.
    public static let commonKeyArtwork = AVMetadataKey(rawValue: "artwork")
    /// The composer.
    public static let commonKeyCreator = AVMetadataKey(rawValue: "creator")
    /// The publisher.
    public static let commonKeyPublisher = AVMetadataKey(rawValue: "publisher")
    /// The copyright notice.
    public static let commonKeyCopyrights = AVMetadataKey(rawValue: "copyrights")
    /// The language of the lyrics or speech.
    public static let commonKeyLanguage = AVMetadataKey(rawValue: "language")
    /// The software that encoded the file.
    public static let commonKeySoftware = AVMetadataKey(rawValue: "software")
    /// The author. No ID3 frame maps to it.
    public static let commonKeyAuthor = AVMetadataKey(rawValue: "author")
    /// A contributor. No ID3 frame maps to it.
    public static let commonKeyContributor = AVMetadataKey(rawValue: "contributor")
    /// A description. No ID3 frame maps to it.
    public static let commonKeyDescription = AVMetadataKey(rawValue: "description")
    /// The subject. No ID3 frame maps to it.
    public static let commonKeySubject = AVMetadataKey(rawValue: "subject")
    /// The format. No ID3 frame maps to it.
    public static let commonKeyFormat = AVMetadataKey(rawValue: "format")
    /// An identifier. No ID3 frame maps to it.
    public static let commonKeyIdentifier = AVMetadataKey(rawValue: "identifier")
    /// The source. No ID3 frame maps to it.
    public static let commonKeySource = AVMetadataKey(rawValue: "source")
    /// A relation. No ID3 frame maps to it.
    public static let commonKeyRelation = AVMetadataKey(rawValue: "relation")
    /// The location. No ID3 frame maps to it.
    public static let commonKeyLocation = AVMetadataKey(rawValue: "location")
}

// The names of ID3 frames.
extension AVMetadataKey {
    /// The title.
    public static let id3MetadataKeyTitleDescription = AVMetadataKey(rawValue: "TIT2")
    /// The subtitle.
    public static let id3MetadataKeySubTitle = AVMetadataKey(rawValue: "TIT3")
    /// The work that this is part of.
    public static let id3MetadataKeyContentGroupDescription = AVMetadataKey(rawValue: "TIT1")
    /// The performer.
    public static let id3MetadataKeyLeadPerformer = AVMetadataKey(rawValue: "TPE1")
    /// The album's artist.
    public static let id3MetadataKeyBand = AVMetadataKey(rawValue: "TPE2")
    /// The conductor.
    public static let id3MetadataKeyConductor = AVMetadataKey(rawValue: "TPE3")
    /// The album.
    public static let id3MetadataKeyAlbumTitle = AVMetadataKey(rawValue: "TALB")
    /// The track number on the album, such as `3` or `3/12`.
    public static let id3MetadataKeyTrackNumber = AVMetadataKey(rawValue: "TRCK")
    /// The number of the disc, such as `1/2`.
    public static let id3MetadataKeyPartOfASet = AVMetadataKey(rawValue: "TPOS")
    /// The composer.
    public static let id3MetadataKeyComposer = AVMetadataKey(rawValue: "TCOM")
    /// The lyricist.
    public static let id3MetadataKeyLyricist = AVMetadataKey(rawValue: "TEXT")
    /// The genre.
    public static let id3MetadataKeyContentType = AVMetadataKey(rawValue: "TCON")
    /// The year, in ID3v2.3 and older.
    public static let id3MetadataKeyYear = AVMetadataKey(rawValue: "TYER")
    /// The date, in ID3v2.4.
    public static let id3MetadataKeyRecordingTime = AVMetadataKey(rawValue: "TDRC")
    /// The copyright notice.
    public static let id3MetadataKeyCopyright = AVMetadataKey(rawValue: "TCOP")
    /// The publisher.
    public static let id3MetadataKeyPublisher = AVMetadataKey(rawValue: "TPUB")
    /// The language of the lyrics or speech.
    public static let id3MetadataKeyLanguage = AVMetadataKey(rawValue: "TLAN")
    /// The tempo in beats per minute.
    public static let id3MetadataKeyBeatsPerMinute = AVMetadataKey(rawValue: "TBPM")
    /// The person or organization that encoded the file.
    public static let id3MetadataKeyEncodedBy = AVMetadataKey(rawValue: "TENC")
    /// The software that encoded the file.
    public static let id3MetadataKeyEncodedWith = AVMetadataKey(rawValue: "TSSE")
    /// The ISRC.
    public static let id3MetadataKeyInternationalStandardRecordingCode = AVMetadataKey(
        rawValue: "TSRC")
    /// A comment; the extra attribute `info` is its description.
    public static let id3MetadataKeyComments = AVMetadataKey(rawValue: "COMM")
    /// A user-defined text; the extra attribute `info` is its name.
    public static let id3MetadataKeyUserText = AVMetadataKey(rawValue: "TXXX")
    /// The lyrics.
    public static let id3MetadataKeyUnsynchronizedLyric = AVMetadataKey(rawValue: "USLT")
    /// A picture.
    public static let id3MetadataKeyAttachedPicture = AVMetadataKey(rawValue: "APIC")
}
