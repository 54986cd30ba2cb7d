package import UndersongPlayback

/// An event of a player as described by `Documentation/protocol/events.schema.json`: fields common
/// to all events, and those of its kind.
package struct PlayerEvent: Hashable, Sendable {
    package var head: Head
    package var kind: Kind

    package init(_ kind: Kind, head: Head = Head()) {
        self.kind = kind
        self.head = head
    }

    /// The fields common to all events: the state of the player at that time.
    package struct Head: Codable, Hashable, Sendable {
        package var seq = 0
        package var monotonic: Int64 = 0
        package var item: Int?
        package var place = 0
        package var index: Int?
        package var number: Int?
        package var generation = 0
        package var state = "active"
        package var status = "paused"
        /// The reason for the status or, in errors, ends and changes of the sound server, for
        /// those.
        package var reason: String?
        /// The number of events that a slow reader missed right before this one.
        package var missed: Int?

        package init() {}
    }

    /// What happened.
    package enum Kind: Hashable, Sendable {
        case session(Session)
        case queue(Queue)
        case item(Item)
        case state(State)
        case jump(State)
        case time(Time)
        case boundary(Boundary)
        case clock(Clock)
        case settings(SettingsEvent)
        case application(Application)
        case policy(Policy)
        case mediaServicesWereLost
        case mediaServicesWereReset
        case routeChange(RouteChange)
        case interruption(Interruption)
        case otherAudio(OtherAudio)
        case network(Network)
        case metadata(Metadata)
        case episode(Episode)
        case refresh(RefreshEvent)
        case processing(RefreshEvent)
        case sleep(Sleep)
        case tags(Tags)
        case badge(Badge)
        case push(Push)
        case location(LocationEvent)
        case region(RegionEvent)
        case visit(Visit)
        case error(Failure)
        case end(End)
        /// A kind added in a later version.
        case other(String)
    }
}

extension PlayerEvent: Codable {
    private enum CodingKeys: CodingKey { case event }

    package init(from decoder: any Decoder) throws {
        let name = try decoder.container(keyedBy: CodingKeys.self)
            .decode(String.self, forKey: .event)
        head = try Head(from: decoder)
        kind =
            switch name {
            case "session": .session(try Session(from: decoder))
            case "queue": .queue(try Queue(from: decoder))
            case "item": .item(try Item(from: decoder))
            case "state": .state(try State(from: decoder))
            case "jump": .jump(try State(from: decoder))
            case "time": .time(try Time(from: decoder))
            case "boundary": .boundary(try Boundary(from: decoder))
            case "clock": .clock(try Clock(from: decoder))
            case "settings": .settings(try SettingsEvent(from: decoder))
            case "application": .application(try Application(from: decoder))
            case "policy": .policy(try Policy(from: decoder))
            case "mediaServicesWereLost": .mediaServicesWereLost
            case "mediaServicesWereReset": .mediaServicesWereReset
            case "routeChange": .routeChange(try RouteChange(from: decoder))
            case "interruption": .interruption(try Interruption(from: decoder))
            case "otherAudio": .otherAudio(try OtherAudio(from: decoder))
            case "network": .network(try Network(from: decoder))
            case "metadata": .metadata(try Metadata(from: decoder))
            case "episode": .episode(try Episode(from: decoder))
            case "refresh": .refresh(try RefreshEvent(from: decoder))
            case "processing": .processing(try RefreshEvent(from: decoder))
            case "sleep": .sleep(try Sleep(from: decoder))
            case "tags": .tags(try Tags(from: decoder))
            case "badge": .badge(try Badge(from: decoder))
            case "push": .push(try Push(from: decoder))
            case "location": .location(try LocationEvent(from: decoder))
            case "region": .region(try RegionEvent(from: decoder))
            case "visit": .visit(try Visit(from: decoder))
            case "error": .error(try Failure(from: decoder))
            case "end": .end(try End(from: decoder))
            default: .other(name)
            }
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(kind.name, forKey: .event)
        try head.encode(to: encoder)
        try kind.encoded.fields?.encode(to: encoder)
    }
}

extension PlayerEvent.Kind {
    /// The value of the field `event`.
    package var name: String { encoded.name }

    /// The value of the field `event`, and the other fields.
    fileprivate var encoded: (name: String, fields: (any Encodable)?) {
        switch self {
        case .session(let fields): ("session", fields)
        case .queue(let fields): ("queue", fields)
        case .item(let fields): ("item", fields)
        case .state(let fields): ("state", fields)
        case .jump(let fields): ("jump", fields)
        case .time(let fields): ("time", fields)
        case .boundary(let fields): ("boundary", fields)
        case .clock(let fields): ("clock", fields)
        case .settings(let fields): ("settings", fields)
        case .application(let fields): ("application", fields)
        case .policy(let fields): ("policy", fields)
        case .mediaServicesWereLost: ("mediaServicesWereLost", nil)
        case .mediaServicesWereReset: ("mediaServicesWereReset", nil)
        case .routeChange(let fields): ("routeChange", fields)
        case .interruption(let fields): ("interruption", fields)
        case .otherAudio(let fields): ("otherAudio", fields)
        case .network(let fields): ("network", fields)
        case .metadata(let fields): ("metadata", fields)
        case .episode(let fields): ("episode", fields)
        case .refresh(let fields): ("refresh", fields)
        case .processing(let fields): ("processing", fields)
        case .sleep(let fields): ("sleep", fields)
        case .tags(let fields): ("tags", fields)
        case .badge(let fields): ("badge", fields)
        case .push(let fields): ("push", fields)
        case .location(let fields): ("location", fields)
        case .region(let fields): ("region", fields)
        case .visit(let fields): ("visit", fields)
        case .error(let fields): ("error", fields)
        case .end(let fields): ("end", fields)
        case .other(let name): (name, nil)
        }
    }
}
