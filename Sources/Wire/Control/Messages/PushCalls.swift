public import UndersongBase

/// Sends a remote notification to the service, or says how they reach it and who handles them.
public struct PushCall: ControlCall {
    /// What is asked for.
    public enum Action: String, Codable, Sendable {
        /// Send a push. The reply comes when it is on the disk.
        case send
        /// Return the token by which senders name this service.
        case token
        /// Set where pushes come from besides the socket; only query it without a `provider`.
        case provider
        /// Return what waits, and what was counted.
        case status
        /// Make this connection a program that handles pushes, until it closes.
        case register
        /// Let this connection handle pushes no more.
        case unregister
        /// Say that a push given to this connection was handled.
        case answer
        /// Say that pushes may have been lost before they came here. All feeds are read instead.
        case missing
        /// Say that a message was refused before it came here, since it is not a push.
        case refused
    }

    /// The reply; which members it has depends on the action.
    public struct Reply: Codable, Hashable, Sendable {
        /// The service's number for the push that was sent, or that stands for those that are missing.
        public var push: Int?
        /// `delivered`, or `held` if it waits.
        public var phase: String?
        /// Why it waits: see `PushState.Waiting.because`.
        public var because: String?
        /// True if a push with the same `id` was taken before.
        public var duplicate: Bool?
        /// The token.
        public var token: String?
        /// What waits, and what was counted. With `token` only if pushes come by UnifiedPush.
        public var state: PushState?

        /// Creates a reply without members.
        public init() {}
    }

    /// The name of the method.
    public static let method = "push"
    /// What is asked for.
    public var action: Action
    /// For `send`, the payload: the text of a JSON object with `aps`, 4096 bytes at most. It is a
    /// string so that no reader of JSON changes a byte of it.
    public var payload: String?
    /// For `send`, the token of the service; nil to leave out the check.
    public var token: String?
    /// For `send`, whom the push concerns, 255 bytes at most; nil for the payload's `Simulator
    /// Target Bundle`, or the service itself.
    public var topic: String?
    /// For `send` and `missing`, the sender's identifier, by which a repetition is recognized; nil for
    /// one of the service's, with `send`.
    public var id: String?
    /// For `send`, `background` or `alert`, as the header `apns-push-type`; nil to derive it from the
    /// payload.
    public var type: String?
    /// For `send`, whether the push needs no wake of the throttle.
    public var now: Bool?
    /// For `provider`, `local`, `ntfy` or `unifiedpush`.
    public var provider: String?
    /// For `provider`, the URL of ntfy's topic.
    public var url: String?
    /// For `provider`, the distributor of UnifiedPush; nil for the one of the registration, or the
    /// first that is found.
    public var distributor: String?
    /// For `provider`, the public key of the only sender that UnifiedPush lets send, in base64 for
    /// URLs; nil for any.
    public var vapid: String?
    /// For `register`, the topics to handle; nil for all.
    public var topics: [String]?
    /// For `answer`, the number of the push.
    public var push: Int?
    /// For `answer`, `newData`, `noData` or `failed`.
    public var result: String?
    /// For `refused`, the reason, as a sentence.
    public var because: String?

    /// Creates a request.
    public init(_ action: Action) { self.action = action }

    /// Creates a request to send a push.
    public static func send(
        _ payload: String, token: String? = nil, topic: String? = nil, id: String? = nil
    ) -> PushCall {
        var call = PushCall(.send)
        (call.payload, call.token, call.topic, call.id) = (payload, token, topic, id)
        return call
    }

    /// Creates a report that pushes may be missing.
    public static func missing(id: String) -> PushCall {
        var call = PushCall(.missing)
        call.id = id
        return call
    }

    /// Creates a report that a message was refused.
    public static func refused(because reason: String) -> PushCall {
        var call = PushCall(.refused)
        call.because = reason
        return call
    }

    /// Creates an answer to `PushReceived`.
    public static func answer(_ push: Int, _ result: String) -> PushCall {
        var call = PushCall(.answer)
        (call.push, call.result) = (push, result)
        return call
    }
}

/// How pushes reach the service, and what has become of them.
public struct PushState: Codable, Hashable, Sendable {
    /// A push that waits.
    public struct Waiting: Codable, Hashable, Sendable {
        /// The service's number for it.
        public var push: Int
        /// Its topic.
        public var topic: String
        /// Why it waits: `shutDown`, `notDeclared`, `noWake`, `noProgram`, `busy`, `throttled`.
        public var because: String
        /// When it arrived, in seconds since 1970.
        public var received: Double
        /// The seconds until time alone releases it; nil if that does not.
        public var wait: Double?

        /// Creates a push that waits.
        public init(
            push: Int, topic: String, because: String, received: Double, wait: Double? = nil
        ) {
            self.push = push
            self.topic = topic
            self.because = because
            self.received = received
            self.wait = wait
        }
    }

    /// What was counted since the first push. `received` is the sum of `handled`, `superseded`,
    /// `abandoned`, those that wait and those being handled.
    public struct Counts: Codable, Hashable, Sendable {
        /// Pushes that were taken.
        public var received: Int
        /// Pushes that were handled, or whose time was over.
        public var handled: Int
        /// Pushes in whose place a newer one of the topic has come.
        public var superseded: Int
        /// Pushes whose programs ended too often without an answer.
        public var abandoned: Int
        /// Pushes being handled.
        public var handling: Int
        /// Repetitions of pushes that were taken before.
        public var duplicates: Int
        /// Pushes that were not taken.
        public var refused: Int

        /// Creates counts.
        public init(
            received: Int = 0, handled: Int = 0, superseded: Int = 0, abandoned: Int = 0,
            handling: Int = 0, duplicates: Int = 0, refused: Int = 0
        ) {
            self.received = received
            self.handled = handled
            self.superseded = superseded
            self.abandoned = abandoned
            self.handling = handling
            self.duplicates = duplicates
            self.refused = refused
        }
    }

    /// Where pushes come from besides the socket: `local` for nowhere, `ntfy` or `unifiedpush`.
    public var provider: String
    /// The provider's URL, if it has one, without user, password and query.
    public var url: String?
    /// Whether the mode `remote-notification` is declared.
    public var declared: Bool
    /// How many programs have registered.
    public var programs: Int
    /// How many wakes are available at the moment, 3 at most.
    public var wakes: Int
    /// The seconds until there is one more; nil if all are available.
    public var nextWake: Double?
    /// The pushes that wait, oldest first.
    public var waiting: [Waiting]
    /// What was counted.
    public var counts: Counts
    /// The registration with a distributor of UnifiedPush; nil for other providers.
    public var subscription: PushSubscription?

    /// Creates a state.
    public init(
        provider: String, url: String? = nil, declared: Bool, programs: Int, wakes: Int,
        nextWake: Double? = nil, waiting: [Waiting] = [], counts: Counts = Counts()
    ) {
        self.provider = provider
        self.url = url
        self.declared = declared
        self.programs = programs
        self.wakes = wakes
        self.nextWake = nextWake
        self.waiting = waiting
        self.counts = counts
    }
}

/// A push for a program that has registered. It has to answer within `timeRemaining` seconds.
public struct PushReceived: ControlNotice {
    /// The name of the method.
    public static let method = "push.received"
    /// The service's number for the push. After a crash of the program or the service before the
    /// answer, the same push comes again with the same number.
    public var push: Int
    /// Its topic.
    public var topic: String
    /// The payload's text, byte for byte as it was sent.
    public var userInfo: String
    /// The seconds to handle it.
    public var timeRemaining: Double
    /// How often it was given to a program, this time included.
    public var attempt: Int

    /// Creates a notice.
    public init(
        push: Int, topic: String, userInfo: String, timeRemaining: Double, attempt: Int
    ) {
        self.push = push
        self.topic = topic
        self.userInfo = userInfo
        self.timeRemaining = timeRemaining
        self.attempt = attempt
    }
}

/// The program's time for a push is over; its answer counts no more.
public struct PushExpired: ControlNotice {
    /// The name of the method.
    public static let method = "push.expired"
    /// The number of the push.
    public var push: Int

    /// Creates a notice.
    public init(push: Int) { self.push = push }
}
