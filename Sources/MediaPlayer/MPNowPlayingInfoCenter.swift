import AVFoundation
import Background
public import Foundation
import Synchronization
import Threads

/// What this process plays, as others may show it (behaviour 2.6). Any thread may use it.
public final class MPNowPlayingInfoCenter: NSObject, Sendable {
    static let clock = SystemClock()
    private static let shared = MPNowPlayingInfoCenter { Double(clock.now) / 1e9 }

    /// The one of this process.
    public static func `default`() -> MPNowPlayingInfoCenter { shared }

    private let state: Mutex<NowPlayingState>
    let now: @Sendable () -> Double
    private let handlers = Mutex<[@Sendable () -> Void]>([])

    /// Makes one that reads seconds from `now`, for tests.
    package init(now: @escaping @Sendable () -> Double) {
        self.now = now
        state = Mutex(NowPlayingState(anchor: now()))
    }

    /// The item that is playing, by the keys `MPMediaItemProperty…` and
    /// `MPNowPlayingInfoProperty…`; nil for none.
    ///
    /// The time goes on by itself from the moment of setting: set it only when something else
    /// happens than playing on.
    public var nowPlayingInfo: [String: Any]? {
        get { state.withLock { $0.info }.values }
        set {
            let info = NowPlayingInfo(values: newValue)
            let time = now()
            state.withLock { $0.set(info, at: time) }
            tellChange()
        }
    }

    /// Whether it plays. Apple reads it on the Mac only; here it counts if it was set: in the
    /// states `paused`, `stopped` and `interrupted` the time stands still, whatever the rate is.
    public var playbackState: MPNowPlayingPlaybackState {
        get { state.withLock { $0.playbackState } }
        set {
            let time = now()
            state.withLock { $0.set(newValue, at: time) }
            tellChange()
        }
    }

    private func tellChange() {
        for handler in handlers.withLock({ $0 }) { handler() }
    }

    /// The hand of whatever shows what is playing.
    public var host: Host { Host(center: self) }

    /// What shows the item: on Apple's systems the lock screen, here what serves a desktop.
    public struct Host: Sendable {
        fileprivate let center: MPNowPlayingInfoCenter

        /// Where the item is now, in seconds; nil without an item.
        public var elapsedPlaybackTime: TimeInterval? {
            let time = center.now()
            return center.state.withLock { $0.elapsed(at: time) }
        }

        /// How fast it moves now: 0 while it stands still.
        public var playbackRate: Double { center.state.withLock { $0.rate } }

        /// Calls `handler` after each change, on the thread that made it.
        public func onChange(_ handler: @escaping @Sendable () -> Void) {
            center.handlers.withLock { $0.append(handler) }
        }
    }
}

/// Whether something plays.
public enum MPNowPlayingPlaybackState: UInt, Sendable {
    /// Nobody has said.
    case unknown = 0
    /// It plays.
    case playing = 1
    /// It is paused.
    case paused = 2
    /// It has stopped.
    case stopped = 3
    /// It was interrupted.
    case interrupted = 4
}

/// What an item is.
public enum MPNowPlayingInfoMediaType: UInt, Sendable {
    /// Nobody has said.
    case none = 0
    /// Sound.
    case audio = 1
    /// Pictures with sound.
    case video = 2
}

/// The dictionary of an item.
struct NowPlayingInfo: @unchecked Sendable {
    // Sendable: it is handed on and read, never changed. What an application puts into it must bear
    // that, as on Apple's systems.
    let values: [String: Any]?

    func number(_ key: String) -> Double? {
        switch values?[key] {
        case let number as NSNumber: number.doubleValue
        case let float as CGFloat: Double(float)
        default: nil
        }
    }
}

/// What is playing, and where it was when that was last said.
struct NowPlayingState: Sendable {
    private(set) var info = NowPlayingInfo(values: nil)
    private(set) var playbackState = MPNowPlayingPlaybackState.unknown
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

    func elapsed(at now: Double) -> Double? {
        guard info.values != nil else { return nil }
        return NowPlaying.elapsed(
            from: position, rate: rate, after: now - anchor,
            duration: info.number(MPMediaItemPropertyPlaybackDuration))
    }

    /// A missing rate is 1.
    var rate: Double {
        guard info.values != nil, [.unknown, .playing].contains(playbackState) else { return 0 }
        return info.number(MPNowPlayingInfoPropertyPlaybackRate) ?? 1
    }
}
