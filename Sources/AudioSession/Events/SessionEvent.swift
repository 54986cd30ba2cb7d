public import Background
public import Playback

/// One thing that happened, with a snapshot of the whole player at that moment.
public struct SessionEvent: Sendable {
    /// Counts every event of the session from 1, so that a reader sees what it missed.
    public let sequence: Int
    /// Nanoseconds of CLOCK_MONOTONIC: for sound, when it was heard. Never less than the last one.
    public let hostTime: Int64
    /// The player as it was then.
    public let snapshot: Snapshot
    /// What happened.
    public let kind: Kind

    /// The player at one moment.
    public struct Snapshot: Sendable {
        /// The item that is heard, or that will be heard first; nil when the queue is empty.
        public internal(set) var item: ItemID?
        /// The item's place in the queue, counted from 0 over all items that the queue has held.
        public internal(set) var place = 0
        /// Grows with every jump, so that what belongs to the time before it can be told apart.
        public internal(set) var generation = 0
        /// The host's state.
        public internal(set) var applicationState = ApplicationState.active
        /// What the player is doing and why.
        public internal(set) var status = TimeControlStatus.paused(.userPaused)
        /// The item's time that was told last, exact when the player stands still.
        public internal(set) var position = CMTime.zero

        /// 1 while sound runs, 0 while it does not.
        public var rate: Double { status == .playing ? 1 : 0 }
    }

    /// What happened.
    public enum Kind: Sendable {
        /// The session begins.
        case session(SessionDescription)
        /// The queue has these items now, the current one first; `count` includes played ones.
        case queue([QueueItem], count: Int)
        /// An item begins to be heard.
        case itemBegan(QueueItem, MediaDescription?)
        /// An item was heard to its end, `length` after its start.
        case itemEnded(QueueItem, length: CMTime)
        /// The status has changed: `snapshot.status`.
        case state
        /// The item's time has come to `snapshot.position`; `isExact` where the player stands
        /// still or the item ends, else it is a multiple of the interval.
        case time(isExact: Bool)
        /// The host's state has changed: `snapshot.applicationState`.
        case application([LifecycleEvent], source: String)
        /// The session policy has decided anew.
        case policy(PolicyDecision)
        /// Something could not be done.
        case error(SessionFailure)
        /// The session is over; nothing follows.
        case end(SessionEnd)
    }
}

/// What a session is made with.
public struct SessionDescription: Equatable, Sendable {
    /// The library's version.
    public var version: String
    /// `pulse`, `null` or `wav`.
    public var output: String
    /// Seconds between time events on an item's timeline.
    public var interval: CMTime?
    /// The session's category.
    public var category: SessionCategory
    /// The declared background modes.
    public var capabilities: Capabilities
    /// Where they are declared: a path, an option's name, or `none`.
    public var capabilitySource: String
}

/// A decision of the session policy.
public struct PolicyDecision: Equatable, Sendable {
    /// What forbids sound, the weightiest first; empty when it is allowed.
    public var reasons: [PolicyReason]
    /// Whether the `audio` mode is declared.
    public var hasAudioCapability: Bool
    /// Where that is declared.
    public var capabilitySource: String
}

/// A failure with its code, its cause and, when there is one, the item.
public struct SessionFailure: Equatable, Sendable, CustomStringConvertible {
    /// The reason as a program reads it.
    public var code: String
    /// The item that it concerns; nil when it is none of the queue's.
    public var item: ItemID?
    /// "cannot open /a.mp3: No such file or directory"
    public var description: String
    /// The part behind the colon.
    public var reason: String

    init(_ error: MediaError, item: ItemID?) {
        code = error.code.rawValue
        self.item = item
        description = error.description
        reason = error.reason
    }

    init(_ error: OutputError) {
        code = error.code.rawValue
        description = error.description
        reason = error.reason
    }
}

/// How a session ended.
public struct SessionEnd: Equatable, Sendable {
    /// Why it ended.
    public enum Reason: Equatable, Sendable {
        /// The queue was played to its end.
        case finished
        /// Somebody stopped it.
        case stopped
        /// The output failed.
        case outputFailed(OutputError.Code)
    }

    /// Why it ended.
    public var reason: Reason
    /// Items of which something was heard.
    public var playedCount: Int
    /// Items that could not be played, or not to their end.
    public var failedCount: Int
}
