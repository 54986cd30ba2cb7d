public import UndersongBase
public import UndersongPlayback

/// Subscribes to events from now on, starting with a few that describe the current state.
public struct Subscribe: ControlCall {
    /// The subscription.
    public struct Reply: Codable, Hashable, Sendable {
        /// The subscription's number on this connection.
        public var subscription: Int

        /// Creates a reply.
        public init(subscription: Int) { self.subscription = subscription }
    }

    /// The name of the method.
    public static let method = "subscribe"
    /// The seconds between time events on an item's timeline, above 0; nil for none.
    public var interval: WireTime?
    /// The kinds of events to receive; nil for all.
    public var kinds: [String]?
    /// Times on every item's timeline to report when they are crossed.
    public var boundaries: [WireTime]
    /// Whether the message comes with a descriptor to which events are written as plain lines;
    /// otherwise they arrive as `event` notices.
    public var isWritten: Bool

    /// Creates a request.
    public init(
        interval: WireTime?, kinds: [String]? = nil, boundaries: [WireTime] = [],
        isWritten: Bool = false
    ) {
        self.interval = interval
        self.kinds = kinds
        self.boundaries = boundaries
        self.isWritten = isWritten
    }

    /// Decodes a request; everything left out defaults to the minimum.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        interval = try members.decodeIfPresent(WireTime.self, forKey: .interval)
        kinds = try members.decodeIfPresent([String].self, forKey: .kinds)
        boundaries = try members.decodeIfPresent([WireTime].self, forKey: .boundaries) ?? []
        isWritten = try members.decodeIfPresent(Bool.self, forKey: .isWritten) ?? false
    }
}

/// An event of a subscription, with `Event` as the type of `data`.
public struct EventNotice<Event: Codable & Sendable>: ControlNotice {
    /// The name of the method.
    public static var method: String { "event" }
    /// The subscription's number on the connection.
    public var subscription: Int
    /// The number of events dropped before this one because the client was too slow; nil for none.
    public var missed: Int?
    /// An object described by `Documentation/protocol/events.schema.json`.
    public var data: Event

    /// Creates a notice.
    public init(subscription: Int, missed: Int? = nil, data: Event) {
        self.subscription = subscription
        self.missed = missed
        self.data = data
    }
}

/// Ends a subscription.
public struct Unsubscribe: ControlCall {
    /// An empty reply.
    public typealias Reply = Nothing
    /// The name of the method.
    public static let method = "unsubscribe"
    /// The subscription's number.
    public var subscription: Int

    /// Creates a request.
    public init(_ subscription: Int) { self.subscription = subscription }
}

/// Nothing is written to a subscription's descriptor any more, since nobody can read it, or since
/// that has failed.
public struct ReaderGone: ControlNotice {
    /// The name of the method.
    public static let method = "readerGone"
    /// The subscription's number.
    public var subscription: Int
    /// Why writing has failed: `no space left on device`; nil if the reader has gone.
    public var reason: String?

    /// Creates a notice.
    public init(subscription: Int, reason: String? = nil) {
        self.subscription = subscription
        self.reason = reason
    }
}
