package import UndersongBase

/// Names and limits of UnifiedPush on D-Bus.
package enum UnifiedPush {
    /// The most bytes of a message; none is empty.
    package static let messageLimit = 4096
    /// The most bytes of an endpoint.
    package static let endpointLimit = 1000
    /// The length of a VAPID public key in base64 for URLs.
    package static let vapidLength = 87
    /// The beginning of the names of all distributors.
    package static let distributorPrefix = "org.unifiedpush.Distributor."

    /// The version of the two interfaces by which a connector and a distributor talk.
    package enum Version: Int, Codable, Hashable, Sendable {
        /// `Distributor1` and `Connector1`, which do not acknowledge messages.
        case one = 1
        /// `Distributor2` and `Connector2`.
        case two = 2
    }

    /// Returns true if a text is an endpoint: a URL of HTTP or HTTPS that is short enough.
    package static func isEndpoint(_ text: String) -> Bool {
        guard (1...endpointLimit).contains(text.utf8.count),
            text.utf8.allSatisfy({ 0x21...0x7e ~= $0 })
        else { return false }
        let scheme = ["https://", "http://"].first { text.hasPrefix($0) }
        guard let scheme, let first = text.utf8.dropFirst(scheme.utf8.count).first else {
            return false
        }
        return first != UInt8(ascii: "/")
    }

    /// Returns true if a text can be a VAPID public key: a point of P-256 in base64 for URLs.
    package static func isVAPIDKey(_ text: String) -> Bool {
        text.utf8.count == vapidLength && text.hasPrefix("B") && text.utf8.allSatisfy(isDigit)
    }

    /// Returns true if a byte is a digit of base64 for URLs (RFC 4648, 5).
    static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// The registration of this service with a distributor, as it is kept.
package struct UnifiedPushRegistration: Codable, Hashable, Sendable {
    /// The keys of encrypted messages, each in base64 for URLs without padding.
    package struct Keys: Codable, Hashable, Sendable {
        /// The private key of P-256.
        package var privateKey: String
        /// The public key, which senders call `p256dh`.
        package var publicKey: String
        /// The secret that senders know, too: `auth`.
        package var authSecret: String

        package init(privateKey: String, publicKey: String, authSecret: String) {
            self.privateKey = privateKey
            self.publicKey = publicKey
            self.authSecret = authSecret
        }
    }

    /// Identifies the registration; only the distributor knows it.
    package var token: String
    /// The keys.
    package var keys: Keys
    /// The distributor's name on the bus; nil until one is found.
    package var distributor: String?
    /// The version of its interface, once it is known.
    package var version: UnifiedPush.Version?
    /// The URL to which senders post messages; nil until the distributor has named it.
    package var endpoint: String?
    /// The public key of the only sender that may post messages, in base64 for URLs; nil for any.
    package var vapid: String?
    /// Identifies the report that messages may be missing, until that was taken; nil for none.
    package var missing: String?
    /// The number of such reports; nil for none.
    package var gaps: Int?

    package init(token: String, keys: Keys) {
        self.token = token
        self.keys = keys
    }
}

/// The reason a registration does not work.
package enum UnifiedPushProblem: String, Codable, Hashable, Sendable, CaseIterable {
    /// There is no session bus.
    case noBus
    /// Another program has this service's name on the bus.
    case nameTaken
    /// No distributor, or not the one of the registration, is on the bus.
    case noDistributor
    /// The registration cannot be kept on the disk.
    case notKept
    /// There are no random numbers for keys.
    case noKeys
    /// The distributor has an error of its own.
    case internalError
    /// The distributor does not reach the network.
    case network
    /// The distributor needs something done by the user.
    case actionRequired
    /// The distributor wants to know who sends.
    case vapidRequired
    /// The distributor accepts sandboxed applications only.
    case unauthorized
    /// The distributor does not answer.
    case noAnswer
    /// The distributor has accepted, but does not say where messages are to be sent.
    case noEndpoint
    /// The distributor's answer is not what UnifiedPush says.
    case invalidAnswer
    /// The distributor has ended the registration.
    case unregistered
    /// `undersong-transferd`, which has the registration, does not answer.
    case unknown

    /// The problem that a distributor gives as its reason.
    init(reason: String) {
        self =
            switch reason {
            case "NETWORK": .network
            case "ACTION_REQUIRED": .actionRequired
            case "VAPID_REQUIRED": .vapidRequired
            case "UNAUTHORIZED": .unauthorized
            default: .internalError
            }
    }
}

/// The state of a registration with a distributor, with what senders need.
package struct UnifiedPushStatus: Codable, Hashable, Sendable {
    /// The progress of the registration.
    package enum State: String, Codable, Hashable, Sendable, CaseIterable {
        /// Messages can come.
        case registered
        /// An attempt is being made.
        case registering
        /// The last attempt has failed, or cannot be made.
        case failed
    }

    /// The progress of the registration.
    package var state: State
    /// The reason it has failed.
    package var reason: Open<UnifiedPushProblem>?
    /// The seconds until the next attempt; nil if only an event brings one.
    package var retry: Double?
    /// The distributor's name on the session bus.
    package var distributor: String?
    /// True if the bus can start `undersong-transferd` for a message; nil if that is not known. Some
    /// distributors end the registrations of those that it cannot start.
    package var startable: Bool?
    /// The URL to which senders post encrypted messages.
    package var endpoint: String?
    /// The public key for senders, in base64 for URLs.
    package var p256dh: String?
    /// The secret for senders, in base64 for URLs.
    package var auth: String?
    /// The number of messages that could not be read since `undersong-transferd` began.
    package var refused = 0
    /// The reason the last of them could not.
    package var refusal: String?

    package init(_ state: State, reason: UnifiedPushProblem? = nil) {
        self.state = state
        self.reason = reason.map(Open.known)
    }
}
