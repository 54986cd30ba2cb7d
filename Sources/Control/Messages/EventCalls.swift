/// Asks for events from now on, beginning with a few that tell how things are.
public struct Subscribe: ControlCall {
    /// The subscription.
    public struct Reply: Codable, Hashable, Sendable {
        /// Names it on this connection.
        public var subscription: Int

        /// Makes an answer.
        public init(subscription: Int) { self.subscription = subscription }
    }

    /// What it is called on the wire.
    public static let method = "subscribe"
    /// Seconds between time events on an item's timeline, above 0; nil: none.
    public var interval: WireTime?
    /// The kinds of events that are wanted; nil: all.
    public var kinds: [String]?
    /// Times on every item's timeline that are told of when they are crossed.
    public var boundaries: [WireTime]
    /// Whether a descriptor comes with the message, to which the events are written as plain lines;
    /// else they come as `event` notices.
    public var isWritten: Bool

    /// Asks for events.
    public init(
        interval: WireTime?, kinds: [String]? = nil, boundaries: [WireTime] = [],
        isWritten: Bool = false
    ) {
        self.interval = interval
        self.kinds = kinds
        self.boundaries = boundaries
        self.isWritten = isWritten
    }

    /// Reads what a client asks for; what it leaves out is as little as can be.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        interval = try members.decodeIfPresent(WireTime.self, forKey: .interval)
        kinds = try members.decodeIfPresent([String].self, forKey: .kinds)
        boundaries = try members.decodeIfPresent([WireTime].self, forKey: .boundaries) ?? []
        isWritten = try members.decodeIfPresent(Bool.self, forKey: .isWritten) ?? false
    }
}

/// One event of a subscription, with `Event` for the object in `data`.
public struct EventNotice<Event: Codable & Sendable>: ControlNotice {
    /// What it is called on the wire.
    public static var method: String { "event" }
    /// The subscription's name on the connection.
    public var subscription: Int
    /// Events that were left out before it, since the client was too slow; nil: none.
    public var missed: Int?
    /// An object as in `Resources/events.schema.json`.
    public var data: Event

    /// Makes a notice.
    public init(subscription: Int, missed: Int? = nil, data: Event) {
        self.subscription = subscription
        self.missed = missed
        self.data = data
    }
}

/// Ends a subscription.
public struct Unsubscribe: ControlCall {
    /// It is done.
    public typealias Reply = Nothing
    /// What it is called on the wire.
    public static let method = "unsubscribe"
    /// Its name.
    public var subscription: Int

    /// Ends it.
    public init(_ subscription: Int) { self.subscription = subscription }
}

/// Nobody reads any more what is written to a subscription's descriptor.
public struct ReaderGone: ControlNotice {
    /// What it is called on the wire.
    public static let method = "readerGone"
    /// The subscription.
    public var subscription: Int

    /// Makes a notice.
    public init(subscription: Int) { self.subscription = subscription }
}
