import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongStore

/// Background fetches, refreshes and processing of the service and of apps: keeps the schedulers'
/// records in the store, and launches clients, apps and the service's own work.
final class RefreshFeature: BackgroundFeature {
    /// The identifier of the service's own fetches.
    static let fetchIdentifier = "net.undersong.refresh"

    static func wants(_ event: PlayerEvent) -> Bool {
        if case .state = event.kind { true } else { false }
    }

    /// A record that a caller waits for.
    private struct Record: Hashable {
        var owner: RefreshOwner
        var number: Int
    }

    let meters: RefreshMeters
    private let environment: RefreshEnvironment
    private let shell: Shell<RefreshHosts>
    private let hasBegun = Gate()
    private var desks: [RefreshOwner: RefreshDesk] = [:]
    /// True for each awaited record, until it turns out that it cannot be kept.
    private var records: [Record: Bool] = [:]
    /// The simulated fetches that keep the host in the background.
    private var simulations: Set<Int> = []
    private var lastHost = ApplicationState.background
    private var endWatch: (@Sendable () -> Void)?

    init(_ service: PlayerService) {
        let clock = service.configuration.clock
        let environment = service.configuration.refresh ?? RefreshEnvironment(clock: clock)
        self.environment = environment
        let meters = RefreshMeters()
        self.meters = meters
        shell = service.shell(
            RefreshHosts(environment, requiredIdentifier: Self.fetchIdentifier),
            of: RefreshFeature.self, now: { environment.moment(processorTimes: meters.times) },
            alarm: environment.alarm, whenDue: { feature, _ in feature.handle(.timePassed) },
            perform: { await $0.perform($1, $2) })
    }

    var now: ScheduleTime { environment.now() }

    /// The number of the next task, unique among all owners.
    var nextTask: Int { shell.machine.pool.nextTask }

    /// The scheduler of an owner; nil if it has asked for nothing.
    func scheduler(_ owner: RefreshOwner) -> RefreshScheduler? {
        shell.machine.hosts[owner]?.scheduler
    }

    /// The apps that have asked for something, in order.
    var apps: [String] {
        shell.machine.owners.compactMap { if case .app(let app) = $0 { app } else { nil } }
    }

    /// The scheduler of an app, once the records of the last service have been restored; nil if the app
    /// has asked for nothing.
    func scheduler(
        ofApp app: String, isolation: isolated (any Actor)? = #isolation
    ) async -> RefreshScheduler? {
        await hasBegun.wait()
        return scheduler(.app(app))
    }

    /// The time at which something of an app is due by itself, in seconds since 1970; nil if nothing
    /// is.
    func nextDue(of app: String) -> Double? {
        scheduler(.app(app))?.forecasts(at: now).compactMap(\.due).min()
    }

    /// The processor time of an app's last runs in all, in seconds; nil if there were none.
    func processorTime(of app: String) -> Double? {
        let times = (scheduler(.app(app))?.runs ?? []).compactMap(\.processorTime)
        return times.isEmpty ? nil : times.reduce(0, +)
    }

    /// The number of new things since the host was opened, for the service itself.
    var badge: Int { scheduler(.service)?.badge ?? 0 }

    // MARK: The service

    func begin(_ service: isolated PlayerService) async {
        var handlers: [String: RefreshHandler] = [:]
        for feature in service.features { handlers.merge(feature.ownTasks) { $1 } }
        let desk = RefreshDesk(.service, handlers: handlers, of: self)
        desks[.service] = desk
        desk.reportHandlers()
        let apps = service.feature(AppsFeature.self)
        apps.whenChanged { app, state, service in
            service.feature(RefreshFeature.self).appChanged(app, state, service)
        }
        var memories = [RefreshOwner.service: await service.memory(of: .service)]
        for app in apps.apps.keys {
            let memory = await service.memory(of: .app(app))
            guard let memory, desks[.app(app)] == nil else { continue }
            add(app, service)
            memories[.app(app)] = memory
        }
        await shell.settle(.restored(memories.compactMapValues { $0 ?? RefreshScheduler.Memory() }))
        hasBegun.open()
        for owner in memories.keys { desks[owner]?.open() }
        renewRequests()
    }

    func hostChanged(_ service: isolated PlayerService) async {
        let host = service.host.state
        if host == .background, lastHost != .background {
            service.takeSnapshot(after: .background)
        }
        lastHost = host
        let old = scheduler(.service)?.conditions.capabilities
        // A simulated fetch must not count as time in which the user does something else.
        let use = service.host.statusWithoutSimulations.state
        await shell.settle(.host(.service, .report(.host(use, service.declared))))
        if scheduler(.service)?.conditions.capabilities != old { renewRequests() }
    }

    func loginChanged(_ service: isolated PlayerService) async {
        await shell.settle(.report(.login(service.host.login)))
    }

    func handle(_ event: PlayerEvent, _ service: isolated PlayerService) async {
        await shell.settle(.report(.sound(isPlaying: event.head.status == .playing)))
    }

    func clientLeft(_ client: ClientID, _ service: isolated PlayerService) async {
        for desk in desks.values { desk.clientLeft(client) }
        await shell.settle()
    }

    var keepsAwake: Bool { scheduler(.service)?.tasks.isEmpty == false }

    var isBusy: Bool { shell.machine.hosts.values.contains { !$0.scheduler.tasks.isEmpty } }

    func add(to status: inout PlayerStatus, _ report: SessionReport) {
        status.badge = badge > 0 ? badge : nil
    }

    var isNeeded: Bool {
        shell.machine.hosts.values.contains { $0.stage == .restoring || $0.scheduler.isWaiting }
    }

    /// Ends the threads. They may be waiting for nobody.
    func end() {
        shell.stop()
        endWatch?()
        endWatch = nil
    }

    // MARK: Desks

    /// The desk of the service, once the records of the last one have been restored.
    func serviceDesk(_ service: isolated PlayerService) async -> RefreshDesk {
        await hasBegun.wait()
        guard let desk = desks[.service] else { preconditionFailure("the service has begun") }
        return desk
    }

    /// The desk of the app whose process a client is; that of the service for another client.
    func desk(of client: ClientID?, _ service: isolated PlayerService) async -> RefreshDesk {
        let own = await serviceDesk(service)
        guard let client, let app = service.feature(AppsFeature.self).app(of: client) else {
            return own
        }
        if let desk = desks[.app(app)] {
            await desk.ready()
            return desk
        }
        let desk = add(app, service)
        let memory = await service.memory(of: .app(app))
        await shell.settle(.restored([.app(app): memory ?? RefreshScheduler.Memory()]))
        desk.open()
        return desk
    }

    /// The desks, with that of `client` and then the service's first.
    func allDesks(_ client: ClientID, _ service: isolated PlayerService) async -> [RefreshDesk] {
        let own = await desk(of: client, service)
        let others = shell.machine.owners.filter { $0 != own.owner }.compactMap { desks[$0] }
        return [own] + others
    }

    @discardableResult
    private func add(_ app: String, _ service: isolated PlayerService) -> RefreshDesk {
        let desk = RefreshDesk(.app(app), of: self)
        desks[.app(app)] = desk
        handle(.add(.app(app)))
        appChanged(app, service.feature(AppsFeature.self).state(of: app), service)
        return desk
    }

    /// Follows the state of an app and its declared modes: what does not run is in the background.
    private func appChanged(
        _ app: String, _ state: AppState, _ service: isolated PlayerService
    ) {
        guard let desk = desks[.app(app)] else { return }
        let host: ApplicationState =
            switch state {
            case .active: .active
            case .inactive: .inactive
            case .notRunning, .background, .suspended: .background
            }
        let apps = service.feature(AppsFeature.self)
        let capabilities = apps.apps[app]?.capabilities ?? Capabilities()
        let isRunning = state != .notRunning
        handle(.host(.app(app), .report(.closed(!isRunning && !apps.supervisor.canSummon(app)))))
        handle(.host(.app(app), .report(.host(host, capabilities))))
        if !isRunning { desk.appHasEnded() }
    }

    /// Forgets an app, its requests and its records: its running tasks fail.
    func forget(_ app: String, _ service: isolated PlayerService) async {
        await hasBegun.wait()
        if let desk = desks[.app(app)] {
            await desk.ready()
            await shell.settle(.remove(desk.owner))
            desks[desk.owner] = nil
        }
        let namespace = RefreshOwner.app(app).namespace
        // If the disk does not accept it, they are in the way of nobody.
        try? await service.store.keep([.removeAll(namespace: namespace)], isDurable: true)
    }

    // MARK: Requests

    /// Handles an input. Its effects are performed later.
    @discardableResult
    func handle(_ input: RefreshHosts.Input) -> [RefreshHosts.Effect] { shell.handle(input) }

    /// Has the scheduler of an owner handle an input. Returns when that has its effects: true if the
    /// change is kept.
    @discardableResult
    func perform(
        _ input: RefreshScheduler.Input, of owner: RefreshOwner = .service,
        isolation: isolated (any Actor)? = #isolation
    ) async -> Bool {
        await settle(.host(owner, .scheduler(input)))
    }

    /// Switches background refresh on or off. Returns true if that is kept.
    func allow(
        _ isAllowed: Bool, isolation: isolated (any Actor)? = #isolation
    ) async -> Bool {
        guard await settle(.report(.availability(isAllowed ? .available : .denied))) else {
            return false
        }
        renewRequests()
        return true
    }

    /// Returns when all effects are performed.
    func settle(isolation: isolated (any Actor)? = #isolation) async { await shell.settle() }

    private func settle(
        _ input: RefreshHosts.Input, isolation: isolated (any Actor)? = #isolation
    ) async -> Bool {
        let awaited = shell.handle(input).compactMap { effect -> Record? in
            guard case .keep(_, let number) = effect.effect else { return nil }
            return Record(owner: effect.owner, number: number)
        }
        for record in awaited { records[record] = true }
        await shell.settle()
        return awaited.map { records.removeValue(forKey: $0) ?? true }.allSatisfy(\.self)
    }

    /// Makes the requests of the service's own work that are declared and permitted, unless one is
    /// pending (G8); after `run` that of its identifier alone.
    private func renewRequests(after run: RefreshRun? = nil) {
        guard let scheduler = scheduler(.service), let desk = desks[.service],
            shell.machine.hosts[.service]?.stage == .running
        else { return }
        for request in desk.ownRequests(after: run) {
            guard scheduler.conditions.declarations(request.kind, request.identifier).isEmpty,
                !scheduler.requests.contains(where: { $0.identifier == request.identifier }),
                !scheduler.tasks.contains(where: { $0.identifier == request.identifier })
            else { continue }
            handle(.host(.service, .scheduler(.submit(request))))
        }
    }

    /// The host remains in the background until the task with this number is over, which is about to
    /// begin (K1).
    func noteSimulation(_ number: Int) { simulations.insert(number) }

    // MARK: Effects

    /// Performs the effects of an input. Only what is known to be begun is begun: after a crash it
    /// would be done twice.
    private func perform(
        _ effects: [RefreshHosts.Effect], _ service: isolated PlayerService
    ) async {
        var unkept: Set<RefreshOwner> = []
        var lost: [RefreshOwner: [RefreshTask]] = [:]
        for effect in effects {
            let owner = effect.owner
            switch effect.effect {
            case .keep(let changes, let number):
                if await service.keep(changes, of: owner) {
                    unkept.remove(owner)
                } else {
                    unkept.insert(owner)
                    records[Record(owner: owner, number: number)]? = false
                }
            case .scheduler(.launch(let task)) where unkept.contains(owner):
                lost[owner, default: []].append(task)
            case .scheduler(let decided):
                if let desk = desks[owner] { await perform(decided, at: desk, service) }
            case .watch:
                endWatch = environment.watch { [weak service] report in
                    service?.post { $0.feature(RefreshFeature.self).handle(.report(report)) }
                }
            // The service never rests between tasks, and its machine is watched to the end.
            case .endWatch, .rest, .decided: break
            }
        }
        for (owner, tasks) in lost { handle(.host(owner, .notKept(tasks))) }
        service.considerLeaving()
    }

    private func perform(
        _ effect: RefreshScheduler.Effect, at desk: RefreshDesk, _ service: isolated PlayerService
    ) async {
        switch effect {
        case .keep: break
        case .launch(let task): await desk.launch(task, service)
        case .expire(let task): await desk.expire(task, service)
        case .ended(let task, let run): await end(task, run, at: desk, service)
        case .refused(let request, let error):
            var event = RefreshEvent(phase: .refused, identifier: request.identifier)
            event.reason = error.reason
            await service.report(event, request.kind)
        case .ignored(let number):
            await service.report(
                "cannot complete the task \(number): It is over", code: .taskAlreadyCompleted)
        case .scheduled(let identifier, let kind):
            await desk.reportScheduled(identifier, kind, service)
        // An app has its own.
        case .badge(let count):
            if desk.owner == .service { await service.session.report(.badge(count)) }
        }
    }

    /// The host is suspended on a later turn, so that what is submitted now is still accepted.
    private func end(
        _ task: RefreshTask, _ run: RefreshRun, at desk: RefreshDesk,
        _ service: isolated PlayerService
    ) async {
        meters.end(task.number)
        if desk.owner == .service {
            service.takeSnapshot(after: StateSnapshot.Moment(after: task.kind))
            renewRequests(after: run)
        }
        await desk.end(task, run, service)
        if simulations.remove(task.number) != nil { service.post { await $0.endSimulation() } }
    }
}

extension PlayerService {
    /// The records of an owner that an earlier service has kept; nil if there are none.
    fileprivate func memory(of owner: RefreshOwner) async -> RefreshScheduler.Memory? {
        let kept = await store.records(RefreshScheduler.Change.self, in: owner.namespace)
        return kept.isEmpty ? nil : RefreshScheduler.Memory(kept.map(\.value))
    }

    /// Keeps changes together, durably. A store without a folder keeps nothing, which is no trouble.
    fileprivate func keep(
        _ changes: [RefreshScheduler.Change], of owner: RefreshOwner
    ) async -> Bool {
        do {
            let records = try changes.map { change -> RecordChange in
                change.isRemoval
                    ? .remove(namespace: owner.namespace, key: change.key)
                    : try .keep(change, in: owner.namespace, as: change.key)
            }
            try await store.keep(records, isDurable: true)
            return true
        } catch {
            return store.trouble?.code == .noFolder
        }
    }

    func report(_ event: RefreshEvent, _ kind: RefreshKind) async {
        await session.report(kind == .processing ? .processing(event) : .refresh(event))
    }

    /// Takes a snapshot on a later turn, so that it shows all that follows from this one.
    func takeSnapshot(after moment: StateSnapshot.Moment) {
        guard let keep = configuration.keepSnapshot else { return }
        post { service in
            // What the user looks at needs no snapshot.
            guard service.host.state == .background else { return }
            let (status, refresh) = (await service.status, await service.refreshStatus(limit: 1))
            keep(StateSnapshot(after: moment, status: status, refresh: refresh))
        }
    }
}

extension RefreshOwner {
    /// The namespace of its records.
    fileprivate var namespace: String {
        switch self {
        case .service: "refresh"
        case .app(let app): "refresh:" + app
        }
    }
}

extension RefreshEnvironment {
    /// A clock, and nothing else that is known of the machine.
    init(clock: any HostClock) {
        self.init(
            now: { ScheduleTime(clock, in: { _ in 0 }) }, alarm: { HostAlarm(clock, $0) },
            seed: UInt64(bitPattern: clock.now))
    }
}
