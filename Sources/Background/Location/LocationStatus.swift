package import UndersongBase

/// The state of a service's locations.
package struct LocationStatus: Codable, Hashable, Sendable {
    /// The state of the source.
    package enum SourceState: String, Codable, Hashable, Sendable {
        /// Nobody who may have locations wants any.
        case closed
        case searching, available, unavailable, denied
    }

    /// A track that is replayed.
    package struct Replay: Codable, Hashable, Sendable {
        /// The name of the file.
        package var name: String
        /// Seconds of the track per second.
        package var speed: Double
        /// How many fixes have come.
        package var done: Int
        /// How many there are.
        package var count: Int
        /// How many points or sentences of the file were left out.
        package var skipped: Int
        /// The seconds from the first fix to the last, of the track.
        package var duration: Double

        package init(
            name: String, speed: Double, done: Int, count: Int, skipped: Int, duration: Double
        ) {
            self.name = name
            self.speed = speed
            self.done = done
            self.count = count
            self.skipped = skipped
            self.duration = duration
        }
    }

    package var settings: LocationSettings
    /// The user's decision.
    package var authorization: LocationAuthorization.Status
    /// Whether the mode `location` is declared.
    package var isDeclared: Bool
    package var sourceState: SourceState
    /// Why the source is closed although something is wanted, and what to do about it, or why it
    /// cannot measure; nil if it does, or nothing is wanted.
    package var reason: String?
    /// The newest fix; nil if there is none.
    package var last: LocationFix?
    /// The seconds since that has arrived.
    package var age: Double?
    /// How many of the newest fixes there are.
    package var fixCount = 0
    /// How many fixes were not believed, by the reason; nil if all were.
    package var refused: [Open<FixFault>: Int]?
    /// The replay that is under way, in place of the source.
    package var replay: Replay?
    /// The places that are watched, in the order of their names.
    package var places: [WatchedRegion] = []
    /// What is done there, in the order in which it was added.
    package var rules: [LocationRule] = []

    package init(
        settings: LocationSettings, authorization: LocationAuthorization.Status, isDeclared: Bool,
        sourceState: SourceState = .closed, reason: String? = nil
    ) {
        self.settings = settings
        self.authorization = authorization
        self.isDeclared = isDeclared
        self.sourceState = sourceState
        self.reason = reason
    }

    /// Whether anything is wanted of locations.
    package var isOfInterest: Bool { settings.isUpdating || !places.isEmpty || replay != nil }
}

/// The user's settings of locations.
package struct LocationSettings: Codable, Hashable, Sendable {
    /// Whether updates were begun, and not ended.
    package var isUpdating = false
    package var accuracy = LocationAccuracy.Level.best
    /// The accuracy while the host is in the background.
    package var backgroundAccuracy = LocationAccuracy.BackgroundLevel.same
    /// Meters of movement below which there is no new fix; 0 for all fixes.
    package var distance = 0.0
    package var source = LocationSourceChoice.geoClue
    /// Whether the newest fixes are kept on the disk.
    package var keepsFixes = false

    package init() {}
}

extension LocationAccuracy {
    /// Apple's choices, the most exact first (D3).
    package enum Level: String, Codable, Hashable, Sendable, CaseIterable {
        case bestForNavigation, best
        case tenMeters = "10m"
        case hundredMeters = "100m"
        case kilometer = "1km"
        case threeKilometers = "3km"

        package var accuracy: LocationAccuracy {
            switch self {
            case .bestForNavigation: .bestForNavigation
            case .best: .best
            case .tenMeters: .nearestTenMeters
            case .hundredMeters: .hundredMeters
            case .kilometer: .kilometer
            case .threeKilometers: .threeKilometers
            }
        }
    }

    /// The same choices for the background, and `same` for no difference.
    package enum BackgroundLevel: RawRepresentable, Codable, Hashable, Sendable, CaseIterable {
        case same
        case level(Level)

        package static let allCases = [same] + Level.allCases.map { level($0) }

        package init?(rawValue: String) {
            guard rawValue != "same" else {
                self = .same
                return
            }
            guard let level = Level(rawValue: rawValue) else { return nil }
            self = .level(level)
        }

        package var rawValue: String {
            switch self {
            case .same: "same"
            case .level(let level): level.rawValue
            }
        }

        /// The accuracy; nil if it is the same.
        package var accuracy: LocationAccuracy? {
            switch self {
            case .same: nil
            case .level(let level): level.accuracy
            }
        }
    }
}

/// The user's choice of a source: `geoclue`, or gpsd as `gpsd HOST:PORT`.
package enum LocationSourceChoice: RawRepresentable, Codable, Hashable, Sendable {
    /// GeoClue, on the system bus.
    case geoClue
    /// A gpsd, which `undersong-transferd` watches.
    case gpsd(host: String, port: Int)

    /// The port of gpsd.
    package static let standardPort = 2947

    package init?(rawValue: String) {
        if rawValue == LocationSourceKind.geoClue.rawValue {
            self = .geoClue
            return
        }
        guard rawValue.hasPrefix("gpsd "), let colon = rawValue.lastIndex(of: ":"),
            let port = Int(rawValue[rawValue.index(after: colon)...])
        else { return nil }
        self = .gpsd(host: String(rawValue[..<colon].dropFirst(5)), port: port)
    }

    package var rawValue: String {
        switch self {
        case .geoClue: LocationSourceKind.geoClue.rawValue
        case .gpsd(let host, let port): "gpsd \(host):\(port)"
        }
    }

    /// Why there can be no such source, as a sentence; nil if there can.
    package var fault: String? {
        guard case .gpsd(let host, let port) = self else { return nil }
        let isName =
            (1...255).contains(host.utf8.count) && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
        guard isName else { return "It is not a host's name" }
        return 1...65535 ~= port ? nil : "A port is from 1 to 65535"
    }
}
