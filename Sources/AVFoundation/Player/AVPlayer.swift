public import AudioSession
public import Foundation
public import Observation
import Playback
import Synchronization

/// Plays one item; `AVQueuePlayer` plays several without a gap (behaviour 2.2).
///
/// Any thread may call it: methods return when the command is given. What a call changes by itself,
/// such as `rate`, is changed when it returns; what the sound brings about is changed, observed and
/// posted on the main queue, which therefore has to run.
///
/// Where Apple throws an Objective-C exception for a programmer's mistake, this traps.
open class AVPlayer: NSObject, KeyValueObservable, Observable, @unchecked Sendable {
    /// Whether the player plays, with Apple's raw values.
    public enum TimeControlStatus: Int, Sendable {
        /// Silent: `rate` is 0.
        case paused
        /// Playing is wanted, and begins when what `reasonForWaitingToPlay` names is over.
        case waitingToPlayAtSpecifiedRate
        /// Sound runs.
        case playing
    }

    /// Whether the player can play, with Apple's raw values.
    public enum Status: Int, Sendable {
        /// Nothing was played yet.
        case unknown
        /// It can play.
        case readyToPlay
        /// It cannot any more, `error` says why: make a new one.
        case failed
    }

    /// What happens when an item was heard to its end, with Apple's raw values.
    public enum ActionAtItemEnd: Int, Sendable {
        /// On to the next item. Only an `AVQueuePlayer` can.
        case advance
        /// `rate` becomes 0, and the item stays.
        case pause
        /// Nothing: `rate` and the item stay, and the time runs on behind the item's end.
        case none
    }

    /// Those who observe this player.
    public let keyValueObservers = KeyValueObservers()
    let registrar = ObservationRegistrar()
    let state = Mutex(PlayerState())
    let preferences = Mutex(PlayerPreferences())
    let session: AudioSession
    var post: PlayerPost { session.player.post }

    /// Where the sound of players made from now on goes; ours, not Apple's. At first the user's sound
    /// server and its default sink.
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

    /// Makes a player of the file at `url`.
    public convenience init(url: URL) { self.init(playerItem: AVPlayerItem(url: url)) }

    /// Makes a player of `item`. Precondition: it is in no other player.
    public convenience init(playerItem item: AVPlayerItem?) {
        self.init()
        if let item { append(item) }
    }

    deinit {
        let session = session
        for entry in state.withLock(\.entries) { entry.item.detach() }
        state.withLock { $0.pendingSeek.take() }?.completion?(false)
        Task(executorPreference: session.executor) { await session.stop() }
    }

    // MARK: What it plays

    /// The item that is heard or will be first; nil when there is none.
    open var currentItem: AVPlayerItem? { read(\.currentItem, "currentItem") { $0.current?.item } }

    /// Plays `item` instead of the current one, whose place it takes. Nothing happens when it is the
    /// current one. Precondition: it is in no player.
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

    // MARK: Whether it plays

    /// The rate that is wanted; 0 is paused. Setting it to another value plays. Rates from 0.5 to 2
    /// are played with the pitch kept; others are brought into that range, and negative ones pause.
    open var rate: Float {
        get { read(\.rate, "rate", \.rate) }
        set { setRate(newValue) }
    }

    /// The rate at which `play()` plays, 1 at first. Setting it plays nothing.
    open var defaultRate: Float {
        get { read(\.defaultRate, "defaultRate", \.defaultRate) }
        set { change { $0.defaultRate = newValue } }
    }

    /// Whether it plays, or why not.
    open var timeControlStatus: TimeControlStatus {
        read(\.timeControlStatus, "timeControlStatus", \.timeControlStatus)
    }

    /// What playing waits for; nil unless it waits.
    open var reasonForWaitingToPlay: WaitingReason? {
        read(\.reasonForWaitingToPlay, "reasonForWaitingToPlay", \.reasonForWaitingToPlay)
    }

    /// Whether the player can play.
    open var status: Status { read(\.status, "status", \.status) }

    /// Why `status` is `failed`; nil when it is not.
    open var error: (any Error)? { read(\.error, "error", \.error) }

    /// Plays at `defaultRate`.
    open func play() { rate = defaultRate }

    /// Sets `rate` to 0. The place is kept to the sample.
    open func pause() { rate = 0 }

    /// Plays at `rate` at once: there is never anything to wait for but the opening of the file.
    open func playImmediately(atRate rate: Float) { self.rate = rate }

    /// Stored for ported code: a file of this machine never stalls.
    open var automaticallyWaitsToMinimizeStalling: Bool {
        get { state.withLock(\.waitsToMinimizeStalling) }
        set { state.withLock { $0.waitsToMinimizeStalling = newValue } }
    }

    /// What happens when an item was heard to its end: `pause` at first. Setting another value at the
    /// end acts at once. Precondition: `advance` is an `AVQueuePlayer`'s.
    open var actionAtItemEnd: ActionAtItemEnd {
        get { read(\.actionAtItemEnd, "actionAtItemEnd", \.actionAtItemEnd) }
        set {
            precondition(
                newValue != .advance || self is AVQueuePlayer, "only an AVQueuePlayer advances")
            setAction(newValue)
        }
    }

    // MARK: How loud

    /// 0 for silence to 1 for the samples as they are; reached by a ramp without a click.
    open var volume: Float {
        get { read(\.volume, "volume", \.volume) }
        set {
            change { $0.volume = min(max(newValue, 0), 1) }
            postVolume()
        }
    }

    /// Whether it is silent, whatever the volume.
    open var isMuted: Bool {
        get { read(\.isMuted, "isMuted", \.isMuted) }
        set {
            change { $0.isMuted = newValue }
            post.set { $0.isMuted = newValue }
        }
    }
}
