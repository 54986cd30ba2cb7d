/// The kinds of item, for `MPMediaItemPropertyMediaType`, with Apple's raw values.
public struct MPMediaType: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Makes a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Music.
    public static let music = MPMediaType(rawValue: 1 << 0)
    /// A podcast's episode.
    public static let podcast = MPMediaType(rawValue: 1 << 1)
    /// An audiobook.
    public static let audioBook = MPMediaType(rawValue: 1 << 2)
    /// A lecture of iTunes U.
    public static let audioITunesU = MPMediaType(rawValue: 1 << 3)
    /// Any sound.
    public static let anyAudio = MPMediaType(rawValue: 0x00ff)
    /// A film.
    public static let movie = MPMediaType(rawValue: 1 << 8)
    /// A television programme.
    public static let tvShow = MPMediaType(rawValue: 1 << 9)
    /// A podcast's episode with a picture.
    public static let videoPodcast = MPMediaType(rawValue: 1 << 10)
    /// A music video.
    public static let musicVideo = MPMediaType(rawValue: 1 << 11)
    /// A lecture of iTunes U with a picture.
    public static let videoITunesU = MPMediaType(rawValue: 1 << 12)
    /// A video recorded at home.
    public static let homeVideo = MPMediaType(rawValue: 1 << 13)
    /// Anything with a picture.
    public static let anyVideo = MPMediaType(rawValue: 0xff00)
    /// Anything.
    public static let any = MPMediaType(rawValue: .max)
}
