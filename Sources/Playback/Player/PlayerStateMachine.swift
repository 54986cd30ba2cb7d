/// Decides whether sound should run. What the user wants and what forbids it are stored apart; the
/// status is computed from both in one place, so they cannot disagree.
///
/// Inputs are commands (`play`) and past-tense facts (`outputFailed`); outputs are actions that the
/// engine carries out.
package struct PlayerStateMachine: Sendable {
    package enum Action: Equatable, Sendable {
        /// Let the output run from where it was held. It is `.playing` once sound is there.
        case runOutput
        /// Silence the output and keep the place to the frame; `release` gives the device back too.
        /// It is `then` once silence is there.
        case holdOutput(release: Bool, then: TimeControlStatus)
        /// The status has changed while nothing sounds; say so.
        case publish(TimeControlStatus)
    }

    private enum Item: Equatable {
        /// The queue is empty.
        case none
        /// The first item has not been opened yet.
        case loading
        case ready
    }

    /// Whether the user wants sound, whatever forbids it.
    package private(set) var wantsPlayback = false
    private var suppressions: [SuppressionReason] = []
    private var item = Item.none

    package init() {}

    /// Contract 2.2: paused when nothing is wanted, else playing or waiting for a named reason.
    package var timeControlStatus: TimeControlStatus {
        guard wantsPlayback else { return .paused(.userPaused) }
        if let first = suppressions.first { return .paused(.suppressed(first)) }
        switch item {
        case .none: return .waiting(.noItemToPlay)
        case .loading: return .waiting(.evaluatingBufferingRate)
        case .ready: return .playing
        }
    }

    package mutating func play() -> [Action] { transition { $0.wantsPlayback = true } }
    package mutating func pause() -> [Action] { transition { $0.wantsPlayback = false } }

    /// The queue has items, of which none is open yet.
    package mutating func itemsAppended() -> [Action] {
        transition { if $0.item == .none { $0.item = .loading } }
    }
    /// The first item is open and the output's format is known.
    package mutating func itemBecameReady() -> [Action] { transition { $0.item = .ready } }
    /// The current item has been closed, and will have to be opened anew.
    package mutating func itemClosed() -> [Action] {
        transition { if $0.item == .ready { $0.item = .loading } }
    }
    /// Every item has been heard or skipped.
    package mutating func queueEnded() -> [Action] { transition { $0.item = .none } }

    /// The session policy has decided: an empty list allows playback.
    package mutating func policyDecided(_ reasons: [SuppressionReason]) -> [Action] {
        transition { $0.suppressions = reasons }
    }

    private mutating func transition(_ change: (inout PlayerStateMachine) -> Void) -> [Action] {
        let before = timeControlStatus
        change(&self)
        let after = timeControlStatus
        guard before != after else { return [] }
        if after == .playing { return [.runOutput] }
        if before == .playing, item == .ready {
            return [.holdOutput(release: !suppressions.isEmpty, then: after)]
        }
        return [.publish(after)]
    }
}

/// What the player is doing, as Apple's `AVPlayer.TimeControlStatus` names it, with the reason.
public enum TimeControlStatus: Hashable, Sendable {
    /// Silent, and nothing is about to change that by itself.
    case paused(PauseReason)
    /// Playing is wanted and allowed, and begins as soon as it can.
    case waiting(WaitingReason)
    /// Sound runs.
    case playing

    /// `paused`, `waiting` or `playing`.
    public var name: String {
        switch self {
        case .paused: "paused"
        case .waiting: "waiting"
        case .playing: "playing"
        }
    }

    /// Why it is not playing, nil when it is.
    public var reason: String? {
        switch self {
        case .paused(.userPaused): "userPaused"
        case .paused(.suppressed(let reason)): reason.rawValue
        case .waiting(let reason): reason.rawValue
        case .playing: nil
        }
    }
}

/// Why a player is paused.
public enum PauseReason: Hashable, Sendable {
    /// Nobody asked it to play, or somebody asked it to pause.
    case userPaused
    /// Playing is wanted but not allowed now.
    case suppressed(SuppressionReason)
}

/// Why a player waits, in Apple's words (`AVPlayer.WaitingReason`).
public enum WaitingReason: String, Hashable, Sendable {
    /// The queue is empty.
    case noItemToPlay
    /// The first item is being opened.
    case evaluatingBufferingRate
    /// There is no sound server or file that takes the sound. Ours, Apple has none.
    case noOutput
}

/// What forbids playback although the user wants it, as the session policy names it.
public struct SuppressionReason: RawRepresentable, Hashable, Sendable {
    /// The reason's name, as events carry it.
    public let rawValue: String

    /// Makes a reason of that name.
    public init(rawValue: String) { self.rawValue = rawValue }
}
