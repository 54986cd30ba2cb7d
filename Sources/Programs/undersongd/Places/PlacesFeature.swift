import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongLocation
import UndersongPlayback
import UndersongStore

/// Locations: where the machine is, the places that are watched, and the rules for their edges.
final class PlacesFeature: BackgroundFeature {
    /// The service itself, as a client of the policy.
    static let client = 1
    /// The usage of locations that the service declares (D10).
    private static let usage = LocationUsage(
        whenInUse: "Locations show where you are, and let music follow your places.",
        alwaysAndWhenInUse: "Music can pause and resume where you leave and arrive.")

    /// The policy; nil until the store has been read, and if there are no locations.
    private(set) var shell: Shell<LocationPolicy>?
    var records = LocationRecords()
    /// The number of fixes that were not believed, by the reason.
    private(set) var refused: [Open<FixFault>: Int] = [:]
    /// The replay in place of the source.
    private(set) var replay: ReplaySource?
    private unowned let service: PlayerService
    private let clock: any HostClock
    private let source: HostedSource?

    init(_ service: PlayerService) {
        self.service = service
        clock = service.configuration.clock
        source = service.configuration.locations.map { environment in
            HostedSource { environment.makeSource(.geoClue) }
        }
    }

    // MARK: The policy

    /// The policy; nil until the store has been read.
    var policy: LocationPolicy? { shell?.machine }

    func begin(_ service: isolated PlayerService) async { await open(service) }

    /// Reads what the store has kept, once. Does nothing if there are no locations.
    func open(_ service: isolated PlayerService) async {
        guard shell == nil, let source else { return }
        let (records, record) = await LocationRecords.read(service.store)
        // Another call may have done it meanwhile.
        guard shell == nil else { return }
        self.records = records
        chooseSource()
        shell = makeShell(LocationPolicy(record), source)
        followRules()
        follow(service)
        followSettings(from: LocationSettings())
    }

    private func makeShell(
        _ policy: LocationPolicy, _ source: HostedSource
    ) -> Shell<LocationPolicy> {
        let send: @Sendable (LocationPolicy.Input) -> Void = { [weak service] input in
            service?.post { $0.feature(PlacesFeature.self).handle(input) }
        }
        return Shell(
            policy, in: service, on: service.executor,
            now: { [clock] in clock.locationTime },
            alarm: { [clock] in
                HostAlarm(clock, leeway: 100_000_000) { send(.timePassed) }
            },
            performAtOnce: { source.perform($0, send) },
            perform: { [unowned self] in await perform($0) })
    }

    func handle(_ input: LocationPolicy.Input) { shell?.handle(input) }

    func hostChanged(_ service: isolated PlayerService) async { follow(service) }

    /// Follows the host's state and the declared modes.
    private func follow(_ service: isolated PlayerService) {
        handle(.declared(hasBackgroundMode: service.declaresLocation, Self.usage))
        handle(.host(isForeground: service.host.state != .background))
    }

    /// Watches the places that have rules: those without any open no source.
    func followRules() { handle(.wantRegions(Set(records.rules.map(\.place)))) }

    /// Follows settings that have changed.
    func followSettings(from old: LocationSettings) {
        let settings = records.settings
        handle(
            .options(
                Self.client,
                LocationOptions(
                    accuracy: settings.accuracy.accuracy,
                    backgroundAccuracy: settings.backgroundAccuracy.accuracy,
                    distanceFilter: settings.distance > 0 ? settings.distance : -1,
                    allowsBackground: true, noticesVisits: true)))
        guard settings.isUpdating != old.isUpdating else { return }
        handle(
            settings.isUpdating
                ? .start(Self.client, .updates) : .stop(Self.client, .updates))
    }

    /// The reason why no source is open although something is wanted, with the remedy; nil if nothing
    /// stands against it, or nothing is wanted.
    var obstacle: String? {
        guard let policy else { return nil }
        if records.settings.isUpdating {
            return policy.obstacle(to: .updates, of: Self.client)?.advice
        }
        if !records.rules.isEmpty { return policy.obstacleToRegions?.advice }
        return policy.watchedRegions.first.map { place in
            "no rule is made for a place; "
                + "make one with: undersong location on exit \(place.region.identifier) pause"
        }
    }

    // MARK: The source

    /// Uses the source that is wanted now in place of the one that is open.
    func changeSource() {
        chooseSource()
        handle(.replaceSource)
    }

    private func chooseSource() {
        guard let environment = service.configuration.locations else { return }
        if let replay {
            source?.choose { replay }
        } else {
            let choice = records.settings.source
            source?.choose { environment.makeSource(choice) }
        }
    }

    func begin(_ replay: ReplaySource) {
        self.replay = replay
        changeSource()
    }

    /// Returns to the source that measures, if a track is replayed.
    func endReplay() {
        guard replay != nil else { return }
        replay = nil
        changeSource()
    }

    // MARK: Effects

    private nonisolated(nonsending) func perform(_ effects: [LocationPolicy.Effect]) async {
        for effect in effects { await perform(effect) }
        await service.considerLeaving()
    }

    private nonisolated(nonsending) func perform(_ effect: LocationPolicy.Effect) async {
        let session = service.session
        switch effect {
        case .deliver(let fix, _): await deliver(fix)
        case .fail(let failure, _): await session.report(.location(.problem(failure.reason)))
        case .sourceFailed(let reason):
            guard records.settings.isUpdating else { return }
            await session.report(.location(.problem(reason)))
        case .paused: await session.report(.location(.problem("the machine does not move")))
        case .visit(let visit, _): await session.report(.visit(visit))
        case .region(let event): await follow(event)
        case .refused(_, let fault): refused[.known(fault), default: 0] += 1
        case .save: await save()
        case .open, .change, .close, .resumed, .watching, .notWatching, .regionState, .prompt,
            .authorized:
            break
        }
    }

    private nonisolated(nonsending) func deliver(_ fix: LocationFix) async {
        records.append(fix)
        if records.settings.keepsFixes {
            try? await keep(to: "keep locations", isDurable: false) { try records.keep([fix]) }
        }
        await service.session.report(.location(.fix(fix)))
    }

    /// Keeps the latest record. If the disk does not take it, a crossing may be noticed again after a
    /// crash, no more than that.
    private nonisolated(nonsending) func save() async {
        guard let record = policy?.record else { return }
        try? await keep(to: "keep the places") { try records.keep(record) }
    }

    private nonisolated(nonsending) func follow(_ event: RegionEvent) async {
        await service.session.report(.region(event))
        let crossing: LocationRule.Event
        switch event.phase {
        case .determined: return
        case .entered: crossing = .enter
        case .exited: crossing = .exit
        }
        for rule in records.rules where rule.event == crossing && rule.place == event.region {
            await service.perform(rule)
        }
    }

    /// Keeps records on the disk.
    ///
    /// - Throws: The disk does not take them.
    nonisolated(nonsending) func keep(
        to purpose: String, isDurable: Bool = true, _ changes: () throws -> [RecordChange]
    ) async throws(ServiceError) {
        do {
            try await service.store.keep(changes(), isDurable: isDurable)
        } catch {
            let reason = (error as? QueueError)?.reason ?? "it cannot be written as JSON"
            throw ServiceError(.notPossible, purpose, reason)
        }
    }

    // MARK: The service

    var keepsAwake: Bool { policy?.demand != nil }

    var isBusy: Bool { keepsAwake || shell?.isBusy == true }

    func add(to why: inout Why, _ service: isolated PlayerService) async {
        let status = try? await service.locationStatus
        why.locations = status.flatMap { $0.isOfInterest ? $0 : nil }
    }

    func end() {
        handle(.end)
        shell?.stop()
    }
}

extension PlayerService {
    /// True if the mode `location` is declared.
    var declaresLocation: Bool { manifest.capabilities.backgroundModes.contains(.location) }

    /// Performs a rule's command, and reports a failure.
    fileprivate func perform(_ rule: LocationRule) async {
        do throws(ServiceError) {
            switch rule.command {
            case .player(let command): try await perform(command)
            case .load(let name): try await playSaved(name)
            case .volume(let volume):
                var change = SettingsChange()
                change.volume = volume
                _ = try await set(change)
            }
        } catch {
            await report(error.description, code: .ruleFailed)
        }
    }
}
