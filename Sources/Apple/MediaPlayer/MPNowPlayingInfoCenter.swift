public import Foundation
import Synchronization
import UndersongAVFoundation
import UndersongBackground
import UndersongBase

/// The information about what this process plays, for other programs to show (behaviour 2.6). Any
/// thread may use it.
public final class MPNowPlayingInfoCenter: NSObject, Sendable {
    static let clock = SystemClock()
    private static let shared = MPNowPlayingInfoCenter { Double(clock.now) / 1e9 }

    /// The center of this process.
    public static func `default`() -> MPNowPlayingInfoCenter { shared }

    private let state: Mutex<NowPlayingState>
    let now: @Sendable () -> Double
    private let handlers = Mutex<[@Sendable () -> Void]>([])

    /// Creates a center that reads seconds from `now`, for tests.
    package init(now: @escaping @Sendable () -> Double) {
        self.now = now
        state = Mutex(NowPlayingState(anchor: now()))
    }

    /// The item that is playing, by the keys `MPMediaItemProperty…` and
    /// `MPNowPlayingInfoProperty…`; nil for none.
    ///
    /// The elapsed time advances automatically from the moment of setting: set it again only when
    /// something other than normal playback happens.
    public var nowPlayingInfo: [String: Any]? {
        get { state.withLock { $0.info }.values }
        set {
            let info = NowPlayingInfo(values: newValue)
            let time = now()
            state.withLock { $0.set(info, at: time) }
            reportChange()
        }
    }

    /// The playback state. Apple uses it on the Mac only; here it counts if it was set: while
    /// `paused`, `stopped` or `interrupted` the time stops, whatever the rate is. As long as it was
    /// not, the time stops while this process's players are silent, as on a phone.
    public var playbackState: MPNowPlayingPlaybackState {
        get { state.withLock { $0.playbackState } }
        set {
            let time = now()
            state.withLock { $0.set(newValue, at: time) }
            reportChange()
        }
    }

    /// Reports whether this process's players play; nil if it has none.
    func setSounding(_ isSounding: Bool?) {
        let time = now()
        state.withLock { $0.setSounding(isSounding, at: time) }
        reportChange()
    }

    private func reportChange() {
        for handler in handlers.withLock({ $0 }) { handler() }
    }

    /// The interface for whatever shows what is playing.
    public var host: Host { Host(center: self) }

    /// The side that shows the item: on Apple's systems the lock screen, here the desktop.
    public struct Host: Sendable {
        fileprivate let center: MPNowPlayingInfoCenter

        /// The item's current position in seconds; nil without an item.
        public var elapsedPlaybackTime: TimeInterval? {
            let time = center.now()
            return center.state.withLock { $0.elapsed(at: time) }
        }

        /// The rate at which it advances; 0 while it is stopped.
        public var playbackRate: Double { center.state.withLock { $0.rate } }

        /// Calls `handler` after each change, on the thread that made it.
        public func onChange(_ handler: @escaping @Sendable () -> Void) {
            center.handlers.withLock { $0.append(handler) }
        }
    }
}

/// The state of playback.
public enum MPNowPlayingPlaybackState: UInt, Sendable {
    /// Never set.
    case unknown = 0
    /// Playing.
    case playing = 1
    /// Paused.
    case paused = 2
    /// Stopped.
    case stopped = 3
    /// Interrupted.
    case interrupted = 4
}

/// The type of an item.
public enum MPNowPlayingInfoMediaType: UInt, Sendable {
    /// Not specified.
    case none = 0
    /// Sound.
    case audio = 1
    /// Video.
    case video = 2
}

/// The dictionary of an item.
struct NowPlayingInfo: @unchecked Sendable {
    // Sendable: the dictionary is passed on and read, never changed. The values that an application
    // puts into it must allow that, as on Apple's systems.
    let values: [String: Any]?

    func number(_ key: String) -> Double? {
        switch values?[key] {
        case let number as NSNumber: number.doubleValue
        case let float as CGFloat: Double(float)
        default: nil
        }
    }
}

/// The item that plays, and the position when that was last set.
struct NowPlayingState: Sendable {
    private(set) var info = NowPlayingInfo(values: nil)
    private(set) var playbackState = MPNowPlayingPlaybackState.unknown
    /// True if players play; true until a player reports otherwise.
    private var isSounding = true
    private var position = 0.0
    private var anchor: Double

    init(anchor: Double) { self.anchor = anchor }

    mutating func set(_ info: NowPlayingInfo, at now: Double) {
        self.info = info
        position = info.number(MPNowPlayingInfoPropertyElapsedPlaybackTime) ?? 0
        anchor = now
    }

    mutating func set(_ playbackState: MPNowPlayingPlaybackState, at now: Double) {
        position = elapsed(at: now) ?? 0
        anchor = now
        self.playbackState = playbackState
    }

    /// Sound has begun or ended; nil says nothing.
    mutating func setSounding(_ isSounding: Bool?, at now: Double) {
        position = elapsed(at: now) ?? 0
        anchor = now
        self.isSounding = isSounding ?? self.isSounding
    }

    func elapsed(at now: Double) -> Double? {
        guard info.values != nil else { return nil }
        return NowPlaying.elapsed(
            from: position, rate: rate, after: now - anchor,
            duration: info.number(MPMediaItemPropertyPlaybackDuration))
    }

    /// The rate; 1 if missing.
    var rate: Double {
        let isPlaying = playbackState == .unknown ? isSounding : playbackState == .playing
        guard info.values != nil, isPlaying else { return 0 }
        return info.number(MPNowPlayingInfoPropertyPlaybackRate) ?? 1
    }
}
