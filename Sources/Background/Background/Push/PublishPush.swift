import UndersongBase

/// Has `undersong-transferd` send a push to another machine. The reply comes when the server there has
/// accepted it.
package struct PublishPush: ControlCall, Hashable {
    package typealias Reply = PublishedPush
    package static let method = "push.publish"
    /// The receiver.
    package var recipient: PushRecipient
    /// The text of a JSON object with `aps`, 4096 bytes at most. It is a string so that no reader of
    /// JSON changes a byte of it.
    package var payload: String
    /// The urgency; nil to derive it from the payload.
    package var urgency: PushUrgency?

    package init(to recipient: PushRecipient, _ payload: String, urgency: PushUrgency? = nil) {
        self.recipient = recipient
        self.payload = payload
        self.urgency = urgency
    }
}

/// A push that a server has accepted.
package struct PublishedPush: Codable, Hashable, Sendable {
    /// The host of the server, with its port if there is one.
    package var host: String
    /// The identifier that ntfy has given to it; nil for an endpoint.
    package var id: String?
    /// The seconds for which an endpoint keeps it, if those are fewer than requested.
    package var lifetime: Int?

    package init(host: String, id: String? = nil, lifetime: Int? = nil) {
        self.host = host
        self.id = id
        self.lifetime = lifetime
    }
}

/// The receiver of a push on another machine.
package enum PushRecipient: Codable, Hashable, Sendable {
    /// Everybody who listens at ntfy's topic with this URL, which may contain a user and a password.
    case ntfy(url: String)
    /// The owner of an endpoint, as of UnifiedPush.
    case endpoint(PushEndpoint)

    private enum CodingKeys: String, CodingKey { case ntfy, endpoint }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let endpoint = try container.decodeIfPresent(PushEndpoint.self, forKey: .endpoint) {
            self = .endpoint(endpoint)
        } else {
            self = .ntfy(url: try container.decode(String.self, forKey: .ntfy))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .ntfy(let url): try container.encode(url, forKey: .ntfy)
        case .endpoint(let endpoint): try container.encode(endpoint, forKey: .endpoint)
        }
    }

    /// The URL to which pushes are posted.
    package var url: String {
        switch self {
        case .ntfy(let url): url
        case .endpoint(let endpoint): endpoint.url
        }
    }

    /// The name for errors: of a topic the URL without user, password and query; of an endpoint only
    /// the host, since everybody who knows its URL can send.
    package var name: String {
        switch self {
        case .ntfy(let url): NetworkName.withoutSecrets(url)
        case .endpoint(let endpoint): NetworkName.host(endpoint.url) ?? endpoint.url
        }
    }
}

/// An endpoint of Web Push (RFC 8030) with the keys of its owner (RFC 8291), and the wishes of a sender.
package struct PushEndpoint: Codable, Hashable, Sendable {
    /// The seconds for which a push is kept while its receiver is away, if nothing else is said: four
    /// weeks.
    package static let standardLifetime = 28 * 86_400
    /// The seconds that can be asked for.
    package static let lifetimes = 0...31_536_000
    /// The most letters of a topic.
    package static let topicLimit = 32

    /// The URL to which messages are posted.
    package var url: String
    /// The owner's public key, a point of P-256, in base64 for URLs.
    package var p256dh: String
    /// The owner's secret of 16 bytes, in base64 for URLs.
    package var auth: String
    /// The seconds for which the server keeps a push while its receiver is away; nil for
    /// `standardLifetime`.
    package var lifetime: Int?
    /// The topic: a push replaces the one of its topic that waits at the server. Nil for none.
    package var topic: String?

    package init(
        _ url: String, p256dh: String, auth: String, lifetime: Int? = nil, topic: String? = nil
    ) {
        self.url = url
        self.p256dh = p256dh
        self.auth = auth
        self.lifetime = lifetime
        self.topic = topic
    }

    /// Returns true if a text can be a topic: 1 to 32 letters of base64 for URLs (RFC 8030, 5.4).
    package static func isTopic(_ text: String) -> Bool {
        1...topicLimit ~= text.utf8.count && text.utf8.allSatisfy(UnifiedPush.isDigit)
    }
}

/// The urgency of a push, with the words of the header `Urgency` (RFC 8030, 5.3).
package enum PushUrgency: String, Codable, Hashable, Sendable, CaseIterable {
    /// It can wait until the receiver has power and a network without limits.
    case veryLow = "very-low"
    /// It can wait until the receiver has one of them.
    case low
    case normal
    /// It is worth the last of the battery.
    case high
}
