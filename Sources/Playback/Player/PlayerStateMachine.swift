/// Decides whether sound should run. What the user wants and what forbids it are stored apart; the
/// status is computed from both in one place, so they cannot disagree.
///
/// Inputs are commands (`play`) and past-tense facts (`outputFailed`); outputs are actions that the
/// engine carries out.
package struct PlayerStateMachine: Sendable {
    package enum Action: Equatable, Sendable {
        /// Let the output run from where it was held, or as soon as there is one. It is `.playing`
        /// once sound is there.
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

    private enum Output: Equatable {
        case works
        /// There is none; what it held was taken back.
        case lost
        /// It takes nothing, and holds what it has.
        case stalled
    }

    /// Whether the user wants sound, whatever forbids it.
    package private(set) var wantsPlayback = false
    private var suppressions: [SuppressionReason] = []
    private var item = Item.none
    private var output = Output.works
    /// Whether the output was told to run, and not told to hold since.
    private var isOutputRunning = false
    private var pauseReason = PauseReason.userPaused

    package init() {}

    /// Whether nothing forbids sound.
    package var isAllowed: Bool { suppressions.isEmpty }

    /// Behaviour 2.2: paused when nothing is wanted, else playing or waiting for a named reason.
    package var timeControlStatus: TimeControlStatus {
        guard wantsPlayback else { return .paused(pauseReason) }
        if let first = suppressions.first { return .paused(.suppressed(first)) }
        switch item {
        case .none: return .waiting(.noItemToPlay)
        case .loading: return .waiting(.evaluatingBufferingRate)
        case .ready: return output == .works ? .playing : .waiting(.noOutput)
        }
    }

    package mutating func play() -> [Action] { transition { $0.wantsPlayback = true } }

    /// Playing is not wanted any more. Why counts only where it was.
    package mutating func pause(_ reason: PauseReason = .userPaused) -> [Action] {
        transition { machine in
            if machine.wantsPlayback || reason == .userPaused { machine.pauseReason = reason }
            machine.wantsPlayback = false
        }
    }

    /// The output is gone: it has told that it stands still.
    package mutating func outputLost() -> [Action] { transition { $0.output = .lost } }
    /// The output takes nothing any more, for whatever reason.
    package mutating func outputStalled() -> [Action] {
        transition { if $0.output == .works { $0.output = .stalled } }
    }
    /// The output works, anew or again.
    package mutating func outputWorks() -> [Action] { transition { $0.output = .works } }
    /// Whether there is no output that works.
    package var isWithoutOutput: Bool { output != .works }

    /// The queue has items, of which none is open yet.
    package mutating func itemsAppended() -> [Action] {
        transition { if $0.item == .none { $0.item = .loading } }
    }
    /// The first item is open and the output's format is known.
    package mutating func itemBecameReady() -> [Action] { transition { $0.item = .ready } }
    /// The current item has been closed, and will have to be opened anew.
    package mutating func itemClosed() -> [Action] {
        transition { machine in
            if machine.item == .ready { machine.item = .loading }
            machine.output = .works
        }
    }
    /// Every item has been heard or skipped.
    package mutating func queueEnded() -> [Action] {
        transition { ($0.item, $0.output) = (.none, .works) }
    }

    /// The session policy has decided: an empty list allows playback.
    package mutating func policyDecided(_ reasons: [SuppressionReason]) -> [Action] {
        transition { $0.suppressions = reasons }
    }

    private mutating func transition(_ change: (inout PlayerStateMachine) -> Void) -> [Action] {
        let (before, outputBefore) = (timeControlStatus, output)
        change(&self)
        let after = timeControlStatus
        let runs = wantsPlayback && suppressions.isEmpty && item == .ready
        defer { isOutputRunning = runs }
        if runs != isOutputRunning && item == .ready {
            guard runs else { return [.holdOutput(release: !suppressions.isEmpty, then: after)] }
            return after == .playing ? [.runOutput] : [.runOutput, .publish(after)]
        }
        guard before != after else { return [] }
        // What is lost stands still and what is new runs on: the output tells both.
        let isTold = runs && (output == .lost || outputBefore == .lost)
        return isTold ? [] : [.publish(after)]
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
        case .paused(.oldDeviceUnavailable): "oldDeviceUnavailable"
        case .paused(.interruptionEnded): "interruptionEnded"
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
    /// The device is gone on which it played (behaviour 2.5, T58).
    case oldDeviceUnavailable
    /// An interruption is over, and its end did not say to go on (T52).
    case interruptionEnded
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
