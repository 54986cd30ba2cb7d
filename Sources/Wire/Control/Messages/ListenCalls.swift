public import UndersongBase

/// Has `undersong-transferd` listen for pushes at one place, from now on and in later processes, and
/// hand them on to the session's player.
public struct ListenForPushes: ControlCall {
    /// The state of the registration with a distributor of UnifiedPush.
    public typealias Reply = PushListening
    /// The name of the method.
    public static let method = "listen"
    /// Where to listen: `ntfy` or `unifiedpush`; nil for `ntfy` if there is a URL, and else nowhere.
    public var provider: String?
    /// The URL of ntfy's topic.
    public var url: String?
    /// The distributor of UnifiedPush; nil for the one of the registration, or the first that is
    /// found.
    public var distributor: String?
    /// The public key of the only sender that UnifiedPush lets send, in base64 for URLs; nil for
    /// any, or the one of the registration.
    public var vapid: String?

    /// Creates a request to listen at a topic of ntfy, or nowhere.
    public init(url: String?) { self.url = url }

    /// Creates a request to register with a distributor of UnifiedPush.
    public init(distributor: String?, vapid: String?) {
        provider = "unifiedpush"
        self.distributor = distributor
        self.vapid = vapid
    }
}

/// Returns how `undersong-transferd` listens for pushes.
public struct GetPushListening: ControlCall {
    /// The state.
    public typealias Reply = PushListening
    /// The name of the method.
    public static let method = "listening"

    /// Creates a request.
    public init() {}
}

/// How pushes are listened for.
public struct PushListening: Codable, Hashable, Sendable {
    /// The registration with a distributor of UnifiedPush; nil if there is to be none.
    public var subscription: PushSubscription?

    /// Creates an answer.
    public init(subscription: PushSubscription? = nil) { self.subscription = subscription }
}

/// The registration with a distributor of UnifiedPush, with what senders need.
public struct PushSubscription: Codable, Hashable, Sendable {
    /// `registered` when pushes can come, `registering`, or `failed`.
    public var state: String
    /// Why it has failed: `noBus`, `nameTaken`, `noDistributor`, `notKept`, `noKeys`,
    /// `internalError`, `network`, `actionRequired`, `vapidRequired`, `unauthorized`, `noAnswer`,
    /// `noEndpoint`, `invalidAnswer`, `unregistered`.
    public var because: String?
    /// The seconds until the next attempt; nil if only an event brings one.
    public var retry: Double?
    /// The distributor's name on the session bus.
    public var distributor: String?
    /// Whether the bus can start `undersong-transferd` for a message; nil if that is not known. Some
    /// distributors end the registration otherwise.
    public var startable: Bool?
    /// The URL to which senders post encrypted messages.
    public var endpoint: String?
    /// The public key for them, in base64 for URLs.
    public var p256dh: String?
    /// The secret for them, in base64 for URLs.
    public var auth: String?
    /// How many messages could not be read since `undersong-transferd` began.
    public var refused: Int
    /// Why the last of them could not.
    public var refusal: String?

    /// Creates a state without an endpoint.
    public init(state: String, because: String? = nil, refused: Int = 0) {
        self.state = state
        self.because = because
        self.refused = refused
    }
}
