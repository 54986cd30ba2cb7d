/// The port through which the player reads one item: its music only, without what the encoder has
/// added. A frame is one sample of each channel, counted from 0 at the music's start and at the rate of
/// `format`.
///
/// One thread at a time may use it; the methods may block on the disk. The errors name the file.
package protocol AudioDecoder: AnyObject {
    /// The format of the frames that the last `read` gave, before the first one that of what comes.
    /// It may change between reads.
    var format: StreamFormat { get }

    /// What is known of the item before it is played.
    var description: MediaDescription { get }

    /// The frame that was sought last, 0 without a seek: where the first `read` after it begins. Once
    /// `prime` has found nothing, it is no later than the end.
    var position: Int { get }

    /// How many pieces of the file could not be decoded so far and were left out, and the last reason;
    /// nil when there were none.
    var undecodable: (count: Int, reason: String)? { get }

    /// Replaces the contents of `samples` with the next frames, of `format`; none at all means the
    /// end. Errors: the file cannot be read, or not be decoded from here on.
    func read(into samples: inout SampleBuffer) throws(MediaError)

    /// Reads the first frames now, so that the next `read` gives them at once. False when there are
    /// none. Errors: those of `read`.
    func prime() throws(MediaError) -> Bool

    /// Lets `read` continue with exactly `frame`. From there on it gives what a straight decode gives;
    /// a lossy format may be rounded differently in the last bit. Past the end there is nothing more
    /// to read. Errors: the item is a stream, in which one cannot seek.
    func seek(to frame: Int) throws(MediaError)

    /// Multiplies what `read` gives from now on by `factor`, clipping integers. At 1, which it is at first,
    /// the samples are untouched.
    func setGain(_ factor: Double)

    /// Reads through the whole file, after which the decoder is of no other use. Nil when that fails,
    /// or when `isCancelled`, which is asked on the same thread before each read from the disk, says
    /// so.
    func scan(isCancelled: @escaping @Sendable () -> Bool) -> MediaIndex?

    /// Lets a later `seek` find its way by an index that `scan` has made of the same file.
    func use(_ index: MediaIndex)
}

/// The port that brings frames from one format to another, without a gap: as many seconds come out
/// as go in. Owned by the decode thread.
package protocol SampleConverter: AnyObject {
    /// Replaces the contents of `output` with `input`, converted.
    func convert(_ input: SampleBuffer, into output: inout SampleBuffer)

    /// Replaces the contents of `output` with what is still inside, at the end of an item.
    func finish(into output: inout SampleBuffer)
}

/// What is known of an item once it is opened.
public struct MediaDescription: Equatable, Sendable {
    /// The item's own format, before any conversion.
    public var format: StreamFormat
    /// For example `MPEG 1 Layer III`.
    public var encoding: String
    /// The playing time, `.invalid` while it is unknown (a stream).
    public var duration: CMTime
    /// Whether `duration` is exact; else it is an estimate from the file's size.
    public var isDurationExact: Bool
    /// Frames that the encoder put before the music, when the file says so; they are not played.
    public var encoderDelay: Int?
    /// Frames that the encoder put behind the music, when the file says so; they are not played.
    public var encoderPadding: Int?
    /// Where those two stand; nil where the file does not say them.
    public var gaplessSource: GaplessSource?
    /// The encoder that made the file, such as `LAME3.100`, when the file says so.
    public var encoder: String?
    /// How much louder or softer it is to be played, as its tags say.
    public var replayGain: ReplayGain
    /// Text tags by lower-case name: `title`, `artist`, `album`, `track`, `year`, `genre`, `comment`.
    public var tags: [String: String]
    /// The parts of it that its tags name, in the order of their times.
    public var chapters: [Chapter]

    /// Makes a description.
    public init(
        format: StreamFormat, encoding: String, duration: CMTime, isDurationExact: Bool,
        encoderDelay: Int? = nil, encoderPadding: Int? = nil,
        gaplessSource: GaplessSource? = nil, encoder: String? = nil,
        replayGain: ReplayGain = ReplayGain(), tags: [String: String] = [:],
        chapters: [Chapter] = []
    ) {
        self.format = format
        self.encoding = encoding
        self.duration = duration
        self.isDurationExact = isDurationExact
        self.encoderDelay = encoderDelay
        self.encoderPadding = encoderPadding
        self.gaplessSource = gaplessSource
        self.encoder = encoder
        self.replayGain = replayGain
        self.tags = tags
        self.chapters = chapters
    }
}

/// What tells how much of a file is the encoder's own and not music.
public enum GaplessSource: String, Sendable {
    /// The tag that LAME and libavformat put behind the Xing or Info header.
    case lameTag = "lame-tag"
    /// The comment of that name in the ID3v2 tag.
    case iTunSMPB = "itunsmpb"
    /// The format itself, which says exactly what is music.
    case format
}

/// Why an item cannot be played, or not to its end.
public typealias MediaError = CodedError<MediaErrorCode>

/// Why an item cannot be played, as a program reads it.
public enum MediaErrorCode: String, Hashable, Sendable, CaseIterable {
    /// There is no such file.
    case notFound = "not-found"
    /// The file exists but may not be read.
    case notPermitted = "not-permitted"
    /// The file has no bytes at all.
    case empty = "empty"
    /// A file that says by nothing what it is, or that is called as MPEG audio is, contains none.
    case notMPEGAudio = "not-mpeg-audio"
    /// The file is of another format than those that are played.
    case unsupportedFormat = "unsupported-format"
    /// The path names a folder, a device or another thing that is no file.
    case notAFile = "not-a-file"
    /// Reading failed on the way.
    case readFailed = "read-failed"
    /// Nothing of the file lies between the item's start and its end.
    case noFrames = "no-frames"
    /// The item comes as a stream, in which one cannot seek.
    case notSeekable = "not-seekable"
    /// The decoder gave up on the way.
    case decodeFailed = "decode-failed"
    /// A playlist that cannot be read, is too deep or names itself.
    case badPlaylist = "bad-playlist"
    /// A folder or a playlist without anything to play.
    case noMedia = "no-media"
    /// A folder has sound files of other formats beside those that are played.
    case otherFormats = "other-formats"
}
