import UndersongBackground
package import UndersongLocation
import UndersongPlayback
import UndersongStore

/// Locations: updates, places and their rules, and replays.
extension PlayerService {
    /// The state of locations. Errors: this service has none.
    package var locationStatus: LocationStatus {
        get async throws(ServiceError) {
            let shell = try await openedLocations(to: "show the location")
            let desk = shell.desk
            var status = LocationStatus(
                settings: shell.settings, authorization: desk.status,
                isDeclared: manifest.capabilities.backgroundModes.contains(.location))
            switch desk.sourceState {
            case .searching: status.sourceState = .searching
            case .available: status.sourceState = .available
            case .unavailable(let reason):
                (status.sourceState, status.reason) = (.unavailable, reason)
            case .denied(let reason): (status.sourceState, status.reason) = (.denied, reason)
            case nil: status.reason = shell.obstacle
            }
            status.last = desk.lastFix ?? shell.recent.last
            // A fix of an earlier service has no time of arrival.
            status.age = status.last.map {
                max(0, $0.arrival > 0 ? shell.now.boot - $0.arrival : shell.now.wall - $0.time)
            }
            status.fixCount = shell.recent.count
            status.refused = shell.refused.isEmpty ? nil : shell.refused
            status.replay = shell.replay?.status
            status.places = desk.watchedRegions
            status.rules = shell.rules
            return status
        }
    }

    /// The newest fixes, the newest last; at most 100.
    package var recentFixes: [LocationFix] {
        get async {
            await openLocations()
            return locationShell?.recent.fixes ?? []
        }
    }

    /// Changes what the user has set; updates are begun or ended by that, too. Errors: the disk does
    /// not take it, or a value is out of range.
    package func setLocations(
        _ change: @Sendable (inout LocationSettings) -> Void
    ) async throws(ServiceError) {
        let purpose = "change the settings of locations"
        var settings = try await openedLocations(to: purpose).settings
        change(&settings)
        guard settings.distance >= 0, settings.distance <= LocationLimits.distance else {
            throw ServiceError(
                .invalidValue, "filter by \(settings.distance) m",
                "it is from 0 to \(Int(LocationLimits.distance))")
        }
        if let fault = settings.source.fault {
            throw ServiceError(.invalidValue, "use \(settings.source.rawValue)", fault)
        }
        try await keep(to: purpose) { [try LocationRecords.keep(settings)] }
        guard let old = locationShell?.settings else { return }
        locationShell?.settings = settings
        if settings.source != old.source { changeSource() }
        followUpdates(from: old)
        guard old.keepsFixes != settings.keepsFixes, let shell = locationShell else { return }
        if settings.keepsFixes {
            try await keepFixes(shell.recent.fixes)
        } else {
            try await keep(to: purpose) { LocationRecords.removeFixes(shell.keptFixes) }
            let end = shell.keptFixes.upperBound
            locationShell?.keptFixes = end..<end
        }
    }

    /// The user decides whether the service may know where the machine is (D2). Errors: the disk
    /// does not take it.
    package func authorizeLocations(
        _ status: LocationAuthorization.Status
    ) async throws(ServiceError) {
        let purpose = "authorize locations"
        var record = try await openedLocations(to: purpose).desk.record
        guard status != .restricted else {
            throw ServiceError(.invalidValue, purpose, "the user cannot choose that")
        }
        record.status = status
        try await keep(record, to: purpose)
        handleLocation(.authorize(status))
    }

    /// Replays the track of a file in place of the source, until its end. Errors: it is not a track,
    /// nothing wants locations, or the speed is out of range.
    package func replay(
        _ bytes: [UInt8], name: String, speed: Double
    ) async throws(ServiceError) {
        let purpose = "replay \(name)"
        let track: Track
        do throws(TrackError) {
            track = try Track.read(bytes)
        } catch {
            throw ServiceError(.invalidValue, purpose, error.description)
        }
        let shell = try await openedLocations(to: purpose)
        guard speed >= LocationLimits.slowest, speed <= LocationLimits.fastest else {
            throw ServiceError(
                .invalidValue, purpose,
                "the speed is from \(LocationLimits.slowest) to \(Int(LocationLimits.fastest))")
        }
        guard shell.desk.demand != nil else {
            let reason =
                shell.obstacle
                ?? "nothing wants locations; 'undersong location start' begins updates"
            throw ServiceError(.notPossible, purpose, reason)
        }
        let replay = ReplaySource(
            track, name: name, speed: speed, clock: configuration.clock
        ) { [weak self] in
            self?.post { $0.replayIsOver() }
        }
        locationShell?.replay = replay
        changeSource()
    }

    /// Ends a replay. Errors: there is none.
    package func endReplay() async throws(ServiceError) {
        let purpose = "end the replay"
        guard try await openedLocations(to: purpose).replay != nil else {
            throw ServiceError(.notPossible, purpose, "nothing is replayed")
        }
        replayIsOver()
    }

    // MARK: Places

    /// Watches a place, in place of one with its name; without a center, where the machine is.
    /// Returns it. Errors: it cannot be watched, or the disk does not take it.
    package func addPlace(
        _ name: String, at center: Coordinate?, radius: Double
    ) async throws(ServiceError) {
        let purpose = "add the place \(name)"
        let shell = try await openedLocations(to: purpose)
        guard Self.isPlaceName(name) else {
            throw ServiceError(
                .invalidValue, "add a place", "a name has 1 to 64 letters, digits, '-', '_' and '.'"
            )
        }
        guard let center = center ?? shell.desk.lastFix?.coordinate else {
            throw ServiceError(
                .notPossible, purpose, "nobody knows where you are: there was no fix yet")
        }
        let region = CircularRegion(identifier: name, center: center, radius: radius)
        var desk = shell.desk
        let effects = desk.handle(.watch(region, by: LocationShell.client), at: shell.now)
        for case .notWatching(_, let failure, _) in effects {
            throw ServiceError(.invalidValue, purpose, failure.reason)
        }
        try await keep(desk.record, to: purpose)
        handleLocation(.watch(region, by: LocationShell.client))
    }

    /// Watches a place no more; its rules go with it. Errors: there is none, or the disk does not
    /// take it.
    package func removePlace(_ name: String) async throws(ServiceError) {
        let purpose = "remove the place \(name)"
        let shell = try await openedLocations(to: purpose)
        try check(name, shell, to: purpose)
        var record = shell.desk.record
        record.regions.removeAll { $0.region.identifier == name }
        let rules = shell.rules.filter { $0.place != name }
        try await keep(record, rules, to: purpose)
        follow(rules)
        handleLocation(.unwatch(name))
    }

    /// Adds a rule, in place of one for the same event with the same verb. Errors: the place, or the
    /// queue to load, does not exist, a volume is out of range, or the disk does not take it.
    package func addRule(_ rule: LocationRule) async throws(ServiceError) {
        let purpose = "add the rule"
        let shell = try await openedLocations(to: purpose)
        try check(rule.place, shell, to: purpose)
        try await check(rule.command)
        let rules = shell.rules.filter { !$0.isReplaced(by: rule) } + [rule]
        try await keep(to: purpose) { [try LocationRecords.keep(rules)] }
        follow(rules)
    }

    /// Removes the rules for an event at a place. Errors: there are none, or the disk does not take
    /// it.
    package func removeRules(
        _ event: LocationRule.Event, _ place: String
    ) async throws(ServiceError) {
        let purpose = "remove the rules on \(event.rawValue) \(place)"
        let shell = try await openedLocations(to: purpose)
        try check(place, shell, to: purpose)
        let rules = shell.rules.filter { $0.event != event || $0.place != place }
        guard rules.count < shell.rules.count else {
            throw ServiceError(.notFound, purpose, "there are none")
        }
        try await keep(to: purpose) { [try LocationRecords.keep(rules)] }
        follow(rules)
    }

    // MARK: Inside

    private func openedLocations(to purpose: String) async throws(ServiceError) -> LocationShell {
        await openLocations()
        guard let locationShell else {
            throw ServiceError(.notPossible, purpose, "this service has no locations")
        }
        return locationShell
    }

    private func keep(
        to purpose: String, isDurable: Bool = true, _ changes: () throws -> [RecordChange]
    ) async throws(ServiceError) {
        do {
            try await store.keep(changes(), isDurable: isDurable)
        } catch {
            let reason = (error as? QueueError)?.reason ?? "it cannot be written as JSON"
            throw ServiceError(.notPossible, purpose, reason)
        }
    }

    /// Keeps the desk's record, and the rules if they change, too. Errors: the disk does not take
    /// them.
    func keep(
        _ record: LocationDesk.Record, _ rules: [LocationRule]? = nil, to purpose: String
    ) async throws(ServiceError) {
        // Before the disk has them, so that a change in between removes them.
        locationShell?.keptPlaces.formUnion(record.names)
        let kept = locationShell?.keptPlaces ?? []
        try await keep(to: purpose) {
            let changes = try LocationRecords.keep(record, beside: kept)
            return try changes + (rules.map { [try LocationRecords.keep($0)] } ?? [])
        }
    }

    /// Keeps fixes on the disk, which are not durable. Errors: the disk does not take them.
    func keepFixes(_ fixes: [LocationFix]) async throws(ServiceError) {
        guard let shell = locationShell else { return }
        let numbers = shell.keptFixes.adding(fixes.count, capacity: shell.recent.capacity)
        locationShell?.keptFixes = numbers
        try await keep(to: "keep locations", isDurable: false) {
            try LocationRecords.keep(fixes, as: numbers, beside: shell.keptFixes)
        }
    }

    private func check(
        _ place: String, _ shell: LocationShell, to purpose: String
    ) throws(ServiceError) {
        let names = shell.desk.watchedRegions.map(\.region.identifier)
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

/// The values that settings of locations may have.
package enum LocationLimits {
    /// Meters of the filter.
    static let distance = 1_000_000.0
    /// Speeds of a replay.
    static let slowest = 0.01
    static let fastest = 1000.0
}

extension LocationObstacle {
    /// What stands against locations, and what to do about it.
    package var advice: String {
        switch self {
        case .notDetermined:
            "location access has not been granted; "
                + "grant it with: undersong location authorize always"
        case .denied:
            "location access is denied; grant it with: undersong location authorize always"
        case .restricted: "the system does not allow it"
        case .noUsageDescription: "it does not say what it needs locations for"
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
