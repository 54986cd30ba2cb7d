/// The port through which the player reads one item: only its music, without what the encoder
/// added. A frame is one sample of each channel, counted from 0 at the start of the music, at the
/// rate of `format`.
///
/// Only one thread at a time may use it; its methods may block on the disk. Errors name the file.
package protocol AudioDecoder: AnyObject {
    /// The format of the frames from the last `read`; before the first one, the format of what it
    /// will return. It may change between reads.
    var format: StreamFormat { get }

    /// The description of the item before it is played.
    var description: MediaDescription { get }

    /// The frame that was last sought, 0 without a seek, at which the next `read` begins. Once
    /// `prime` has found no frames, it is no later than the end.
    var position: Int { get }

    /// The number of pieces of the file that could not be decoded and were skipped so far, and the
    /// last reason; nil if there were none.
    var undecodable: (count: Int, reason: String)? { get }

    /// Replaces the contents of `samples` with the next frames, in `format`; no frames at all mean
    /// the end.
    /// - Throws: An error if the file cannot be read, or cannot be decoded any further.
    func read(into samples: inout SampleBuffer) throws(MediaError)

    /// Reads the first frames now, so that the next `read` returns them at once. Returns false if
    /// there are none.
    /// - Throws: The errors of `read`.
    func prime() throws(MediaError) -> Bool

    /// Makes `read` continue at exactly `frame`. It returns the same as an uninterrupted decode
    /// from there on, except that a lossy format may round the last bit differently. Past the end
    /// it returns nothing.
    /// - Throws: An error if the item is a stream, which cannot be sought.
    func seek(to frame: Int) throws(MediaError)

    /// Multiplies the samples of later `read`s by `factor`, clipping integers. At 1, the initial
    /// value, samples are unchanged.
    func setGain(_ factor: Double)

    /// Reads the whole file, after which the decoder must not be used any more. Nil if that fails
    /// or `isCancelled` returns true; it is called on the same thread before each read from the
    /// disk.
    func scan(isCancelled: @escaping @Sendable () -> Bool) -> MediaIndex?

    /// Speeds up later `seek`s by an index that `scan` made of the same file.
    func use(_ index: MediaIndex)
}

extension AudioDecoder {
    /// The number of the frame at `time`.
    package func frame(at time: CMTime) -> Int {
        let frame = (time.seconds * Double(format.sampleRate)).rounded()
        let most = Double(StreamFormat.frameLimit)
        return frame.isNaN ? 0 : Int(min(max(frame, -most), most))
    }

    /// The number of frames from `position` up to `time`; 0 if that is earlier.
    package func frameCount(to time: CMTime) -> Int { max(0, frame(at: time) - position) }
}

/// The port that converts frames from one format to another without a gap: the duration stays the
/// same. Owned by the decode thread.
package protocol SampleConverter: AnyObject {
    /// Replaces the contents of `output` with `input`, converted.
    func convert(_ input: SampleBuffer, into output: inout SampleBuffer)

    /// Replaces the contents of `output` with the frames still buffered, at the end of an item.
    func finish(into output: inout SampleBuffer)
}

/// The description of an item that was opened.
public struct MediaDescription: Equatable, Sendable {
    /// The item's own format, before any conversion.
    public var format: StreamFormat
    /// For example `MPEG 1 Layer III`.
    public var encoding: String
    /// The playing time; `.invalid` if unknown, as for a stream.
    public var duration: CMTime
    /// True if `duration` is exact rather than an estimate from the file's size.
    public var isDurationExact: Bool
    /// Frames that the encoder added before the music, if the file says so; they are not played.
    public var encoderDelay: Int?
    /// Frames that the encoder added after the music, if the file says so; they are not played.
    public var encoderPadding: Int?
    /// The place in the file that gives those two; nil if it does not.
    public var gaplessSource: GaplessSource?
    /// The encoder of the file, such as `LAME3.100`, if the file names it.
    public var encoder: String?
    /// The ReplayGain values from its tags or, if these have no gain, as they were measured.
    public var replayGain: ReplayGain
    /// True if the ReplayGain values were measured.
    public var isReplayGainMeasured = false
    /// Text tags by lower-case name: `title`, `artist`, `album`, `track`, `year`, `genre`, `comment`.
    public var tags: [String: String]
    /// The chapters from its tags, in order of time.
    public var chapters: [Chapter]

    /// Creates a description.
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

/// The source of the information about how much of a file the encoder added.
public enum GaplessSource: String, Sendable {
    /// The tag that LAME and libavformat write after the Xing or Info header.
    case lameTag = "lame-tag"
    /// The comment of that name in the ID3v2 tag.
    case iTunSMPB = "itunsmpb"
    /// The format itself, which defines exactly what is music.
    case format
}

/// The reason why an item cannot be played, or cannot be played to its end.
public typealias MediaError = CodedError<MediaErrorCode>

/// The reason why an item cannot be played, for programs.
public enum MediaErrorCode: String, Hashable, Sendable, CaseIterable {
    /// There is no such file.
    case notFound = "not-found"
    /// The file exists, but reading it is not permitted.
    case notPermitted = "not-permitted"
    /// The file is empty.
    case empty = "empty"
    /// The server has answered with an error, redirects for ever, or its certificate is not valid.
    case refusedByServer = "refused-by-server"
    /// The server's name does not resolve.
    case unknownHost = "unknown-host"
    /// The server cannot be reached, or gives no usable answer.
    case cannotConnect = "cannot-connect"
    /// The server sends something that is not sound.
    case notSound = "not-sound"
    /// The file on the server was replaced while it was played.
    case changedOnServer = "changed-on-server"
    /// There is no network, or nothing in this process can use it.
    case noNetwork = "no-network"
    /// The file contains no MPEG audio, though it is named like MPEG audio, or has no recognizable
    /// format.
    case notMPEGAudio = "not-mpeg-audio"
    /// The file's format is not supported.
    case unsupportedFormat = "unsupported-format"
    /// The path names a folder, a device or anything else that is not a file.
    case notAFile = "not-a-file"
    /// Reading failed partway.
    case readFailed = "read-failed"
    /// The file has no frames between the item's start and end.
    case noFrames = "no-frames"
    /// The item is a stream, which cannot be sought.
    case notSeekable = "not-seekable"
    /// The decoder gave up partway.
    case decodeFailed = "decode-failed"
    /// A playlist that cannot be read, is nested too deep or names itself.
    case badPlaylist = "bad-playlist"
    /// A folder or a playlist without anything to play.
    case noMedia = "no-media"
    /// A folder contains audio files of unsupported formats besides those that are played.
    case otherFormats = "other-formats"
}
