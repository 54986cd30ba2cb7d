public import UndersongBase
public import UndersongPlayback

/// Requests events from now on, starting with a few that describe the current state.
package struct Subscribe: ControlCall {
    /// The subscription.
    package struct Reply: Codable, Hashable, Sendable {
        /// The subscription's number on this connection.
        package var subscription: Int

        package init(subscription: Int) { self.subscription = subscription }
    }

    package static let method = "events.subscribe"
    /// The time between time events on an item's timeline, above 0; nil for none.
    package var interval: WireTime?
    /// The kinds of events to receive; nil for all.
    package var kinds: [String]?
    /// Times on every item's timeline to report when they are crossed.
    package var boundaries: [WireTime]?
    /// True if the message comes with a descriptor to which events are written as plain lines;
    /// otherwise they arrive as `event` notices.
    package var isWritten: Bool?

    package init(
        interval: WireTime?, kinds: [String]? = nil, boundaries: [WireTime] = [],
        isWritten: Bool = false
    ) {
        self.interval = interval
        self.kinds = kinds
        self.boundaries = boundaries
        self.isWritten = isWritten
    }
}

/// Ends a subscription.
package struct Unsubscribe: ControlCall {
    package typealias Reply = Nothing
    package static let method = "events.unsubscribe"
    /// The subscription's number.
    package var subscription: Int

    package init(_ subscription: Int) { self.subscription = subscription }
}

/// Attaches the caller to the host, with the state that it observes there; it counts until the
/// connection ends or reports another one.
package struct Attach: ControlCall {
    package typealias Reply = Nothing
    package static let method = "host.attach"
    /// The host's state.
    package var state: ApplicationState
    /// The place where the state was observed: `terminal`, `option`, `none`.
    package var source: String

    package init(state: ApplicationState, source: String) {
        self.state = state
        self.source = source
    }
}

/// An event of a subscription.
package struct EventNotice: ControlNotice {
    package static let method = "event"
    /// The subscription's number on the connection.
    package var subscription: Int
    /// The number of events dropped before this one because the client was too slow; nil for none.
    package var missed: Int?
    /// The event.
    package var data: PlayerEvent

    package init(subscription: Int, missed: Int? = nil, data: PlayerEvent) {
        self.subscription = subscription
        self.missed = missed
        self.data = data
    }
}

/// The run that this connection follows has ended.
extension SessionEnd: ControlNotice {
    /// The name of the method.
    public static var method: String { "runEnded" }
}

/// The end of writing to a subscription's descriptor: it has no reader, or writing has failed.
package struct ReaderGone: ControlNotice {
    package static let method = "readerGone"
    /// The subscription's number.
    package var subscription: Int
    /// The reason writing has failed: `no space left on device`; nil if the reader has gone.
    package var reason: String?

    package init(subscription: Int, reason: String? = nil) {
        self.subscription = subscription
        self.reason = reason
    }
}
