/// The kinds of background tasks.
package enum RefreshKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// A fetch by the interval of the old API (F1-F18).
    case fetch
    /// A refresh that was requested (G1-G8).
    case refresh
    /// Maintenance work that was requested (G9).
    case processing

    /// The mode that has to be declared.
    package var mode: BackgroundMode { self == .processing ? .processing : .fetch }

    /// The maximum number of pending requests of the kind.
    package var pendingLimit: Int { self == .processing ? 10 : 1 }

    /// Seconds for which a run may take, after which it is ended (F9); for processing, ours.
    package var timeLimit: Double { self == .processing ? 1800 : 30 }
}

/// A request for one run (G8).
package struct RefreshRequest: Codable, Hashable, Sendable {
    package var identifier: String
    /// `refresh` or `processing`.
    package var kind: RefreshKind
    /// The earliest begin, in seconds since 1970 (G3); nil for no delay.
    package var earliestBeginDate: Double?
    package var requiresNetworkConnectivity: Bool
    package var requiresExternalPower: Bool
    /// The time at which it was submitted, in seconds since 1970 and of CLOCK_BOOTTIME. Set by the
    /// scheduler.
    package var submitted = 0.0
    package var submittedBoot = 0.0

    package init(
        _ identifier: String, kind: RefreshKind = .refresh, earliestBeginDate: Double? = nil,
        requiresNetworkConnectivity: Bool = false, requiresExternalPower: Bool = false
    ) {
        self.identifier = identifier
        self.kind = kind
        self.earliestBeginDate = earliestBeginDate
        self.requiresNetworkConnectivity = requiresNetworkConnectivity
        self.requiresExternalPower = requiresExternalPower
    }

    /// The end of the year 9999, which stands for all later dates.
    private static let latestDate = 253_402_300_799.0

    /// Decodes a request; what is left out is not required.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        identifier = try members.decode(String.self, forKey: .identifier)
        kind = try members.decodeIfPresent(RefreshKind.self, forKey: .kind) ?? .refresh
        guard kind != .fetch else {
            throw DecodingError.dataCorruptedError(
                forKey: .kind, in: members,
                debugDescription: "'fetch' is not one of refresh, processing")
        }
        earliestBeginDate = try members.decodeIfPresent(Double.self, forKey: .earliestBeginDate)
            .map { min($0, Self.latestDate) }
        requiresNetworkConnectivity =
            try members.decodeIfPresent(Bool.self, forKey: .requiresNetworkConnectivity) ?? false
        requiresExternalPower =
            try members.decodeIfPresent(Bool.self, forKey: .requiresExternalPower) ?? false
        submitted = try members.decodeIfPresent(Double.self, forKey: .submitted) ?? 0
        submittedBoot = try members.decodeIfPresent(Double.self, forKey: .submittedBoot) ?? 0
    }
}

/// The reason a request was not accepted, with Apple's codes.
package struct RefreshError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The values are Apple's.
    package enum Code: Int, Hashable, Sendable {
        /// The user has switched background refresh off.
        case unavailable = 1
        /// The maximum number of requests of the kind are pending.
        case tooManyPendingTaskRequests = 2
        /// The mode or the identifier is not declared.
        case notPermitted = 3
        /// It cannot run at once, as it was asked to.
        case immediateRunIneligible = 4
    }

    package let code: Code
    /// A lower-case clause.
    package let reason: String

    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    package var description: String { reason }
}

/// The shortest interval between fetches: as a word `never`, `minimum`, or a number of seconds.
package enum FetchInterval: Codable, Hashable, Sendable {
    /// Not at all, which is the default (F2).
    case never
    /// As often as it is allowed (F4).
    case minimum
    /// Seconds that have to pass between fetches (F3).
    case seconds(Double)

    /// The shortest interval: ours, since Apple gives no figure.
    package static let shortest = 900.0

    /// The interval in seconds, at least the shortest; nil for never.
    package var seconds: Double? {
        switch self {
        case .never: nil
        case .minimum: Self.shortest
        case .seconds(let seconds):
            seconds < 1e12 ? max(Self.shortest, seconds) : nil
        }
    }

    /// The interval as a word.
    package var word: String {
        switch self {
        case .never: "never"
        case .minimum: "minimum"
        case .seconds(let seconds): String(seconds)
        }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        switch try container.decode(String.self) {
        case "never": self = .never
        case "minimum": self = .minimum
        case let word:
            guard let seconds = Double(word), seconds >= 0, seconds.isFinite else {
                throw DecodingError.dataCorruptedError(
                    in: container,
                    debugDescription: "'\(word)' is not one of never, minimum, a number of seconds")
            }
            self = .seconds(seconds)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(word)
    }
}

/// The availability of background refresh to the host.
package enum RefreshAvailability: String, Codable, Hashable, Sendable, CaseIterable {
    /// The user cannot change that it is off.
    case restricted
    /// The user has switched it off.
    case denied
    case available
}
