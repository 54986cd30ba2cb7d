public import Foundation
public import Observation
public import Playback
import Synchronization

/// Something on its way through a player: an asset, the part of it that is to be heard, and what has
/// become of it. One item is in one player at a time (behaviour 2.2). Any thread may use it;
/// properties that the sound changes are changed on the main queue.
open class AVPlayerItem: NSObject, KeyValueObservable, Observable, NSCopying, @unchecked Sendable {
    /// Whether an item can be played, with Apple's raw values.
    public enum Status: Int, Sendable {
        /// Not looked at yet: it is in no player.
        case unknown
        /// It can be played.
        case readyToPlay
        /// It cannot: `error` says why.
        case failed
    }

    struct State {
        var status = Status.unknown
        var error: AVError?
        var duration = CMTime.indefinite
        var forwardEnd = CMTime.invalid
        var reverseEnd = CMTime.zero
        /// Where playing begins, when it was sought in before it was played.
        var start = CMTime.zero
        var events: [AVPlayerItemErrorLogEvent] = []
        weak var player: AVPlayer?
        /// Its name in that player's queue.
        var id: ItemID?
    }

    /// What the item plays.
    public let asset: AVAsset
    /// Stored for ported code: a file of this machine is always read ahead by seconds.
    public var preferredForwardBufferDuration: TimeInterval {
        get { preferences.withLock(\.buffer) }
        set { preferences.withLock { $0.buffer = newValue } }
    }
    /// Stored for ported code: at other rates than 1 the pitch is always kept.
    public var audioTimePitchAlgorithm: AVAudioTimePitchAlgorithm {
        get { preferences.withLock(\.algorithm) }
        set { preferences.withLock { $0.algorithm = newValue } }
    }

    /// Those who observe this item.
    public let keyValueObservers = KeyValueObservers()
    let registrar = ObservationRegistrar()
    let state = Mutex(State())
    private let preferences = Mutex(
        (buffer: TimeInterval(0), algorithm: AVAudioTimePitchAlgorithm.timeDomain))

    /// Makes an item that plays the file at `url`.
    public convenience init(url: URL) { self.init(asset: AVURLAsset(url: url)) }

    /// Makes an item that plays `asset`. The keys are loaded anyway.
    public init(asset: AVAsset, automaticallyLoadedAssetKeys keys: [String]? = nil) {
        self.asset = asset
    }

    // MARK: What it is

    /// Whether it can be played. It is looked at when it comes into a player, and not any more when
    /// it has left it.
    open var status: Status { read(\.status, "status", \.status) }
    /// Why `status` is `failed`; nil when it is not.
    open var error: (any Error)? { read(\.error, "error", \.error) }
    /// The length of the asset, whatever `forwardPlaybackEndTime` is; `indefinite` until it is known,
    /// exact from then on or a little later, when the file had to be read for it.
    open var duration: CMTime { read(\.duration, "duration", \.duration) }

    /// Where playing ends, which counts as the item's end; `invalid`, as at first, for the asset's.
    open var forwardPlaybackEndTime: CMTime {
        get { state.withLock(\.forwardEnd) }
        set {
            state.withLock { $0.forwardEnd = newValue }
            tellRange()
        }
    }
    /// Stored for ported code: nothing plays backwards.
    open var reversePlaybackEndTime: CMTime {
        get { state.withLock(\.reverseEnd) }
        set { state.withLock { $0.reverseEnd = newValue } }
    }

    // MARK: How it is read

    /// The whole asset, once it is ready: it is a file.
    open var loadedTimeRanges: [NSValue] { seekableTimeRanges }
    /// The whole asset, once it is ready.
    open var seekableTimeRanges: [NSValue] {
        let (status, duration) = (status, duration)
        guard status == .readyToPlay, duration.isNumeric else { return [] }
        return [NSValue(timeRange: CMTimeRange(start: .zero, duration: duration))]
    }
    /// Whether its samples will come in time: once it is ready.
    open var isPlaybackLikelyToKeepUp: Bool { status == .readyToPlay }
    /// Whether there is nothing to play yet.
    open var isPlaybackBufferEmpty: Bool { status != .readyToPlay }
    /// Whether no more is read ahead.
    open var isPlaybackBufferFull: Bool { status == .readyToPlay }
    /// Up to twice as fast, as all items.
    open var canPlayFastForward: Bool { status == .readyToPlay }
    /// Down to half as fast.
    open var canPlaySlowForward: Bool { status == .readyToPlay }
    /// Nothing plays backwards.
    open var canPlayReverse: Bool { false }
    /// Nothing plays backwards.
    open var canPlayFastReverse: Bool { false }
    /// Nothing plays backwards.
    open var canPlaySlowReverse: Bool { false }

    /// What went wrong with it, in the order of time; nil when nothing has.
    open func errorLog() -> AVPlayerItemErrorLog? {
        let events = state.withLock(\.events)
        return events.isEmpty ? nil : AVPlayerItemErrorLog(events)
    }

    /// Nil: there is no network to tell of.
    open func accessLog() -> AVPlayerItemAccessLog? { nil }

    // MARK: Time

    /// The item's time that is heard, or where it will begin.
    open func currentTime() -> CMTime {
        let (player, start) = state.withLock { ($0.player, $0.start) }
        guard let player, player.state.withLock({ $0.current?.item === self }) else {
            return start
        }
        return player.currentTime()
    }

    /// Makes an item that plays the same, and is in no player.
    open func copy(with zone: NSZone? = nil) -> Any { duplicate() }

    func duplicate() -> AVPlayerItem {
        let copy = AVPlayerItem(asset: asset)
        let (forwardEnd, reverseEnd) = state.withLock { ($0.forwardEnd, $0.reverseEnd) }
        copy.forwardPlaybackEndTime = forwardEnd
        copy.reversePlaybackEndTime = reverseEnd
        return copy
    }
}

/// How the pitch is kept at other rates than 1.
public struct AVAudioTimePitchAlgorithm: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public let rawValue: String

    /// Makes an algorithm of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// What is used here, whatever is set.
    public static let timeDomain = AVAudioTimePitchAlgorithm(rawValue: "TimeDomain")
    /// Stored only.
    public static let spectral = AVAudioTimePitchAlgorithm(rawValue: "Spectral")
    /// Stored only.
    public static let varispeed = AVAudioTimePitchAlgorithm(rawValue: "Varispeed")
    /// Stored only.
    public static let lowQualityZeroLatency = AVAudioTimePitchAlgorithm(
        rawValue: "LowQualityZeroLatency")
}
