/// Decides whether sound should run. What the user wants and what forbids it are stored separately;
/// the status is computed from both in one place, so they cannot disagree.
///
/// Inputs are commands (`play`) and past-tense facts (`outputLost`); outputs are actions for the
/// engine to perform.
package struct PlayerStateMachine: Sendable {
    package enum Action: Equatable, Sendable {
        /// Run the output from where it was held, or as soon as there is one. The status is
        /// `.playing` once there is sound.
        case runOutput
        /// Silence the output and keep the position to the frame; `release` also gives up the
        /// device. The status becomes `then` once the output is silent.
        case holdOutput(release: Bool, then: TimeControlStatus)
        /// Publish this new status, which no sound has to confirm.
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
        /// There is no output; the frames that it had not played were taken back.
        case lost
        /// It accepts no frames, but keeps those that it has.
        case stalled
    }

    private enum Supply: Equatable {
        /// The bytes of what plays are here in time.
        case flows
        /// Everything that could be decoded was heard, and the next bytes have not arrived.
        case isStarved
    }

    /// True if the user wants playback, even if something forbids it.
    package private(set) var wantsPlayback = false
    private var suppressions: [SuppressionReason] = []
    private var item = Item.none
    private var output = Output.works
    private var supply = Supply.flows
    /// True if the output was last asked to run rather than to hold.
    private var isOutputRunning = false
    private var pauseReason = PauseReason.userPaused

    package init() {}

    /// True if nothing forbids sound.
    package var isAllowed: Bool { suppressions.isEmpty }

    /// Behaviour 2.2: paused if playback is not wanted, otherwise playing or waiting for a named
    /// reason.
    package var timeControlStatus: TimeControlStatus {
        guard wantsPlayback else { return .paused(pauseReason) }
        if let first = suppressions.first { return .paused(.suppressed(first)) }
        switch item {
        case .none: return .waiting(.noItemToPlay)
        case .loading: return .waiting(.evaluatingBufferingRate)
        case .ready where output != .works: return .waiting(.noOutput)
        case .ready: return supply == .flows ? .playing : .waiting(.toMinimizeStalls)
        }
    }

    package mutating func play() -> [Action] { transition { $0.wantsPlayback = true } }

    /// Stops wanting playback. The reason is ignored if playback was not wanted.
    package mutating func pause(_ reason: PauseReason = .userPaused) -> [Action] {
        transition { machine in
            if machine.wantsPlayback || reason == .userPaused { machine.pauseReason = reason }
            machine.wantsPlayback = false
        }
    }

    /// The output is gone and has reported that it stopped.
    package mutating func outputLost() -> [Action] { transition { $0.output = .lost } }
    /// The output accepts no more frames, for whatever reason.
    package mutating func outputStalled() -> [Action] {
        transition { if $0.output == .works { $0.output = .stalled } }
    }
    /// The output works, for the first time or again.
    package mutating func outputWorks() -> [Action] { transition { $0.output = .works } }
    /// True if there is no working output.
    package var isWithoutOutput: Bool { output != .works }

    /// Sound has stopped for want of bytes, which was reported as it happened.
    package mutating func starved() -> [Action] { transition { $0.supply = .isStarved } }
    /// There is sound again, which was reported as it happened; or, in silence, there will be.
    package mutating func supplied() -> [Action] { transition { $0.supply = .flows } }
    /// True if sound would be heard at once if the output ran.
    package var isSupplied: Bool { supply == .flows }

    /// The queue has items, none of which is open yet.
    package mutating func itemsAppended() -> [Action] {
        transition { if $0.item == .none { $0.item = .loading } }
    }
    /// The first item is open, and the output format is known.
    package mutating func itemBecameReady() -> [Action] { transition { $0.item = .ready } }
    /// The current item was closed and has to be reopened.
    package mutating func itemClosed() -> [Action] {
        transition { machine in
            if machine.item == .ready { machine.item = .loading }
            (machine.output, machine.supply) = (.works, .flows)
        }
    }
    /// Every item has been heard or skipped.
    package mutating func queueEnded() -> [Action] {
        transition { ($0.item, $0.output, $0.supply) = (.none, .works, .flows) }
    }

    /// The session policy has decided; an empty list allows playback.
    package mutating func policyDecided(_ reasons: [SuppressionReason]) -> [Action] {
        transition { $0.suppressions = reasons }
    }

    private mutating func transition(_ change: (inout PlayerStateMachine) -> Void) -> [Action] {
        let (before, outputBefore, supplyBefore) = (timeControlStatus, output, supply)
        change(&self)
        let after = timeControlStatus
        let runs = wantsPlayback && suppressions.isEmpty && item == .ready
        defer { isOutputRunning = runs }
        if runs != isOutputRunning && item == .ready {
            guard runs else { return [.holdOutput(release: !suppressions.isEmpty, then: after)] }
            return after == .playing ? [.runOutput] : [.runOutput, .publish(after)]
        }
        guard before != after else { return [] }
        // A lost output stops by itself and a new one starts running, and so does one that gets no
        // frames: the output reports that.
        let isReported =
            runs && (output == .lost || outputBefore == .lost || supply != supplyBefore)
        return isReported ? [] : [.publish(after)]
    }
}

/// The player's activity, as Apple's `AVPlayer.TimeControlStatus` names it, with the reason.
public enum TimeControlStatus: Hashable, Sendable {
    /// Silent until something changes that.
    case paused(PauseReason)
    /// Playback is wanted and allowed, and begins as soon as it can.
    case waiting(WaitingReason)
    /// Sound is playing.
    case playing

    /// `paused`, `waiting` or `playing`.
    public var name: String {
        switch self {
        case .paused: "paused"
        case .waiting: "waiting"
        case .playing: "playing"
        }
    }

    /// The status without its reason.
    public var state: PlayingState {
        switch self {
        case .paused: .paused
        case .waiting: .waiting
        case .playing: .playing
        }
    }

    /// The reason why the player is not playing; nil if it is.
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

/// The state of a player.
public enum PlayingState: String, Codable, Hashable, Sendable, CaseIterable {
    case paused, waiting, playing
}

/// The reason why a player does not play, in one word: the reasons of a pause, of waiting, and
/// those of the session policy.
public enum SilenceReason: String, Codable, Hashable, Sendable, CaseIterable {
    case userPaused, oldDeviceUnavailable, interruptionEnded
    case hostStopped, interrupted, deviceMissing, categoryForbidsBackground, appBackgrounded
    case noItemToPlay, evaluatingBufferingRate, toMinimizeStalls, noOutput
}

/// The reason why a player is paused.
public enum PauseReason: Hashable, Sendable {
    /// Playback was never requested, or was paused on request.
    case userPaused
    /// The device it played on disappeared (behaviour 2.5, T58).
    case oldDeviceUnavailable
    /// An interruption ended without the option to resume (T52).
    case interruptionEnded
    /// Playback is wanted, but not allowed at the moment.
    case suppressed(SuppressionReason)
}

/// The reason why a player waits, named after Apple's `AVPlayer.WaitingReason`.
public enum WaitingReason: String, Hashable, Sendable {
    /// The queue is empty.
    case noItemToPlay
    /// The first item is being opened.
    case evaluatingBufferingRate
    /// Bytes that are needed now have not arrived from the network.
    case toMinimizeStalls
    /// There is no sound server or file to play to. Apple has no equivalent.
    case noOutput
}

/// A reason that forbids playback although the user wants it, as named by the session policy.
public struct SuppressionReason: RawRepresentable, Codable, Hashable, Sendable {
    /// The name of the reason as used in events.
    public let rawValue: String

    /// Creates a reason with this name.
    public init(rawValue: String) { self.rawValue = rawValue }
}
