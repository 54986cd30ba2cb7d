public import Foundation
import Synchronization
import UndersongAudioIO
import UndersongAudioSession
import UndersongPlayback

/// Plays one sound from a file or from memory, once or repeatedly.
///
/// Any thread may call it: methods return once the command is given. What a call itself changes,
/// such as `isPlaying`, has changed when the call returns. The end of the sound changes state and
/// calls the delegate on the main queue, which therefore has to run.
open class AVAudioPlayer: NSObject, @unchecked Sendable {
    /// The file; nil when playing from memory.
    public let url: URL?
    /// The format of the sound.
    public let format: AVAudioFormat
    /// Receives the end of the sound and errors. Not retained.
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
    var post: PlayerCommands { session.player.post }

    /// Makes a player of nothing, which does not play: for properties that are set later.
    public override init() {
        url = nil
        sound = nil
        loader = AssetLoader(.file(path: ""))
        format = AVAudioFormat()
        session = AudioSession(.player(on: AVPlayer.outputDestination))
        super.init()
        state.withLock { $0.isOver = true }
        begin()
    }

    /// Opens the file at `url` and makes a player for it. The hint is ignored: the format is
    /// detected.
    /// - Throws: `AVError` if the file cannot be opened or contains nothing that can be
    ///   played.
    public init(contentsOf url: URL, fileTypeHint utiString: String? = nil) throws {
        self.url = url
        sound = nil
        loader = AssetLoader(AVURLAsset(url: url).loader.source)
        (format, session) = try Self.prepare(loader)
        super.init()
        begin()
    }

    /// Makes a player for a sound in memory. The data is written to an unnamed file in the folder
    /// for temporary files.
    /// - Throws: `AVError` as for a file, and Foundation's if there is no space.
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

    /// The sound in memory; nil when playing a file.
    open var data: Data? { sound?.data }

    /// The format as a dictionary: `AVFormatIDKey`, `AVSampleRateKey`, `AVNumberOfChannelsKey`.
    open var settings: [String: Any] { format.settings }

    /// The number of channels.
    open var numberOfChannels: Int { Int(format.channelCount) }

    /// The exact length in seconds. If the file's header does not state it, the first call reads
    /// the whole file, which blocks for some milliseconds per megabyte.
    open var duration: TimeInterval {
        let duration = loader.exactDurationNow()
        return duration.isNumeric ? duration.seconds : 0
    }

    // MARK: Playing

    /// Opens the sound and fills the buffers, so that `play()` starts sooner. Returns false if the
    /// sound server has gone. If the sound cannot be opened, the delegate is called.
    @discardableResult
    open func prepareToPlay() -> Bool {
        load()
        return !state.withLock(\.isOver)
    }

    /// Plays from `currentTime`. Returns false if the audio session does not allow it, or if the
    /// sound server has gone.
    @discardableResult
    open func play() -> Bool {
        state.withLock { $0.starts += 1 }
        return begin(playing: true)
    }

    /// Plays when `deviceCurrentTime` reaches `time`, by a timer: the sound is heard later by the
    /// output's latency, accurate to some milliseconds. `isPlaying` becomes true at that time.
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

    /// Pauses. The position is kept to the sample, and the buffers are kept.
    open func pause() {
        hold { state in
            state.interruption.pause()
            return true
        }
    }

    /// Stops, and releases the device and the buffers. `currentTime` does not change.
    open func stop() {
        let place = heardTime
        state.withLock { state in
            state.rest(at: place)
            state.interruption.pause()
            post.pause()
            post.removeAll()
        }
        AVAudioSession.sharedInstance().clientsChanged()
    }

    /// True if the sound plays, or will as soon as the file is open.
    open var isPlaying: Bool { state.withLock(\.isPlaying) }

    /// The number of times that the sound is repeated, without a gap: 0 by default, negative for
    /// endlessly. It may be set during playback.
    open var numberOfLoops: Int {
        get { state.withLock(\.numberOfLoops) }
        set {
            state.withLock { $0.numberOfLoops = newValue }
            refill()
        }
    }

    // MARK: Time

    /// The position that is heard, in seconds, or from which playback will start. Setting it seeks
    /// exactly.
    open var currentTime: TimeInterval {
        get { heardTime.seconds }
        set { seek(to: CMTime(seconds: max(0, newValue), preferredTimescale: 1_000_000_000)) }
    }

    /// The clock of `play(atTime:)`, in seconds.
    open var deviceCurrentTime: TimeInterval { Double(session.clock.now) / 1e9 }

    // MARK: Volume, pan and rate

    /// From 0, silent, to 1, the samples unchanged. Changes are ramped to avoid a click.
    open var volume: Float {
        get { state.withLock(\.volume) }
        set { setVolume(newValue, fadeDuration: 0) }
    }

    /// Fades to a volume within `duration` seconds. `volume` follows the fade.
    open func setVolume(_ volume: Float, fadeDuration duration: TimeInterval) {
        fade(to: min(max(volume, 0), 1), within: duration)
    }

    /// Stored for ported code; it has no effect.
    open var pan: Float {
        get { state.withLock(\.pan) }
        set { state.withLock { $0.pan = min(max(newValue, -1), 1) } }
    }

    /// True if `rate` has an effect.
    open var enableRate: Bool {
        get { state.withLock(\.enableRate) }
        set {
            state.withLock { $0.enableRate = newValue }
            postRate()
        }
    }

    /// The playback rate, 0.5 to 2, with the pitch kept. Takes effect if `enableRate` is set.
    open var rate: Float {
        get { state.withLock(\.rate) }
        set {
            state.withLock { $0.rate = newValue }
            postRate()
        }
    }
}
