public import UndersongBackground
public import UndersongLocation
public import UndersongPlayback
public import UndersongPodcasts

/// Something that happened, with a snapshot of the whole player at that moment.
public struct SessionEvent: Sendable {
    /// The maximum number of items in a queue event.
    public static let listedItems = 100

    /// The event's number in the session, from 1, which shows a reader what it missed.
    public internal(set) var sequence = 0
    /// Nanoseconds of CLOCK_MONOTONIC; for sound, when it was heard. Never decreases.
    public internal(set) var hostTime: Int64 = 0
    /// The player at that time.
    public internal(set) var snapshot = Snapshot()
    /// What happened.
    public package(set) var kind = Kind.state
    /// For an event requested by `addTimeEvents(_:)`, the id that it returned; otherwise nil.
    public internal(set) var watch: WatchID?

    /// The player at one moment.
    public struct Snapshot: Sendable {
        /// The item that is heard, or will be heard first; nil if the queue is empty.
        public internal(set) var item: ItemID?
        /// The item's place in the queue, from 0, counting all items that the queue has contained.
        public internal(set) var place = 0
        /// Increases with every jump, to distinguish events before and after it.
        public internal(set) var generation = 0
        /// The host's state.
        public internal(set) var applicationState = ApplicationState.active
        /// What the player is doing and why.
        public internal(set) var status = TimeControlStatus.paused(.userPaused)
        /// The item's time reported last, exact while the player is stopped.
        public internal(set) var position = CMTime.zero

        /// Seconds of the item per second while sound is playing.
        public internal(set) var nominalRate = 1.0

        /// Whether the sound server's device is muted or at volume 0, so that nothing can be heard.
        public internal(set) var isDeviceSilent = false

        /// Seconds of the item per second; 0 while no sound is playing.
        public var rate: Double { status == .playing ? nominalRate : 0 }
    }

    /// What happened. Frequent kinds are small and the others are stored indirectly, so that an
    /// event is quick to copy.
    public enum Kind: Sendable {
        /// The session begins.
        indirect case session(SessionDescription)
        /// The queue now has these items, the current one first, at most `listedItems` of them;
        /// `count` includes all others, played ones too.
        indirect case queue([QueueItem], count: Int)
        /// An item is heard from its start.
        indirect case itemBegan(QueueItem, MediaDescription?)
        /// The exact length of the item being heard is known.
        indirect case itemMeasured(QueueItem, MediaDescription)
        /// An item was heard to its end, at this time.
        indirect case itemEnded(QueueItem, at: CMTime)
        /// An item was left for another before its end; this time of it was the first not heard.
        indirect case itemLeft(QueueItem, at: CMTime)
        /// Time has jumped to `snapshot.position` within the item.
        case jump
        /// The status has changed to `snapshot.status`.
        case state
        /// The item's time has reached `snapshot.position`; `isExact` if the player has stopped or
        /// the item has ended, otherwise it is a multiple of the interval.
        case time(isExact: Bool)
        /// The item's time has crossed a requested time, `snapshot.position`.
        case boundary
        /// The accuracy of positions in seconds from now on, as far as the device's own reports
        /// show; at least 0.001, which is assumed until the first such event.
        case clock(uncertainty: Double)
        /// The volume, rate or another setting has changed.
        indirect case settings(PlayerSettings)
        /// The host's state has changed to `snapshot.applicationState`.
        indirect case application([LifecycleEvent], source: String)
        /// The session policy has made a new decision.
        indirect case policy(PolicyDecision)
        /// The sound server is gone, and why; there is no sound until it is back.
        indirect case mediaServicesWereLost(reason: String)
        /// The sound server is back.
        case mediaServicesWereReset
        /// The sound is routed elsewhere.
        indirect case routeChanged(RouteChange)
        /// An interruption has begun or ended.
        indirect case interruption(InterruptionEvent)
        /// Which other audio can be heard now.
        case otherAudio(OtherAudio)
        /// The bytes of the current item have ceased to arrive, or arrive again.
        indirect case network(NetworkItemState)
        /// What is heard of a live stream has this title from now on, according to the station.
        indirect case metadata(title: String)
        /// Something has become of an episode of a podcast.
        indirect case episode(EpisodeReport)
        /// What becomes of a background task that looks for something new.
        indirect case refresh(RefreshEvent)
        /// What becomes of a background task that processes.
        indirect case processing(RefreshEvent)
        /// When playback is to stop by itself; empty if it is not.
        indirect case sleep(SleepReport)
        /// The titles, artists, albums and lengths of this many more items of the queue are known.
        case tags(Int)
        /// How much is new since the host was opened.
        case badge(Int)
        /// A remote notification has come, or its state has changed.
        indirect case push(PushReport)
        /// Where the machine is.
        indirect case location(LocationEvent)
        /// The machine has entered a place that is watched, or left it.
        indirect case region(RegionEvent)
        /// A stay at a place has begun, or is over.
        indirect case visit(Visit)
        /// Something could not be done.
        indirect case error(SessionFailure)
        /// A run is over, but the session continues: the queue was played, stopped or replaced, or
        /// the output has failed. Counters start again from zero.
        indirect case runEnded(SessionEnd)
        /// The session has ended; nothing follows.
        indirect case end(SessionEnd)
    }
}

/// How a session was configured.
public struct SessionDescription: Equatable, Sendable {
    /// The library's version.
    public var version: String
    /// `pulse`, `null` or `wav`.
    public var output: String
    /// The seconds between time events on an item's timeline.
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
    /// A machine-readable reason.
    public var code: String
    /// The item concerned; nil if it is not in the queue.
    public var item: ItemID?
    /// "cannot open /a.mp3: No such file or directory"
    public var description: String
    /// The part after the colon.
    public var reason: String

    /// Creates a failure that does not concern an item. `description` reads "cannot do this: That
    /// is why".
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
