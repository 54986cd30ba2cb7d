/// Something that happened in a player, as `Resources/events.schema.json` describes it: what every
/// event has, and beside it the fields of its kind.
package struct PlayerEvent: Hashable, Sendable {
    package var head: Head
    package var kind: Kind

    package init(_ kind: Kind, head: Head = Head()) {
        self.kind = kind
        self.head = head
    }

    /// What every event has: the player as it was then.
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
        /// Why the status is what it is; of errors, ends and changes of the sound server why they
        /// happened.
        package var reason: String?
        /// Events that a slow reader missed right before this one.
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
        case settings(Settings)
        case application(Application)
        case policy(Policy)
        case mediaServicesWereLost
        case mediaServicesWereReset
        case routeChange(RouteChange)
        case interruption(Interruption)
        case otherAudio(OtherAudio)
        case error(Failure)
        case end(End)
        /// A kind that a later version has.
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
            case "settings": .settings(try Settings(from: decoder))
            case "application": .application(try Application(from: decoder))
            case "policy": .policy(try Policy(from: decoder))
            case "mediaServicesWereLost": .mediaServicesWereLost
            case "mediaServicesWereReset": .mediaServicesWereReset
            case "routeChange": .routeChange(try RouteChange(from: decoder))
            case "interruption": .interruption(try Interruption(from: decoder))
            case "otherAudio": .otherAudio(try OtherAudio(from: decoder))
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
    /// What the field `event` says.
    package var name: String { encoded.name }

    /// What the field `event` says, and the fields beside it.
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
        case .error(let fields): ("error", fields)
        case .end(let fields): ("end", fields)
        case .other(let name): (name, nil)
        }
    }
}
