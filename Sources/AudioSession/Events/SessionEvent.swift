public import Background
public import Playback

/// One thing that happened, with a snapshot of the whole player at that moment.
public struct SessionEvent: Sendable {
    /// Of a queue's items so many are told in its event, at most.
    public static let listedItems = 100

    /// Counts every event of the session from 1, so that a reader sees what it missed.
    public internal(set) var sequence = 0
    /// Nanoseconds of CLOCK_MONOTONIC: for sound, when it was heard. Never less than the last one.
    public internal(set) var hostTime: Int64 = 0
    /// The player as it was then.
    public internal(set) var snapshot = Snapshot()
    /// What happened.
    public package(set) var kind = Kind.state
    /// Of events by `addTimeEvents(_:)` the id that it gave, else nil.
    public internal(set) var watch: WatchID?

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

        /// Seconds of the item in one second while sound runs.
        public internal(set) var nominalRate = 1.0

        /// Whether the sound server's device is muted or at volume 0, so that nothing is heard of it.
        public internal(set) var isDeviceSilent = false

        /// Seconds of the item in one second, 0 while no sound runs.
        public var rate: Double { status == .playing ? nominalRate : 0 }
    }

    /// What happened. What is told often is small, and the rest lies elsewhere, so that an event is
    /// quick to copy.
    public enum Kind: Sendable {
        /// The session begins.
        indirect case session(SessionDescription)
        /// The queue has these items now, the current one first, `listedItems` of them at most;
        /// `count` includes the others, and played ones.
        indirect case queue([QueueItem], count: Int)
        /// An item begins to be heard.
        indirect case itemBegan(QueueItem, MediaDescription?)
        /// The exact length of the item that is heard has become known.
        indirect case itemMeasured(QueueItem, MediaDescription)
        /// An item was heard to its end, which is at this time of it.
        indirect case itemEnded(QueueItem, at: CMTime)
        /// An item was left for another before its end: this time of it was not heard any more.
        indirect case itemLeft(QueueItem, at: CMTime)
        /// Within the same item, time has jumped to `snapshot.position`.
        case jump
        /// The status has changed: `snapshot.status`.
        case state
        /// The item's time has come to `snapshot.position`; `isExact` where the player stands
        /// still or the item ends, else it is a multiple of the interval.
        case time(isExact: Bool)
        /// The item's time has crossed one that was asked for, `snapshot.position`.
        case boundary
        /// Positions may be off by so many seconds from now on, as far as the device's own reports
        /// tell; 0.001 at least, which is what is taken for granted until this is told.
        case clock(uncertainty: Double)
        /// Volume, rate or a mode has changed.
        indirect case settings(PlayerSettings)
        /// The host's state has changed: `snapshot.applicationState`.
        indirect case application([LifecycleEvent], source: String)
        /// The session policy has decided anew.
        indirect case policy(PolicyDecision)
        /// The sound server is gone, and why: nothing sounds until it is back.
        indirect case mediaServicesWereLost(reason: String)
        /// The sound server is back.
        case mediaServicesWereReset
        /// The sound goes elsewhere.
        indirect case routeChanged(RouteChange)
        /// An interruption has begun or ended.
        indirect case interruption(InterruptionEvent)
        /// What of other sounds can be heard now.
        case otherAudio(OtherAudio)
        /// Something could not be done.
        indirect case error(SessionFailure)
        /// What was there to play is over, and the session goes on: the queue was played, it was
        /// stopped or replaced, or the output has failed. What is counted begins anew.
        indirect case runEnded(SessionEnd)
        /// The session is over; nothing follows.
        indirect case end(SessionEnd)
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

/// A failure with its code, its cause and, when there is one, the item.
public struct SessionFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The reason as a program reads it.
    public var code: String
    /// The item that it concerns; nil when it is none of the queue's.
    public var item: ItemID?
    /// "cannot open /a.mp3: No such file or directory"
    public var description: String
    /// The part behind the colon.
    public var reason: String

    /// Makes a failure that has nothing to do with an item. `description` reads "cannot do this:
    /// That is why".
    public init(code: String, description: String) {
        self.code = code
        self.description = description
        let parts = description.split(separator: ": ", maxSplits: 1)
        reason = parts.count == 2 ? String(parts[1]) : description
    }

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
