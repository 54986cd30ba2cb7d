import UndersongBackground
import UndersongBase
import UndersongLocation
import UndersongPlayback

/// Locations: updates, places and their rules, and replays.
extension PlayerService {
    /// The state of locations.
    ///
    /// - Throws: This service has none.
    var locationStatus: LocationStatus {
        get async throws(ServiceError) {
            let (places, shell) = try await openedPlaces(to: "show the location")
            let policy = shell.machine
            var status = LocationStatus(
                settings: places.records.settings, authorization: policy.status,
                isDeclared: declaresLocation)
            switch policy.sourceState {
            // A track that was just opened has not reported that it measures.
            case .searching: status.sourceState = places.replay == nil ? .searching : .available
            case .available: status.sourceState = .available
            case .unavailable(let reason):
                (status.sourceState, status.reason) = (.unavailable, reason)
            case .denied(let reason): (status.sourceState, status.reason) = (.denied, reason)
            case nil: status.reason = places.obstacle
            }
            let now = configuration.clock.locationTime
            status.last = policy.lastFix ?? places.records.recent.last
            // A fix of an earlier service has no time of arrival.
            status.age = status.last.map {
                max(0, $0.arrival > 0 ? now.boot - $0.arrival : now.wall - $0.time)
            }
            status.fixCount = places.records.recent.count
            status.refused = places.refused.isEmpty ? nil : places.refused
            status.replay = places.replay?.status
            status.places = policy.watchedRegions
            status.rules = places.records.rules
            return status
        }
    }

    /// The newest fixes, the newest last; at most 100.
    var recentFixes: [LocationFix] {
        get async {
            let places = feature(PlacesFeature.self)
            await places.open(self)
            return places.records.recent.fixes
        }
    }

    /// Changes the user's settings, by which updates are begun or ended, too.
    ///
    /// - Throws: A value is out of range, or the disk does not take it.
    func setLocations(
        _ change: @Sendable (inout LocationSettings) -> Void
    ) async throws(ServiceError) {
        let purpose = "change the settings of locations"
        let (places, _) = try await openedPlaces(to: purpose)
        var settings = places.records.settings
        change(&settings)
        guard settings.distance >= 0, settings.distance <= LocationLimits.distance else {
            throw ServiceError(
                .invalidValue, "filter by \(settings.distance) m",
                "it must be from 0 to \(Int(LocationLimits.distance))")
        }
        if let fault = settings.source.fault {
            throw ServiceError(.invalidValue, "use \(settings.source.rawValue)", fault)
        }
        try await places.keep(to: purpose) { try LocationRecords.keep(settings) }
        let old = places.records.settings
        places.records.settings = settings
        if settings.source != old.source { places.changeSource() }
        places.followSettings(from: old)
        guard old.keepsFixes != settings.keepsFixes else { return }
        if settings.keepsFixes {
            try await places.keep(to: purpose, isDurable: false) {
                try places.records.keep(places.records.recent.fixes)
            }
        } else {
            try await places.keep(to: purpose) { places.records.removalOfFixes }
            places.records.forgetFixes()
        }
    }

    /// Records the user's decision about locations (D2).
    ///
    /// - Throws: The user cannot decide so, or the disk does not take it.
    func authorizeLocations(
        _ status: LocationAuthorization.Status
    ) async throws(ServiceError) {
        let purpose = "authorize locations"
        let (places, shell) = try await openedPlaces(to: purpose)
        guard status != .restricted else {
            throw ServiceError(.invalidValue, purpose, "a user cannot choose restricted")
        }
        var record = shell.machine.record
        record.status = status
        try await places.keep(to: purpose) { try places.records.keep(record) }
        await shell.settle(.authorize(status))
    }

    /// Replays the track of a file in place of the source, until its end.
    ///
    /// - Throws: It is not a track, nothing wants locations, or the speed is out of range.
    func replay(
        _ bytes: [UInt8], name: String, speed: Double
    ) async throws(ServiceError) {
        let purpose = "replay \(name)"
        let track: Track
        do throws(TrackError) {
            track = try Track.read(bytes)
        } catch {
            throw ServiceError(.invalidValue, purpose, error.description)
        }
        let (places, shell) = try await openedPlaces(to: purpose)
        guard speed >= LocationLimits.slowest, speed <= LocationLimits.fastest else {
            throw ServiceError(
                .invalidValue, purpose,
                "the speed is from \(LocationLimits.slowest) to \(Int(LocationLimits.fastest))")
        }
        guard shell.machine.demand != nil else {
            let reason =
                places.obstacle
                ?? "nothing wants locations; 'undersong location start' begins updates"
            throw ServiceError(.notPossible, purpose, reason)
        }
        places.begin(
            ReplaySource(track, name: name, speed: speed, clock: configuration.clock) {
                [weak self] in self?.post { $0.feature(PlacesFeature.self).endReplay() }
            })
    }

    /// Ends a replay.
    ///
    /// - Throws: There is none.
    func endReplay() async throws(ServiceError) {
        let purpose = "end the replay"
        let (places, _) = try await openedPlaces(to: purpose)
        guard places.replay != nil else {
            throw ServiceError(.notPossible, purpose, "no track is being replayed")
        }
        places.endReplay()
    }

    // MARK: Places

    /// Watches a place, in place of one with its name; without a center, where the machine is.
    ///
    /// - Throws: It cannot be watched, or the disk does not take it.
    func addPlace(
        _ name: String, at center: Coordinate?, radius: Double
    ) async throws(ServiceError) {
        let purpose = "add the place \(name)"
        let (places, shell) = try await openedPlaces(to: purpose)
        guard Self.isPlaceName(name) else {
            throw ServiceError(
                .invalidValue, "add a place", "a name has 1 to 64 letters, digits, '-', '_' and '.'"
            )
        }
        guard let center = center ?? shell.machine.lastFix?.coordinate else {
            throw ServiceError(
                .notPossible, purpose, "the location is not known yet")
        }
        let watch = LocationPolicy.Input.watch(
            CircularRegion(identifier: name, center: center, radius: radius),
            by: PlacesFeature.client)
        var policy = shell.machine
        let effects = policy.handle(watch, at: configuration.clock.locationTime)
        for case .notWatching(_, let failure, _) in effects {
            throw ServiceError(.invalidValue, purpose, failure.reason)
        }
        let record = policy.record
        try await places.keep(to: purpose) { try places.records.keep(record) }
        await shell.settle(watch)
    }

    /// Removes a place with its rules.
    ///
    /// - Throws: There is none, or the disk does not take it.
    func removePlace(_ name: String) async throws(ServiceError) {
        let purpose = "remove the place \(name)"
        let (places, shell) = try await openedPlaces(to: purpose)
        try check(name, of: shell.machine, to: purpose)
        var record = shell.machine.record
        record.regions.removeAll { $0.region.identifier == name }
        try await editRules(of: places, to: purpose, keeping: record) { $0.place == name }
        await shell.settle(.unwatch(name))
    }

    /// Adds a rule, in place of one for the same event with the same verb.
    ///
    /// - Throws: The place, or the queue to load, does not exist, a volume is out of range, or the
    ///   disk does not take it.
    func addRule(_ rule: LocationRule) async throws(ServiceError) {
        let purpose = "add the rule"
        let (places, shell) = try await openedPlaces(to: purpose)
        try check(rule.place, of: shell.machine, to: purpose)
        try await check(rule.command)
        try await editRules(of: places, to: purpose, adding: rule) { $0.isReplaced(by: rule) }
    }

    /// Removes the rules for an event at a place.
    ///
    /// - Throws: There are none, or the disk does not take it.
    func removeRules(
        _ event: LocationRule.Event, _ place: String
    ) async throws(ServiceError) {
        let purpose = "remove the rules on \(event.rawValue) \(place)"
        let (places, shell) = try await openedPlaces(to: purpose)
        try check(place, of: shell.machine, to: purpose)
        let isRemoved = { (rule: LocationRule) in rule.event == event && rule.place == place }
        guard places.records.rules.contains(where: isRemoved) else {
            throw ServiceError(.notFound, purpose, "there are no such rules")
        }
        try await editRules(of: places, to: purpose, removing: isRemoved)
    }

    // MARK: Inside

    private func openedPlaces(
        to purpose: String
    ) async throws(ServiceError) -> (PlacesFeature, Shell<LocationPolicy>) {
        let places = feature(PlacesFeature.self)
        await places.open(self)
        guard let shell = places.shell else {
            throw ServiceError(.notPossible, purpose, "this service has no locations")
        }
        return (places, shell)
    }

    /// Edits the rules, and keeps them with a record of the policy, all or nothing.
    private func editRules(
        of places: PlacesFeature, to purpose: String, keeping record: LocationPolicy.Record? = nil,
        adding rule: LocationRule? = nil, removing isRemoved: (LocationRule) -> Bool
    ) async throws(ServiceError) {
        let edit = places.records.editRules(removing: isRemoved, adding: rule)
        do throws(ServiceError) {
            try await places.keep(to: purpose) {
                try LocationRecords.keep(edit) + (record.map { try places.records.keep($0) } ?? [])
            }
        } catch {
            places.records.undo(edit)
            throw error
        }
        places.followRules()
    }

    private func check(
        _ place: String, of policy: LocationPolicy, to purpose: String
    ) throws(ServiceError) {
        let names = policy.watchedRegions.map(\.region.identifier)
        guard !names.contains(place) else { return }
        let known =
            switch names.count {
            case 0: "there are none yet"
            case 1: "the only one is \(names[0])"
            default: "the known ones are \(names.joined(separator: ", "))"
            }
        throw ServiceError(.notFound, purpose, "there is no place '\(place)'; \(known)")
    }

    private func check(_ command: LocationRule.Command) async throws(ServiceError) {
        switch command {
        case .player: return
        case .volume(let volume):
            var change = SettingsChange()
            change.volume = volume
            if let problem = change.problem { throw ServiceError(problem) }
        case .load(let name):
            guard let saved = SavedQueueName(name),
                await savedQueues.contains(where: { $0.name == saved })
            else {
                throw ServiceError(
                    .notFound, "load \(name)",
                    "no queue is saved by that name; 'undersong queue save \(name)' saves one")
            }
        }
    }

    private static func isPlaceName(_ name: String) -> Bool {
        (1...64).contains(name.unicodeScalars.count)
            && name.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || $0.properties.numericType != nil
                    || ["-", "_", "."].contains($0)
            }
    }
}

/// The limits of the settings of locations.
enum LocationLimits {
    /// The largest distance of the filter, in meters.
    static let distance = 1_000_000.0
    /// The limits of a replay's speed.
    static let slowest = 0.01
    static let fastest = 1000.0
}

extension LocationObstacle {
    /// The obstacle, as a clause, and the remedy.
    var advice: String {
        switch self {
        case .notDetermined:
            "location access has not been granted; "
                + "grant it with: undersong location authorize always"
        case .denied:
            "location access is denied; grant it with: undersong location authorize always"
        case .restricted: "the system does not allow it"
        case .noUsageDescription: "it does not say why it needs locations"
        case .noBackgroundMode:
            "the mode is not declared; declare it with: undersong capability location on"
        case .foregroundOnly: "it wants locations in the foreground only"
        case .whenInUseOnly:
            "location access is granted only while the player is in use; "
                + "allow more with: undersong location authorize always"
        case .paused: "the machine does not move"
        }
    }
}
