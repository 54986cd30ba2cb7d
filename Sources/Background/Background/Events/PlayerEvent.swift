public import UndersongBase
public import UndersongLibrary
public import UndersongLocation
public import UndersongPlayback
public import UndersongPodcasts

/// An event with the state of the player at that moment: one object of
/// `Documentation/protocol/events.schema.json`.
///
/// A new kind is a case of `Kind` and a row of `Kind.rows`.
public struct PlayerEvent: Equatable, Sendable {
    /// The maximum number of items in a queue event.
    public static let listedItems = 100

    /// The fields common to all events.
    public package(set) var head: Head
    /// The kind, with its members.
    public package(set) var kind: Kind
    /// The id that `AudioSession.addTimeEvents(_:)` returned, for an event that it requested;
    /// otherwise nil. It is not encoded.
    public package(set) var watch: WatchID?

    package init(_ kind: Kind = .state, head: Head = Head()) {
        self.kind = kind
        self.head = head
    }

    /// The player at the moment of an event.
    public struct Head: Equatable, Sendable {
        /// The event's number in the session, from 1, which shows a reader what it missed.
        public package(set) var sequence = 0
        /// Nanoseconds of CLOCK_MONOTONIC; for sound, when it was heard. Never decreases.
        public package(set) var hostTime: Int64 = 0
        /// The item that is heard, or will be heard first; nil if the queue is empty.
        public package(set) var item: ItemID?
        /// The item's place in the queue, from 0, counting all items that the queue has contained.
        public package(set) var place = 0
        /// Increases with every jump, to distinguish events before and after it.
        public package(set) var generation = 0
        /// The host's state.
        public package(set) var applicationState = ApplicationState.active
        /// The state of playback.
        public package(set) var status = PlayingState.paused
        /// The reason it does not; nil if it does. Not decoded where the event itself has a reason.
        public package(set) var reason: Open<SilenceReason>? = .known(.userPaused)
        /// The number of time events that a slow reader missed right before this event.
        public package(set) var missed = 0

        /// The item's time reported last, exact while the player is stopped. It is encoded, as are
        /// the rate and the device's silence, with the kinds of events that report it.
        public package(set) var position = CMTime.zero
        /// Seconds of the item per second while sound is playing.
        public package(set) var nominalRate = 1.0
        /// True if the sound server's device is muted or at volume 0, so that nothing can be heard.
        public package(set) var isDeviceSilent = false
        /// True if the sound has been exact digital silence in the background for 10 minutes.
        public package(set) var isDigitallySilent = false

        package init() {}

        /// Seconds of the item per second; 0 while no sound is playing.
        public var rate: Double { status == .playing ? nominalRate : 0 }

        /// Sets the status and its reason.
        package mutating func enter(_ new: TimeControlStatus) {
            (status, reason) = (new.state, new.reason.map { Open(word: $0) })
        }
    }

    /// The kinds. Frequent ones are small and the others are stored indirectly, so that an
    /// event is quick to copy.
    public enum Kind: Equatable, Sendable {
        /// The session begins.
        indirect case session(SessionDescription)
        /// The queue now has these items, the current one first, at most `listedItems` of them;
        /// `count` includes all others, played ones too.
        indirect case queue([QueueItem], count: Int)
        /// An item begins or ceases to be heard, or its exact length is known.
        indirect case item(ItemEvent)
        /// Time has jumped to `head.position` within the item.
        case jump
        /// The status has changed to `head.status`.
        case state
        /// The item's time has reached `head.position`; `isExact` if the player has stopped or the
        /// item has ended, otherwise it is a multiple of the interval.
        case time(isExact: Bool)
        /// The item's time has crossed a requested time, `head.position`.
        case boundary
        /// The accuracy of positions in seconds from now on, as far as the device's own reports
        /// show; at least 0.001, which is assumed until the first such event.
        case clock(uncertainty: Double)
        /// The volume, rate or another setting has changed.
        indirect case settings(SettingsEvent)
        /// The host's state has changed to `head.applicationState`.
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
        /// Other audio can be heard, or no longer.
        case otherAudio(OtherAudio)
        /// The bytes of the current item have ceased to arrive, or arrive again.
        indirect case network(NetworkEvent)
        /// The station's title for the part of a live stream that is heard from now on.
        indirect case metadata(title: String)
        /// An episode of a podcast has changed.
        indirect case episode(EpisodeReport)
        /// A background task that looks for something new has changed.
        indirect case refresh(RefreshEvent)
        /// A background task that processes has changed.
        indirect case processing(RefreshEvent)
        /// The time at which playback is to stop by itself has changed.
        indirect case sleep(SleepReport)
        /// The titles, artists, albums and lengths of this many more items of the queue are known.
        case tags(Int)
        /// The library has changed.
        indirect case library(LibraryEvent)
        /// The number of new episodes and other news since the host was opened.
        case badge(Int)
        /// A remote notification has come, or its state has changed.
        indirect case push(PushReport)
        /// The machine's location, or why it is unknown.
        indirect case location(LocationEvent)
        /// The machine has entered a place that is watched, or left it.
        indirect case region(RegionEvent)
        /// A stay at a place has begun, or is over.
        indirect case visit(Visit)
        /// An app has changed.
        indirect case app(AppEvent)
        /// Something could not be done.
        indirect case error(SessionFailure)
        /// A run is over, but the session continues: the queue was played, stopped or replaced, or
        /// the output has failed. Counters start again from zero.
        indirect case runEnded(SessionEnd)
        /// The session has ended; nothing follows.
        indirect case end(SessionEnd)
        /// A kind that a later version has added.
        indirect case other(String)
    }
}

extension PlayerEvent.Kind {
    /// The kinds by the values of the field `event`, with the members that each adds to those of the
    /// head: the one definition by which events are read and written. The first one is frequent.
    private static let rows: [EventRow] = [
        EventRow("time", "exact", Self.time) {
            if case .time(let isExact) = $0 { isExact } else { nil }
        },
        EventRow("state", Self.state),
        EventRow("jump", Self.jump),
        EventRow("boundary", Self.boundary),
        EventRow("session", Self.session) { if case .session(let it) = $0 { it } else { nil } },
        EventRow("queue", { (it: QueueContents) in .queue(it.items, count: it.count) }) {
            if case .queue(let items, let count) = $0 {
                QueueContents(items: items, count: count)
            } else {
                nil
            }
        },
        EventRow("item", Self.item) { if case .item(let it) = $0 { it } else { nil } },
        EventRow("clock", "uncertainty", Self.clock) {
            if case .clock(let it) = $0 { it } else { nil }
        },
        EventRow("settings", Self.settings) { if case .settings(let it) = $0 { it } else { nil } },
        EventRow(
            "application", { (it: HostChange) in .application(it.lifecycle, source: it.source) }
        ) {
            if case .application(let events, let source) = $0 {
                HostChange(lifecycle: events, source: source)
            } else {
                nil
            }
        },
        EventRow("policy", Self.policy) { if case .policy(let it) = $0 { it } else { nil } },
        EventRow("mediaServicesWereLost", "reason", Self.mediaServicesWereLost) {
            if case .mediaServicesWereLost(let it) = $0 { it } else { nil }
        },
        EventRow("mediaServicesWereReset", Self.mediaServicesWereReset),
        EventRow("routeChange", Self.routeChanged) {
            if case .routeChanged(let it) = $0 { it } else { nil }
        },
        EventRow("interruption", Self.interruption) {
            if case .interruption(let it) = $0 { it } else { nil }
        },
        EventRow("otherAudio", Self.otherAudio) {
            if case .otherAudio(let it) = $0 { it } else { nil }
        },
        EventRow("network", Self.network) { if case .network(let it) = $0 { it } else { nil } },
        EventRow("metadata", "title", Self.metadata) {
            if case .metadata(let it) = $0 { it } else { nil }
        },
        EventRow("episode", Self.episode) { if case .episode(let it) = $0 { it } else { nil } },
        EventRow("refresh", Self.refresh) { if case .refresh(let it) = $0 { it } else { nil } },
        EventRow("processing", Self.processing) {
            if case .processing(let it) = $0 { it } else { nil }
        },
        EventRow("sleep", Self.sleep) { if case .sleep(let it) = $0 { it } else { nil } },
        EventRow("tags", "count", Self.tags) { if case .tags(let it) = $0 { it } else { nil } },
        EventRow("library", Self.library) { if case .library(let it) = $0 { it } else { nil } },
        EventRow("badge", "count", Self.badge) { if case .badge(let it) = $0 { it } else { nil } },
        EventRow("push", Self.push) { if case .push(let it) = $0 { it } else { nil } },
        EventRow("location", Self.location) { if case .location(let it) = $0 { it } else { nil } },
        EventRow("region", Self.region) { if case .region(let it) = $0 { it } else { nil } },
        EventRow("visit", Self.visit) { if case .visit(let it) = $0 { it } else { nil } },
        EventRow("app", Self.app) { if case .app(let it) = $0 { it } else { nil } },
        EventRow("error", Self.error) { if case .error(let it) = $0 { it } else { nil } },
        EventRow("end", { (it: RunResult) in .runEnded(it.end) }) {
            switch $0 {
            case .end(let end), .runEnded(let end): RunResult(end: end)
            default: nil
            }
        },
    ]

    /// The values of the field `event`.
    package static let names: [String] = rows.map(\.name)

    /// The value of the field `event`.
    public var name: String { encoded?.name ?? "" }

    /// The value of the field `event`, and the members of the kind.
    fileprivate var encoded: (name: String, members: any Encodable)? {
        if case .other(let name) = self { return (name, Nothing()) }
        for row in Self.rows {
            if let members = row.members(self) { return (row.name, members) }
        }
        return nil
    }

    /// The kind of this name with the members in `decoder`.
    fileprivate init(_ name: String, _ decoder: any Decoder) throws {
        self = try Self.rows.first { $0.name == name }?.decode(decoder) ?? .other(name)
    }

    /// True if `reason` is the event's own, rather than that of the status.
    fileprivate var hasReason: Bool {
        switch self {
        case .mediaServicesWereLost, .routeChanged, .error, .runEnded, .end: true
        default: false
        }
    }
}

// MARK: Reading and writing

extension PlayerEvent: Codable {
    enum Field: String, CodingKey {
        case event, seq, monotonic, item, place, index, number, generation, state, status, reason
        case missed, position, rate, deviceSilent, digitalSilence, value, timescale, seconds
        case change, id, title, path, pathBytes, duration, exact, tags, format
        case encoderDelay, encoderPadding, count, items, start, end
    }

    /// Decodes an event. The kinds that a later version has added, and members that it has added to
    /// others, are no errors.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Field.self)
        kind = try Kind(members.decode(String.self, forKey: .event), decoder)
        head = try Head(members, hasReason: !kind.hasReason)
    }

    /// Encodes the event as one object.
    public func encode(to encoder: any Encoder) throws {
        guard let (name, fields) = kind.encoded else {
            let context = EncodingError.Context(codingPath: [], debugDescription: "It has no row")
            throw EncodingError.invalidValue(kind, context)
        }
        var members = encoder.container(keyedBy: Field.self)
        try members.encode(name, forKey: .event)
        try head.encode(to: &members, item: item, hasReason: !kind.hasReason)
        switch kind {
        case .state, .jump:
            try members.encodeTime(head.position, forKey: .position)
            try members.encode(head.rate, forKey: .rate)
            if head.isDeviceSilent { try members.encode(true, forKey: .deviceSilent) }
            if head.isDigitallySilent { try members.encode(true, forKey: .digitalSilence) }
        case .time:
            try members.encode(head.position)
            try members.encode(head.rate, forKey: .rate)
        case .boundary: try members.encode(head.position)
        default: break
        }
        try fields.encode(to: encoder)
    }

    /// The item that the event concerns.
    private var item: ItemID? {
        switch kind {
        case .item(.ended(let item, _)), .item(.left(let item, _)): item.id
        case .error(let failure): failure.item
        default: head.item
        }
    }
}

extension PlayerEvent.Head {
    fileprivate init(
        _ members: KeyedDecodingContainer<PlayerEvent.Field>, hasReason: Bool
    ) throws {
        sequence = try members.decode(Int.self, forKey: .seq)
        hostTime = try members.decode(Int64.self, forKey: .monotonic)
        item = try members.decodeIfPresent(Int.self, forKey: .item).flatMap(ItemID.init(exactly:))
        place = try members.decode(Int.self, forKey: .place)
        generation = try members.decode(Int.self, forKey: .generation)
        applicationState = try members.decode(ApplicationState.self, forKey: .state)
        status = try members.decode(PlayingState.self, forKey: .status)
        reason =
            hasReason
            ? try members.decodeIfPresent(Open<SilenceReason>.self, forKey: .reason) : nil
        missed = try members.decodeIfPresent(Int.self, forKey: .missed) ?? 0
        if members.contains(.position) {
            position = try members.decodeTime(forKey: .position)
        } else if members.contains(.value) {
            position = CMTime(
                value: try members.decode(Int64.self, forKey: .value),
                timescale: try members.decode(Int32.self, forKey: .timescale))
        }
        if status == .playing, let rate = try? members.decodeIfPresent(Double.self, forKey: .rate) {
            nominalRate = rate
        }
        isDeviceSilent = try members.decodeIfPresent(Bool.self, forKey: .deviceSilent) ?? false
        isDigitallySilent =
            try members.decodeIfPresent(Bool.self, forKey: .digitalSilence) ?? false
    }

    fileprivate func encode(
        to members: inout KeyedEncodingContainer<PlayerEvent.Field>, item: ItemID?, hasReason: Bool
    ) throws {
        try members.encode(sequence, forKey: .seq)
        try members.encode(hostTime, forKey: .monotonic)
        try members.encodeIfPresent(item?.number, forKey: .item)
        try members.encode(place, forKey: .place)
        if self.item != nil {
            try members.encode(place, forKey: .index)
            try members.encode(place + 1, forKey: .number)
        }
        try members.encode(generation, forKey: .generation)
        try members.encode(applicationState, forKey: .state)
        try members.encode(status, forKey: .status)
        if hasReason { try members.encodeIfPresent(reason, forKey: .reason) }
        if missed > 0 { try members.encode(missed, forKey: .missed) }
    }
}

extension KeyedEncodingContainer<PlayerEvent.Field> {
    /// Encodes a time among the other members.
    mutating func encode(_ time: CMTime) throws {
        try encode(time.value, forKey: .value)
        try encode(time.timescale, forKey: .timescale)
        try encode(time.seconds, forKey: .seconds)
    }

    /// Encodes a time as an object.
    mutating func encodeTime(_ time: CMTime, isExact: Bool? = nil, forKey key: Key) throws {
        var members = nestedContainer(keyedBy: Key.self, forKey: key)
        try members.encode(time)
        try members.encodeIfPresent(isExact, forKey: .exact)
    }
}

extension KeyedDecodingContainer<PlayerEvent.Field> {
    /// Decodes a time that is an object.
    func decodeTime(forKey key: Key) throws -> CMTime {
        let time = try decode(WireTime.self, forKey: key)
        return CMTime(value: time.value, timescale: time.timescale)
    }
}
