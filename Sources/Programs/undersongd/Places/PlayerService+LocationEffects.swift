import UndersongAudioSession
import UndersongBackground
import UndersongLocation
import UndersongPlayback
import UndersongStore

/// Feeding the desk of locations, and performing what it says.
extension PlayerService {
    /// Reads what the store has kept, once.
    func openLocations() async {
        guard locationShell == nil, configuration.locations != nil else { return }
        let shell = await restoredLocations()
        // Another call may have done it meanwhile.
        guard locationShell == nil else { return }
        locationShell = shell
        follow(shell.rules)
        accountForLocations()
        followUpdates(from: LocationSettings())
    }

    /// Whether a source is open, because somebody wants locations.
    var usesLocations: Bool { locationShell?.desk.demand != nil }

    /// Takes in the host's state and the declared modes.
    func accountForLocations() {
        guard locationShell != nil else { return }
        handleLocation(
            .declared(
                hasBackgroundMode: manifest.capabilities.backgroundModes.contains(.location),
                LocationShell.usage))
        handleLocation(.host(isForeground: host.state != .background))
    }

    /// Uses these rules from now on: places without any open no source.
    func follow(_ rules: [LocationRule]) {
        locationShell?.rules = rules
        handleLocation(.wantRegions(Set(rules.map(\.place))))
    }

    /// Takes in that settings have changed.
    func followUpdates(from old: LocationSettings) {
        guard let shell = locationShell else { return }
        handleLocation(.options(LocationShell.client, shell.options))
        if shell.settings.isUpdating != old.isUpdating {
            handleLocation(
                shell.settings.isUpdating
                    ? .start(LocationShell.client, .updates)
                    : .stop(LocationShell.client, .updates))
        }
    }

    /// Visits are noticed beside updates that come, unless these are less exact than visits have to
    /// be: they alone keep no source open.
    private func followVisits() {
        guard let shell = locationShell else { return }
        let settings = shell.settings
        let accuracy = settings.accuracy.accuracy
        let worst = max(accuracy, settings.backgroundAccuracy.accuracy ?? accuracy)
        let isWanted =
            settings.isUpdating && worst <= .hundredMeters
            && shell.desk.obstacle(to: .updates, of: LocationShell.client) == nil
        guard isWanted != shell.desk.services(of: LocationShell.client).contains(.visits) else {
            return
        }
        locationShell?.handle(
            isWanted ? .start(LocationShell.client, .visits) : .stop(LocationShell.client, .visits))
    }

    func handleLocation(_ input: LocationDesk.Input) {
        locationShell?.handle(input)
        followVisits()
        performSourceEffects()
        locationShell?.schedule { [weak self] in self?.post { $0.handleLocation(.timePassed) } }
        guard locationShell?.isPerforming == false, locationShell?.effects.isEmpty == false else {
            return
        }
        post { await $0.finishLocationEffects() }
    }

    /// The source is opened and closed at once, whatever else is to be done.
    private func performSourceEffects() {
        guard let effects = locationShell?.effects else { return }
        locationShell?.effects = effects.filter { !$0.concernsSource }
        for effect in effects {
            switch effect {
            case .open(let demand): openSource(demand)
            case .change(let demand): locationShell?.source?.change(demand)
            case .close: locationShell?.close()
            default: break
            }
        }
    }

    private func openSource(_ demand: LocationDemand) {
        guard let environment = configuration.locations, let shell = locationShell else { return }
        let source = shell.replay ?? environment.makeSource(shell.settings.source)
        locationShell?.open(source, demand) { [weak self] number, event in
            self?.post { service in
                guard service.locationShell?.isCurrent(number) == true else { return }
                service.handleLocation(.source(event))
            }
        }
    }

    /// Uses the source that is wanted now in place of the one that is open.
    func changeSource() {
        guard let demand = locationShell?.desk.demand else { return }
        openSource(demand)
        handleLocation(.replaced)
    }

    /// The source measures again what was replayed so far.
    func replayIsOver() {
        guard locationShell?.replay != nil else { return }
        locationShell?.replay = nil
        changeSource()
    }

    /// Performs effects, one after the other, until there are none.
    private func finishLocationEffects() async {
        guard locationShell?.isPerforming == false else { return }
        locationShell?.isPerforming = true
        while let effect = locationShell?.effects.first {
            locationShell?.effects.removeFirst()
            await perform(effect)
        }
        locationShell?.isPerforming = false
        considerLeaving()
    }

    private func perform(_ effect: LocationDesk.Effect) async {
        switch effect {
        case .open, .change, .close: break
        case .deliver(let fix, _): await deliver(fix)
        case .fail(let failure, _):
            await session.report(.location(.problem(failure.reason)))
        case .paused: await session.report(.location(.problem("the machine does not move")))
        case .resumed: break
        case .visit(let visit, _): await session.report(.visit(visit))
        case .region(let event): await follow(event)
        case .refused(_, let fault): locationShell?.refused[.known(fault), default: 0] += 1
        case .save: await save()
        case .watching, .notWatching, .regionState, .prompt, .authorized: break
        }
    }

    private func deliver(_ fix: LocationFix) async {
        locationShell?.recent.append(fix)
        if locationShell?.settings.keepsFixes == true { try? await keepFixes([fix]) }
        await session.report(.location(.fix(fix)))
    }

    /// What the disk does not take only means that a crossing may be noticed again after a crash.
    private func save() async {
        guard let record = locationShell?.desk.record else { return }
        try? await keep(record, to: "keep the places")
    }

    // MARK: Places

    private func follow(_ event: RegionEvent) async {
        await session.report(.region(event))
        let crossing: LocationRule.Event
        switch event.phase {
        case .determined: return
        case .entered: crossing = .enter
        case .exited: crossing = .exit
        }
        let rules = locationShell?.rules ?? []
        for rule in rules where rule.event == crossing && rule.place == event.region {
            do throws(ServiceError) {
                try await perform(rule.command)
            } catch {
                await report(error.description, code: "rule-failed")
            }
        }
    }

    private func perform(_ command: LocationRule.Command) async throws(ServiceError) {
        switch command {
        case .player(let command): try await perform(command)
        case .load(let name): try await playSaved(name)
        case .volume(let volume):
            var change = SettingsChange()
            change.volume = volume
            _ = try await set(change)
        }
    }
}

extension LocationDesk.Effect {
    /// Whether it opens, changes or closes the source.
    fileprivate var concernsSource: Bool {
        switch self {
        case .open, .change, .close: true
        default: false
        }
    }
}
