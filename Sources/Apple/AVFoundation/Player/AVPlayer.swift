public import Foundation
public import Observation
import Synchronization
public import UndersongAudioIO
import UndersongAudioSession
import UndersongPlayback

/// Plays one item; `AVQueuePlayer` plays several without a gap (behaviour 2.2).
///
/// Any thread may call it: methods return once the command is given. What a call itself changes,
/// such as `rate`, has changed when the call returns. What playback changes is changed, observed
/// and posted on the main queue, which therefore has to run.
///
/// A programmer's mistake for which Apple throws an Objective-C exception traps here.
open class AVPlayer: NSObject, NSKeyValueObservation.Observable, Observable, @unchecked Sendable {
    /// The state of playback, with Apple's raw values.
    public enum TimeControlStatus: Int, Sendable {
        /// Paused: `rate` is 0.
        case paused
        /// Waiting to play for the reason in `reasonForWaitingToPlay`.
        case waitingToPlayAtSpecifiedRate
        /// Playing.
        case playing
    }

    /// The ability of a player to play, with Apple's raw values.
    public enum Status: Int, Sendable {
        /// Nothing has been played yet.
        case unknown
        /// It can play.
        case readyToPlay
        /// It can no longer play, and `error` says why: make a new player.
        case failed
    }

    /// The action when an item ends, with Apple's raw values.
    public enum ActionAtItemEnd: Int, Sendable {
        /// Continue with the next item. Only an `AVQueuePlayer` can.
        case advance
        /// Set `rate` to 0 and keep the item.
        case pause
        /// Do nothing: `rate` and the item stay, and the time continues past the item's end.
        case none
    }

    /// The observers of this player.
    public let keyValueObservers = NSKeyValueObservation.Observers()
    let registrar = ObservationRegistrar()
    let state = Mutex(PlayerState())
    let preferences = Mutex(PlayerPreferences())
    let session: AudioSession
    var post: PlayerCommands { session.player.post }

    /// The destination of a player's sound; an addition to Apple's API.
    public typealias OutputDestination = UndersongAudioIO.OutputDestination

    /// The destination of players made from now on; an addition to Apple's API. The default is the
    /// user's sound server and its default sink.
    public static var outputDestination: OutputDestination {
        get { destination.withLock { $0 } }
        set { destination.withLock { $0 = newValue } }
    }
    private static let destination = Mutex(OutputDestination.pulse(server: nil, device: nil))

    /// Makes a player without an item.
    public override init() {
        session = AudioSession(.player(on: Self.outputDestination))
        super.init()
        begin()
    }

    /// Makes a player for what is at `url`: a file, or a file or a live stream on the network.
    public init(url: URL) {
        session = AudioSession(.player(on: Self.outputDestination))
        super.init()
        begin()
        append(AVPlayerItem(url: url))
    }

    /// Makes a player for `item`. Precondition: it is in no other player.
    public init(playerItem item: AVPlayerItem?) {
        session = AudioSession(.player(on: Self.outputDestination))
        super.init()
        begin()
        if let item { append(item) }
    }

    deinit {
        let session = session
        for entry in state.withLock(\.entries) { entry.item.detach() }
        state.withLock { $0.pendingSeek.take() }?.completion?(false)
        Task(executorPreference: session.executor) { await session.stop() }
    }

    // MARK: Items

    /// The item that is heard or will be first; nil if there is none.
    open var currentItem: AVPlayerItem? { read(\.currentItem, "currentItem") { $0.current?.item } }

    /// Replaces the current item with `item`. Does nothing if it is the current one. Precondition:
    /// it is in no player.
    open func replaceCurrentItem(with item: AVPlayerItem?) {
        guard item !== state.withLock({ $0.current?.item }) else { return }
        guard let item else { return removeCurrent() }
        let id = state.withLock { $0.makeID() }
        precondition(item.attach(to: self, as: id), "an item can be in one player only")
        change { state in
            if !state.entries.isEmpty { _ = state.remove(at: 0) }
            state.entries.insert(PlayerState.Entry(id: id, item: item), at: 0)
            post.replaceCurrent(with: item.queueItem(id))
        }
    }

    // MARK: Playing and pausing

    /// The requested rate; 0 is paused. Setting it to another value plays. Rates from 1/32 to 32 are
    /// played with the pitch kept; others are clamped to that range, and negative ones pause.
    open var rate: Float {
        get { read(\.rate, "rate", \.rate) }
        set { setRate(newValue) }
    }

    /// The rate that `play()` sets, 1 by default. Setting it does not start playback.
    open var defaultRate: Float {
        get { read(\.defaultRate, "defaultRate", \.defaultRate) }
        set { change { $0.defaultRate = newValue } }
    }

    /// The state of playback: playing, waiting or paused.
    open var timeControlStatus: TimeControlStatus {
        read(\.timeControlStatus, "timeControlStatus", \.timeControlStatus)
    }

    /// The reason for which the player waits; nil unless it waits.
    open var reasonForWaitingToPlay: WaitingReason? {
        read(\.reasonForWaitingToPlay, "reasonForWaitingToPlay", \.reasonForWaitingToPlay)
    }

    /// The player's ability to play.
    open var status: Status { read(\.status, "status", \.status) }

    /// The reason why `status` is `failed`; otherwise nil.
    open var error: (any Error)? { read(\.error, "error", \.error) }

    /// Plays at `defaultRate`.
    open func play() { rate = defaultRate }

    /// Sets `rate` to 0. The position is kept to the sample.
    open func pause() { rate = 0 }

    /// Plays at `rate` as soon as the item is open, as `rate` does: playback begins with a second of
    /// sound.
    open func playImmediately(atRate rate: Float) { self.rate = rate }

    /// True if the player waits for bytes from the network when there are none to play, which is
    /// the default; otherwise it pauses then. A local file never stalls.
    open var automaticallyWaitsToMinimizeStalling: Bool {
        get { state.withLock(\.waitsToMinimizeStalling) }
        set { state.withLock { $0.waitsToMinimizeStalling = newValue } }
    }

    /// The action when an item ends; `pause` by default. Setting another value at the end takes
    /// effect at once. Precondition: only an `AVQueuePlayer` is set to `advance`.
    open var actionAtItemEnd: ActionAtItemEnd {
        get { read(\.actionAtItemEnd, "actionAtItemEnd", \.actionAtItemEnd) }
        set {
            precondition(
                newValue != .advance || self is AVQueuePlayer, "only an AVQueuePlayer advances")
            setAction(newValue)
        }
    }

    // MARK: Seeking

    /// Seeks to `time` of the current item, exactly.
    open func seek(to time: CMTime) { seek(to: time, completion: nil) }

    /// Seeks to `time` of the current item, exactly, and then calls `completionHandler` on the main
    /// queue: with false as soon as another seek replaces this one, or if there is no item. A time
    /// beyond the end ends the item. Precondition: `time` is valid and not indefinite (T45).
    @preconcurrency
    open func seek(
        to time: CMTime, completionHandler: @escaping @Sendable (_ finished: Bool) -> Void
    ) {
        seek(to: time, completion: onMain(completionHandler))
    }

    /// Seeks to `time` exactly; the tolerances are not used. Precondition: they are valid and not
    /// negative.
    open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) {
        checkTolerances(toleranceBefore, toleranceAfter)
        seek(to: time, completion: nil)
    }

    /// Seeks to `time`, as `seek(to:completionHandler:)` does.
    @preconcurrency
    open func seek(
        to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime,
        completionHandler: @escaping @Sendable (_ finished: Bool) -> Void
    ) {
        checkTolerances(toleranceBefore, toleranceAfter)
        seek(to: time, completion: onMain(completionHandler))
    }

    // MARK: Volume

    /// From 0, silent, to 1, the samples unchanged. Changes are ramped to avoid a click.
    open var volume: Float {
        get { read(\.volume, "volume", \.volume) }
        set {
            change { $0.volume = min(max(newValue, 0), 1) }
            postVolume()
        }
    }

    /// True if the player is muted, whatever its volume.
    open var isMuted: Bool {
        get { read(\.isMuted, "isMuted", \.isMuted) }
        set {
            change { $0.isMuted = newValue }
            post.set { $0.isMuted = newValue }
        }
    }
}
