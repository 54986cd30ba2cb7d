public import UndersongBase
public import UndersongPlayback

/// A track of the library: a file, or the part of one that a CUE sheet names, with what its tags say
/// and what its listeners have done with it.
public struct Track: Codable, Hashable, Sendable {
    /// Identifies the track as long as the library knows it; never used for another one.
    public var id: Int
    /// The file.
    public var path: FilePath
    /// The part of the file that a CUE sheet names, in seconds from its beginning; nil for all of it.
    public var part: TrackPart?
    /// The texts of the file's tags, or of the CUE sheet.
    public var tags: TrackTags
    /// The format of the file's sound; nil if it could not be read.
    public var sound: TrackSound?
    /// The time at which the library first saw it, in seconds since 1970.
    public var added: Double
    /// The time of the file's last change, in seconds since 1970.
    public var modified: Double
    /// The time at which it was last heard, in seconds since 1970; nil for never.
    public var lastPlayed: Double?
    /// The number of times it was heard, to half of its length or for four minutes at least.
    public var playCount: Int
    /// The number of times it was left by a command before that.
    public var skipCount: Int
    /// 1 to 5; nil if it was not rated.
    public var rating: Int?
    /// True for a favourite.
    public var isFavourite: Bool
    /// Since when its file is missing, in seconds since 1970; nil while it is there. What is missing
    /// for 30 days is forgotten.
    public var missingSince: Double?

    package init(
        id: Int, path: FilePath, part: TrackPart? = nil, tags: TrackTags = TrackTags(),
        sound: TrackSound? = nil, added: Double, modified: Double, lastPlayed: Double? = nil,
        playCount: Int = 0, skipCount: Int = 0, rating: Int? = nil, isFavourite: Bool = false,
        missingSince: Double? = nil
    ) {
        self.id = id
        self.path = path
        self.part = part
        self.tags = tags
        self.sound = sound
        self.added = added
        self.modified = modified
        self.lastPlayed = lastPlayed
        self.playCount = playCount
        self.skipCount = skipCount
        self.rating = rating
        self.isFavourite = isFavourite
        self.missingSince = missingSince
    }
}

/// The part of a file that is a track.
public struct TrackPart: Codable, Hashable, Sendable {
    /// Its start, in seconds from the beginning of the file.
    public var start: Double
    /// Its end; nil for that of the file.
    public var end: Double?

    package init(start: Double, end: Double? = nil) {
        self.start = start
        self.end = end
    }
}

/// The tags of a track. Texts are trimmed and not empty, and lists are in the tags' order.
public struct TrackTags: Codable, Hashable, Sendable {
    /// The title.
    public var title: String?
    /// The title as it is sorted, such as `Tide Turns, The`.
    public var titleSort: String?
    /// The artists, several if the tag separates them (a NUL in ID3v2.4, `;` or ` / ` between names
    /// is not a separator; repeated Vorbis comments are).
    public var artists: [String] = []
    /// The artist as it is sorted.
    public var artistSort: String?
    /// The artists of the album.
    public var albumArtists: [String] = []
    /// The artist of the album as it is sorted.
    public var albumArtistSort: String?
    /// The album.
    public var album: String?
    /// The album as it is sorted.
    public var albumSort: String?
    /// The number of the disc, from 1.
    public var disc: Int?
    /// The number of the track on its disc, from 1.
    public var number: Int?
    /// The release date as far as it is known: `1995`, `1995-06` or `1995-06-13`.
    public var date: String?
    /// The date of the first release, in the same form.
    public var originalDate: String?
    /// The genres.
    public var genres: [String] = []
    /// The composers.
    public var composers: [String] = []
    /// True if the tags call the album a compilation.
    public var isCompilation = false
    /// True if the file contains a picture, or its folder has one for all of it.
    public var hasCover = false
    /// The gain that brings it to the reference loudness; nil if its tags have none.
    public var gain: ReplayGain?
    /// The identifiers of MusicBrainz and the other texts that front ends ask for by the names of
    /// MPD's tags, such as `MUSICBRAINZ_TRACKID`, `Performer`, `Label`.
    public var others: [String: [String]] = [:]

    package init() {}
}

/// The sound of a track's file. On the wire, the format's members are among its own.
public struct TrackSound: Hashable, Sendable {
    /// The length of the track, in seconds; nil if unknown.
    public var seconds: Double?
    /// The format.
    public var format: SoundFormat
    /// Bits per second; nil if unknown.
    public var bitRate: Int?

    package init(seconds: Double?, _ format: SoundFormat, bitRate: Int? = nil) {
        self.seconds = seconds
        self.format = format
        self.bitRate = bitRate
    }
}

extension TrackSound: Codable {
    private enum CodingKeys: CodingKey {
        case seconds, bitRate
    }

    /// Decodes a sound.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        seconds = try members.decodeIfPresent(Double.self, forKey: .seconds)
        format = try SoundFormat(from: decoder)
        bitRate = try members.decodeIfPresent(Int.self, forKey: .bitRate)
    }

    /// Encodes the sound as one object.
    public func encode(to encoder: any Encoder) throws {
        try format.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(seconds, forKey: .seconds)
        try members.encodeIfPresent(bitRate, forKey: .bitRate)
    }
}
