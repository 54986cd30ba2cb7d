import UndersongControl
import UndersongLocation
import UndersongPlayback
import UndersongPlayerService
import UndersongStore

/// Locations.
extension WireMethod {
    static let locations: [WireMethod] = [
        WireMethod(LocationCall.self) { frontEnd, call, origin async throws(ServiceError) in
            var reply = LocationCall.Reply()
            if call.action == .track {
                let fixes = await frontEnd.player.recentFixes
                if call.gpx == true {
                    reply.gpx = GPXWriter.text(fixes)
                } else {
                    reply.fixes = fixes.map { MeasuredLocation($0) }
                }
                return reply
            }
            try await call.perform(on: frontEnd.player, origin)
            reply.state = await frontEnd.player.locations.map { LocationState($0) }
            return reply
        }
    ]
}

extension LocationCall {
    fileprivate func perform(
        on player: PlayerService, _ origin: WireMethod.Origin
    ) async throws(ServiceError) {
        switch action {
        case .status, .track: return
        case .start: try await player.setLocations { $0.isUpdating = true }
        case .stop: try await player.setLocations { $0.isUpdating = false }
        case .authorize: try await player.authorizeLocations(wantedAuthorization)
        case .accuracy: try await setAccuracy(player)
        case .filter:
            let distance = try required(distance, "distance")
            try await player.setLocations { $0.distance = distance }
        case .source:
            let source = try wantedSource
            try await player.setLocations { $0.source = source }
        case .keep:
            let keep = try required(keep, "keep")
            try await player.setLocations { $0.keepsFixes = keep }
        case .replay: try await replay(on: player, origin)
        case .addPlace:
            let place = try required(place, "place")
            try await player.addPlace(
                place.name, at: place.center, radius: place.radius)
        case .removePlace: try await player.removePlace(required(placeName, "placeName"))
        case .addRule: try await player.addRule(wantedRule)
        case .removeRule:
            try await player.removeRules(wantedEvent, required(placeName, "placeName"))
        }
    }

    private func setAccuracy(_ player: PlayerService) async throws(ServiceError) {
        let accuracy = try accuracy.map(Self.accuracy)
        let setsBackground = background != nil
        let background = try background == "same" ? nil : background.map(Self.accuracy)
        guard accuracy != nil || setsBackground else {
            throw ServiceError(.invalidValue, "set the accuracy", "'accuracy' is missing")
        }
        try await player.setLocations { settings in
            if let accuracy { settings.accuracy = accuracy }
            if setsBackground { settings.backgroundAccuracy = background }
        }
    }

    private static func accuracy(_ word: String) throws(ServiceError) -> LocationAccuracy {
        guard let accuracy = LocationAccuracy(word: word) else {
            throw .unknown("accuracy", word, LocationAccuracy.words.map(\.word))
        }
        return accuracy
    }

    private var wantedAuthorization: LocationAuthorization.Status {
        get throws(ServiceError) {
            let word = try required(authorization, "authorization")
            switch word {
            case "always": return .always
            case "whenInUse": return .whenInUse
            case "never": return .denied
            case "notDetermined": return .notDetermined
            default:
                throw .unknown(
                    "authorization", word, ["always", "whenInUse", "never", "notDetermined"])
            }
        }
    }

    private var wantedSource: LocationSourceChoice {
        get throws(ServiceError) {
            let word = try required(source, "source")
            switch word {
            case "geoclue": return .geoClue
            case "gpsd":
                let port = port ?? OpenGPS.standardPort
                guard 1...65535 ~= port else {
                    throw ServiceError(
                        .invalidValue, "use the port \(port)", "it is from 1 to 65535")
                }
                let host = host ?? "localhost"
                guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
                    throw ServiceError(
                        .invalidValue, "use the host '\(host)'", "it is not a host's name")
                }
                return .gpsd(host: host, port: port)
            default: throw .unknown("source of locations", word, ["geoclue", "gpsd"])
            }
        }
    }

    private var wantedEvent: LocationRule.Event {
        get throws(ServiceError) {
            let word = try required(event, "event")
            guard let event = LocationRule.Event(rawValue: word) else {
                throw .unknown("event", word, LocationRule.Event.allCases.map(\.rawValue))
            }
            return event
        }
    }

    private var wantedRule: LocationRule {
        get throws(ServiceError) {
            let place = try required(placeName, "placeName")
            let word = try required(command, "command")
            switch word {
            case "pause": return LocationRule(try wantedEvent, place, .pause)
            case "resume": return LocationRule(try wantedEvent, place, .resume)
            case "load":
                return LocationRule(try wantedEvent, place, .load(try required(value, "value")))
            case "volume":
                guard let volume = Double(try required(value, "value")), volume.isFinite else {
                    throw ServiceError(
                        .invalidValue, "set the volume to \(value ?? "")", "it is not a number")
                }
                return LocationRule(try wantedEvent, place, .volume(volume))
            default:
                throw .unknown("verb of a rule", word, ["pause", "resume", "load", "volume"])
            }
        }
    }

    private func required<Value>(
        _ value: Value?, _ name: String
    ) throws(ServiceError) -> Value {
        guard let value else {
            throw ServiceError(.invalidValue, "use locations", "'\(name)' is missing")
        }
        return value
    }

    // MARK: Replays

    private func replay(
        on player: PlayerService, _ origin: WireMethod.Origin
    ) async throws(ServiceError) {
        let name = name ?? "the track"
        let purpose = "replay \(name)"
        guard let bytes = try origin.nextFile(limit: Track.sizeLimit, to: purpose) else {
            return try await player.endReplay()
        }
        let track: Track
        do throws(TrackError) {
            track = try Track.read(bytes)
        } catch {
            throw ServiceError(.invalidValue, purpose, error.description)
        }
        try await player.replay(track, name: name, speed: speed ?? 1)
    }

}

extension LocationAccuracy {
    /// Apple's choices, by their words on the wire, the most exact first.
    fileprivate static let words: [(word: String, accuracy: LocationAccuracy)] = [
        ("bestForNavigation", .bestForNavigation), ("best", .best), ("10m", .nearestTenMeters),
        ("100m", .hundredMeters), ("1km", .kilometer), ("3km", .threeKilometers),
    ]

    fileprivate init?(word: String) {
        guard let choice = Self.words.first(where: { $0.word == word }) else { return nil }
        self = choice.accuracy
    }

    fileprivate var word: String { Self.words.first { $0.accuracy == self }?.word ?? "best" }
}

extension LocationState.Place {
    /// Nil if it is to be where the machine is.
    fileprivate var center: Coordinate? {
        guard let latitude, let longitude else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }
}

extension LocationState {
    init(_ status: LocationStatus) {
        let settings = status.settings
        let (state, reason) = Self.source(status)
        self.init(
            updating: settings.isUpdating, authorization: status.authorization.word,
            declared: status.isDeclared, accuracy: settings.accuracy.word,
            filter: settings.distance,
            source: status.replay == nil ? settings.source.text : "replay", sourceState: state,
            keeps: settings.keepsFixes, fixes: status.fixCount,
            places: status.places.map { Place($0) }, rules: status.rules.map { Rule($0) })
        backgroundAccuracy = settings.backgroundAccuracy?.word
        because = reason
        last = status.last.map { MeasuredLocation($0) }
        age = status.age.map { max(0, $0) }
        if !status.refused.isEmpty {
            refused = Dictionary(
                uniqueKeysWithValues: status.refused.map { ($0.key.rawValue, $0.value) })
        }
        replay = status.replay.map {
            Replay(
                name: $0.name, speed: $0.speed, done: $0.done, count: $0.count,
                skipped: $0.skipped, duration: $0.duration)
        }
    }

    private static func source(_ status: LocationStatus) -> (state: String, reason: String?) {
        switch status.sourceState {
        case .searching: ("searching", nil)
        case .available: ("available", nil)
        case .unavailable(let reason): ("unavailable", reason)
        case .denied(let reason): ("denied", reason)
        case nil: ("closed", status.obstacle)
        }
    }
}

extension LocationState.Place {
    fileprivate init(_ place: LocationDesk.Record.Region) {
        let region = place.region
        self.init(
            name: region.identifier, latitude: region.center.latitude,
            longitude: region.center.longitude, radius: region.radius,
            state: place.state.rawValue)
    }
}

extension LocationState.Rule {
    fileprivate init(_ rule: LocationRule) {
        let (command, value): (String, String?) =
            switch rule.command {
            case .pause: ("pause", nil)
            case .resume: ("resume", nil)
            case .load(let name): ("load", name)
            case .volume(let volume):
                ("volume", volume == volume.rounded() ? String(Int(volume)) : String(volume))
            }
        self.init(event: rule.event.rawValue, place: rule.place, command: command, value: value)
    }
}

extension LocationSourceChoice {
    /// `gpsd localhost:2947`
    fileprivate var text: String {
        switch self {
        case .geoClue: "geoclue"
        case .gpsd(let host, let port): "gpsd \(host):\(port)"
        }
    }
}

extension LocationAuthorization.Status {
    fileprivate var word: String {
        switch self {
        case .notDetermined: "notDetermined"
        case .restricted: "restricted"
        case .denied: "denied"
        case .always: "always"
        case .whenInUse: "whenInUse"
        }
    }
}
