public import Foundation
public import Observation
import Synchronization
public import UndersongPlayback

/// An item of a player: an asset, the part of it to be heard, and its state. An item is in one
/// player at a time (behaviour 2.2). Any thread may use it; playback changes its properties on the
/// main queue.
open class AVPlayerItem: NSObject, NSKeyValueObservation.Observable, Observable, NSCopying,
    @unchecked Sendable
{
    /// The ability of an item to be played, with Apple's raw values.
    public enum Status: Int, Sendable {
        /// Not opened yet: the item is in no player.
        case unknown
        /// It can be played.
        case readyToPlay
        /// It cannot be played: `error` says why.
        case failed
    }

    struct State {
        var status = Status.unknown
        var error: (any Error)?
        var duration = CMTime.indefinite
        var forwardEnd = CMTime.invalid
        var reverseEnd = CMTime.zero
        /// The time at which playback starts, after a seek before the item was current.
        var start = CMTime.zero
        var events: [AVPlayerItemErrorLogEvent] = []
        /// True if the player waits for the item's bytes.
        var isStalled = false
        /// The last title of a live stream.
        var title: String?
        var outputs: [AVPlayerItemOutput] = []
        var audioMix: AVAudioMix?
        var isTrackEnabled = true
        /// The records of what was read over the network, and whether the last record is that of
        /// the item's place in its present player.
        var accesses: [AccessRecord] = []
        var isAccessOpen = false
        /// The time at which the item was put into the player, and how long it took from then until
        /// it was ready.
        var attached: Double?
        var startupTime: Double = -1
        weak var player: AVPlayer?
        /// Its id in that player's queue.
        var id: ItemID?
    }

    /// The asset that the item plays.
    public let asset: AVAsset
    /// The seconds to read ahead of what is on the network, as nearly as its bit rate is known, but
    /// at least 512 KiB; 0, the default, for 8 MiB. Of two items with the same URL the one set last
    /// counts. Local files are always read some seconds ahead.
    public var preferredForwardBufferDuration: TimeInterval {
        get { preferences.withLock(\.buffer) }
        set {
            preferences.withLock { $0.buffer = newValue }
            setReadAhead()
        }
    }
    /// Stored for ported code: the pitch is always kept.
    public var audioTimePitchAlgorithm: AVAudioTimePitchAlgorithm {
        get { preferences.withLock(\.algorithm) }
        set { preferences.withLock { $0.algorithm = newValue } }
    }

    /// The observers of this item.
    public let keyValueObservers = NSKeyValueObservation.Observers()
    let registrar = ObservationRegistrar()
    let state = Mutex(State())
    private let preferences = Mutex(
        (buffer: TimeInterval(0), algorithm: AVAudioTimePitchAlgorithm.timeDomain))

    /// Makes an item that plays what is at `url`: a file, or a file or a live stream on the network.
    public convenience init(url: URL) { self.init(asset: AVURLAsset(url: url)) }

    /// Makes an item that plays `asset`. The keys are ignored: what a player needs is always
    /// loaded.
    public init(asset: AVAsset, automaticallyLoadedAssetKeys keys: [String]? = nil) {
        self.asset = asset
    }

    // MARK: Status and duration

    /// The item's ability to be played. It is opened when it is added to a player; the status no
    /// longer changes once it has left the player.
    open var status: Status { read(\.status, "status", \.status) }
    /// The reason why `status` is `failed`; otherwise nil.
    open var error: (any Error)? { read(\.error, "error", \.error) }
    /// The length of the asset, whatever `forwardPlaybackEndTime` is; `indefinite` until it is
    /// known. It becomes exact shortly afterwards if the whole file has to be read for it.
    open var duration: CMTime { read(\.duration, "duration", \.duration) }

    /// The time at which playback ends, which counts as the item's end; `invalid`, the default, for
    /// the asset's end.
    open var forwardPlaybackEndTime: CMTime {
        get { state.withLock(\.forwardEnd) }
        set {
            state.withLock { $0.forwardEnd = newValue }
            applyRange()
        }
    }
    /// Stored for ported code: playback in reverse is not supported.
    open var reversePlaybackEndTime: CMTime {
        get { state.withLock(\.reverseEnd) }
        set { state.withLock { $0.reverseEnd = newValue } }
    }

    // MARK: Buffering

    /// The whole asset, once it is ready; nothing of a live stream.
    open var seekableTimeRanges: [NSValue] {
        let (status, duration) = (status, duration)
        guard status == .readyToPlay, duration.isNumeric else { return [] }
        return [NSValue(timeRange: CMTimeRange(start: .zero, duration: duration))]
    }
    /// True if rates above 1 are supported: up to 32, once the item is ready.
    open var canPlayFastForward: Bool { status == .readyToPlay }
    /// True if rates below 1 are supported: down to 1/32, once the item is ready.
    open var canPlaySlowForward: Bool { status == .readyToPlay }
    /// Always false: playback in reverse is not supported.
    open var canPlayReverse: Bool { false }
    /// Always false: playback in reverse is not supported.
    open var canPlayFastReverse: Bool { false }
    /// Always false: playback in reverse is not supported.
    open var canPlaySlowReverse: Bool { false }

    /// The item's errors, oldest first; nil if there are none.
    open func errorLog() -> AVPlayerItemErrorLog? {
        let events = state.withLock(\.events)
        return events.isEmpty ? nil : AVPlayerItemErrorLog(events)
    }

    // MARK: Time

    /// The item's time that is heard, or from which it will start.
    open func currentTime() -> CMTime {
        let (player, start) = state.withLock { ($0.player, $0.start) }
        guard let player, player.state.withLock({ $0.current?.item === self }) else {
            return start
        }
        return player.currentTime()
    }

    /// The item's timeline. Its rate is that of the sound: 0 while the item is not current, is paused,
    /// or waits.
    public var timebase: CMTimebase? {
        CMTimebase(
            time: { [weak self] in self?.currentTime() ?? .invalid },
            rate: { [weak self] in self?.soundingRate ?? 0 })
    }

    private var soundingRate: Double {
        guard let player = state.withLock(\.player) else { return 0 }
        return player.state.withLock { state in
            let isSounding = state.current?.item === self && state.timeControlStatus == .playing
            return isSounding ? Double(state.rate) : 0
        }
    }

    /// Makes an item that plays the same media and is in no player.
    open func copy(with zone: NSZone? = nil) -> Any { duplicate() }

    func duplicate() -> AVPlayerItem {
        let copy = AVPlayerItem(asset: asset)
        let (forwardEnd, reverseEnd) = state.withLock { ($0.forwardEnd, $0.reverseEnd) }
        copy.forwardPlaybackEndTime = forwardEnd
        copy.reversePlaybackEndTime = reverseEnd
        copy.audioMix = audioMix
        copy.preferredForwardBufferDuration = preferredForwardBufferDuration
        return copy
    }
}

/// The algorithm that keeps the pitch at rates other than 1.
public struct AVAudioTimePitchAlgorithm: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public let rawValue: String

    /// Makes an algorithm of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The algorithm that is used, whatever is set.
    public static let timeDomain = AVAudioTimePitchAlgorithm(rawValue: "TimeDomain")
    /// Stored, but not used.
    public static let spectral = AVAudioTimePitchAlgorithm(rawValue: "Spectral")
    /// Stored, but not used.
    public static let varispeed = AVAudioTimePitchAlgorithm(rawValue: "Varispeed")
    /// Stored, but not used.
    public static let lowQualityZeroLatency = AVAudioTimePitchAlgorithm(
        rawValue: "LowQualityZeroLatency")
}
