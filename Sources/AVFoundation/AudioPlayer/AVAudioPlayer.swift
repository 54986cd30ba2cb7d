import AudioIO
import AudioSession
public import Foundation
import Playback
import Synchronization

/// Plays one sound, from a file or from memory, as often as it is told to.
///
/// Any thread may call it: methods return when the command is given. What a call changes by itself,
/// such as `isPlaying`, is changed when it returns; the end of the sound changes it on the main queue,
/// which therefore has to run, and where the delegate is called.
open class AVAudioPlayer: NSObject, @unchecked Sendable {
    /// The file that it plays; nil when it plays from memory.
    public let url: URL?
    /// The format of the sound.
    public let format: AVAudioFormat
    /// Is told of the end. It is not kept alive.
    public var delegate: (any AVAudioPlayerDelegate)? {
        get { lock.withLock { listener } }
        set { lock.withLock { listener = newValue } }
    }

    private let lock = NSLock()
    private weak var listener: (any AVAudioPlayerDelegate)?
    private let sound: SoundData?
    let loader: AssetLoader
    let session: AudioSession
    let state = Mutex(AudioPlayerState())
    var post: PlayerPost { session.player.post }

    /// Makes a player of the file at `url`, and opens it. The hint is not needed: what the file holds
    /// is found out. Errors: `AVError`, it cannot be opened or holds nothing that can be played.
    public init(contentsOf url: URL, fileTypeHint utiString: String? = nil) throws {
        self.url = url
        sound = nil
        loader = AssetLoader(AVURLAsset(url: url).loader.source)
        (format, session) = try Self.prepare(loader)
        super.init()
        begin()
    }

    /// Makes a player of a sound in memory. It is written to a file without a name in the folder for
    /// temporary files. Errors: `AVError` as with a file, and Foundation's when there is no room.
    public init(data: Data, fileTypeHint utiString: String? = nil) throws {
        let sound = try SoundData(data)
        url = nil
        self.sound = sound
        loader = AssetLoader(.file(path: sound.path))
        (format, session) = try Self.prepare(loader)
        super.init()
        begin()
    }

    private static func prepare(
        _ loader: AssetLoader
    ) throws -> (AVAudioFormat, AudioSession) {
        let description = try loader.load().mapError { AVError($0) }.get()
        return (
            AVAudioFormat(description), AudioSession(.player(on: AVPlayer.outputDestination))
        )
    }

    deinit {
        let session = session
        Task(executorPreference: session.executor) { await session.stop() }
    }

    // MARK: The sound

    /// The sound in memory that it was made with; nil when it plays a file.
    open var data: Data? { sound?.data }

    /// The format as a dictionary: `AVFormatIDKey`, `AVSampleRateKey`, `AVNumberOfChannelsKey`.
    open var settings: [String: Any] { format.settings }

    /// How many channels there are.
    open var numberOfChannels: Int { Int(format.channelCount) }

    /// The exact length in seconds. Where the file's head does not tell it, the first call reads
    /// through the file, which blocks for some milliseconds a megabyte.
    open var duration: TimeInterval {
        let duration = loader.exactDurationNow()
        return duration.isNumeric ? duration.seconds : 0
    }

    // MARK: Playing

    /// Opens the sound and fills the buffers, so that `play()` begins sooner. False when the sound
    /// server is gone; what cannot be opened is told to the delegate.
    @discardableResult
    open func prepareToPlay() -> Bool {
        load()
        return !state.withLock(\.isOver)
    }

    /// Plays from `currentTime` on. False when the audio session does not let it, and when the sound
    /// server is gone.
    @discardableResult
    open func play() -> Bool {
        state.withLock { $0.starts += 1 }
        return begin(playing: true)
    }

    /// Plays once `deviceCurrentTime` is `time`, by a timer: the sound comes the output's latency
    /// later, some milliseconds more or less. `isPlaying` is true from then on.
    @discardableResult
    open func play(atTime time: TimeInterval) -> Bool {
        load()
        let start = state.withLock { state in
            state.starts += 1
            return state.starts
        }
        let delay = max(0, time - deviceCurrentTime)
        Self.timers.asyncAfter(deadline: .now() + delay) { [weak self] in
            guard let self, state.withLock({ $0.starts == start }) else { return }
            begin(playing: true)
        }
        return !state.withLock(\.isOver)
    }

    /// Falls silent. The place is kept to the sample, and the buffers stay.
    open func pause() {
        state.withLock { state in
            state.isPlaying = false
            state.starts += 1
            state.interruption.pause()
        }
        post.pause()
    }

    /// Falls silent and gives the device and the buffers back. `currentTime` stays as it is.
    open func stop() {
        let place = heardTime
        state.withLock { state in
            state.rest(at: place)
            state.interruption.pause()
            post.pause()
            post.removeAll()
        }
    }

    /// Whether it plays, or will as soon as the file is open.
    open var isPlaying: Bool { state.withLock(\.isPlaying) }

    /// How often the sound begins again at its end, without a gap: 0 at first, negative for ever. It
    /// may be set while it plays.
    open var numberOfLoops: Int {
        get { state.withLock(\.numberOfLoops) }
        set {
            state.withLock { $0.numberOfLoops = newValue }
            refill()
        }
    }

    // MARK: Time

    /// Where the sound is heard, in seconds, or where it will begin. Setting it goes there, exactly.
    open var currentTime: TimeInterval {
        get { heardTime.seconds }
        set { seek(to: CMTime(seconds: max(0, newValue), preferredTimescale: 1_000_000_000)) }
    }

    /// The clock that `play(atTime:)` goes by, in seconds.
    open var deviceCurrentTime: TimeInterval { Double(session.clock.now) / 1e9 }

    // MARK: How it sounds

    /// 0 for silence to 1 for the samples as they are; reached by a ramp without a click.
    open var volume: Float {
        get { state.withLock(\.volume) }
        set { setVolume(newValue, fadeDuration: 0) }
    }

    /// Goes to a volume within so many seconds. `volume` tells how far it has come.
    open func setVolume(_ volume: Float, fadeDuration duration: TimeInterval) {
        fade(to: min(max(volume, 0), 1), within: duration)
    }

    /// Stored for ported code: both channels are played as they are.
    open var pan: Float {
        get { state.withLock(\.pan) }
        set { state.withLock { $0.pan = min(max(newValue, -1), 1) } }
    }

    /// Whether `rate` counts.
    open var enableRate: Bool {
        get { state.withLock(\.enableRate) }
        set {
            state.withLock { $0.enableRate = newValue }
            postRate()
        }
    }

    /// Seconds of the sound in one second, 0.5 to 2, with the pitch kept; heard when `enableRate` is
    /// set.
    open var rate: Float {
        get { state.withLock(\.rate) }
        set {
            state.withLock { $0.rate = newValue }
            postRate()
        }
    }
}
