/// The user's settings of locations.
package struct LocationSettings: Codable, Hashable, Sendable {
    /// True if updates were begun, and not ended.
    package var isUpdating = false
    package var accuracy = LocationAccuracy.Level.best
    /// The accuracy while the host is in the background.
    package var backgroundAccuracy = LocationAccuracy.BackgroundLevel.same
    /// Meters of movement below which there is no new fix; 0 for all fixes.
    package var distance = 0.0
    package var source = LocationSourceChoice.geoClue
    /// True if the newest fixes are kept on the disk.
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

    /// The reason there can be no such source, as a sentence; nil if there can.
    package var fault: String? {
        guard case .gpsd(let host, let port) = self else { return nil }
        let isName =
            (1...255).contains(host.utf8.count) && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
        guard isName else { return "It is not a host's name" }
        return 1...65535 ~= port ? nil : "A port is from 1 to 65535"
    }
}
