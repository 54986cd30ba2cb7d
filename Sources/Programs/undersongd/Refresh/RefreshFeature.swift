import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongStore

/// The code that a background task runs, inside the service. A client that has registered for the
/// same identifier takes precedence. Called on the session's executor; must not block.
struct RefreshHandler: Sendable {
    /// Begins the work, and calls the closure exactly once, on any thread, when that is done (F10).
    var begin: @Sendable (RefreshTask, @escaping @Sendable (RefreshCompletion) -> Void) -> Void
    /// The work has to end within `RefreshTask.grace` seconds.
    var expire: @Sendable (RefreshTask) -> Void = { _ in }
    /// Returns the request to make while none is pending that is declared and permitted: the first
    /// one, or the one after a run. Nil where none is to be made.
    var request: (@Sendable (_ last: RefreshRun?) -> RefreshRequest)?
}

/// Background fetches, refreshes and processing: keeps the scheduler's records in the store, and
/// launches clients and the service's own work.
final class RefreshFeature: BackgroundFeature {
    /// The identifier of the service's own fetches.
    static let fetchIdentifier = "net.undersong.refresh"

    static func wants(_ event: PlayerEvent) -> Bool {
        if case .state = event.kind { true } else { false }
    }

    /// The executor of a task.
    private enum Runner {
        case client(ClientID)
        case service(RefreshHandler)
    }

    private let environment: RefreshEnvironment
    private let shell: Shell<RefreshHost>
    private let hasBegun = Gate()
    /// The clients that have registered, by identifier; the last one is launched.
    private var registered: [String: [ClientID]] = [:]
    /// The service's own work, by identifier.
    private var handlers: [String: RefreshHandler] = [:]
    private var runners: [Int: Runner] = [:]
    /// The clients that wait for the end of a task.
    private var followers: [Int: [ClientID]] = [:]
    /// True for each awaited record, until it turns out that it cannot be kept.
    private var records: [Int: Bool] = [:]
    private var endWatch: (@Sendable () -> Void)?

    init(_ service: PlayerService) {
        let clock = service.configuration.clock
        let environment = service.configuration.refresh ?? RefreshEnvironment(clock: clock)
        self.environment = environment
        shell = Shell(
            RefreshHost(
                environment, requiredIdentifier: Self.fetchIdentifier, stage: .restoring),
            in: service, on: service.executor, now: { environment.moment },
            alarm: { [weak service] in
                environment.alarm { [weak service] in
                    service?.post { $0.feature(RefreshFeature.self).shell.handle(.timePassed) }
                }
            },
            perform: { [weak service] effects in await service?.perform(effects) })
    }

    var scheduler: RefreshScheduler { shell.machine.scheduler }
    var now: ScheduleTime { environment.now() }

    /// Returns when the records of the last service have been restored.
    func ready(isolation: isolated (any Actor)? = #isolation) async { await hasBegun.wait() }

    // MARK: The service

    func begin(_ service: isolated PlayerService) async {
        for feature in service.features { handlers.merge(feature.ownTasks) { $1 } }
        let kept = await service.store.records(
            RefreshScheduler.Change.self, in: RefreshScheduler.Change.namespace)
        shell.handle(.report(.handlers(identifiers)))
        await shell.settle(.restored(RefreshScheduler.Memory(kept.map(\.value))))
        hasBegun.open()
        renewRequests()
    }

    func hostChanged(_ service: isolated PlayerService) async {
        let host = service.host.state
        if host == .background, shell.machine.conditions.host != .background {
            service.takeSnapshot(after: .background)
        }
        let old = scheduler.conditions.capabilities
        await shell.settle(.report(.host(host, service.declared)))
        if scheduler.conditions.capabilities != old { renewRequests() }
    }

    func loginChanged(_ service: isolated PlayerService) async {
        await shell.settle(.report(.login(service.host.login)))
    }

    func handle(_ event: PlayerEvent, _ service: isolated PlayerService) async {
        await shell.settle(.report(.sound(isPlaying: event.head.status == .playing)))
    }

    /// Ends what a client runs that disconnects: it has failed.
    func clientLeft(_ client: ClientID, _ service: isolated PlayerService) async {
        for identifier in registered.keys {
            registered[identifier]?.removeAll { $0 == client }
        }
        for (number, runner) in runners {
            guard case .client(client) = runner else { continue }
            shell.handle(.scheduler(.completed(number, RefreshCompletion(.failed))))
        }
        await shell.settle(.report(.handlers(identifiers)))
    }

    var keepsAwake: Bool { !scheduler.tasks.isEmpty }

    var isNeeded: Bool { shell.machine.stage == .restoring || scheduler.isWaiting }

    /// Ends the threads. They may be waiting for nobody.
    func end() {
        shell.stop()
        endWatch?()
        endWatch = nil
    }

    // MARK: Requests

    /// The identifiers that have handlers.
    var identifiers: Set<String> {
        Set(handlers.keys).union(registered.filter { !$0.value.isEmpty }.keys)
    }

    /// Has the scheduler handle an input. Returns when that has its effects: true if the change is
    /// kept.
    @discardableResult
    func perform(
        _ input: RefreshScheduler.Input, isolation: isolated (any Actor)? = #isolation
    ) async -> Bool {
        await settle(.scheduler(input))
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

    /// Launches a client for an identifier from now on, until it disconnects.
    func register(
        _ identifier: String, _ client: ClientID, isolation: isolated (any Actor)? = #isolation
    ) async {
        registered[identifier, default: []].removeAll { $0 == client }
        registered[identifier, default: []].append(client)
        await shell.settle(.report(.handlers(identifiers)))
    }

    /// Has a client follow the next task.
    func followNext(_ client: ClientID) {
        followers[scheduler.nextTask, default: []].append(client)
    }

    /// True if the client runs the task with this number.
    func isRunning(_ number: Int, by client: ClientID) -> Bool {
        if case .client(client)? = runners[number] { true } else { false }
    }

    private func settle(
        _ input: RefreshHost.Input, isolation: isolated (any Actor)? = #isolation
    ) async -> Bool {
        var record: Int?
        for case .keep(_, let number) in shell.handle(input) { record = number }
        if let record { records[record] = true }
        await shell.settle()
        return record.flatMap { records.removeValue(forKey: $0) } ?? true
    }

    /// Makes the requests of the service's own work that are declared and permitted, unless one is
    /// pending (G8); after `run` that of its identifier alone.
    private func renewRequests(after run: RefreshRun? = nil) {
        guard shell.machine.stage == .running else { return }
        for (identifier, handler) in handlers {
            guard let request = handler.request?(run), run?.identifier ?? identifier == identifier,
                scheduler.conditions.declarations(request.kind, identifier).isEmpty,
                !scheduler.requests.contains(where: { $0.identifier == identifier }),
                !scheduler.tasks.contains(where: { $0.identifier == identifier })
            else { continue }
            shell.handle(.scheduler(.submit(request)))
        }
    }

    // MARK: Effects

    /// Performs the effects of an input. Only what is known to be begun is begun: after a crash it
    /// would be done twice.
    fileprivate func perform(
        _ effects: [RefreshHost.Effect], _ service: isolated PlayerService
    ) async {
        var isKept = true
        var unkept: [RefreshTask] = []
        for effect in effects {
            switch effect {
            case .keep(let changes, let record):
                isKept = await service.keep(changes)
                if !isKept { records[record]? = false }
            case .scheduler(.launch(let task)) where !isKept: unkept.append(task)
            case .scheduler(let decided): await perform(decided, service)
            case .watch:
                endWatch = environment.watch { [weak service] report in
                    service?.post { $0.feature(RefreshFeature.self).shell.handle(.report(report)) }
                }
            // The service never rests between tasks, and its machine is watched to the end.
            case .endWatch, .rest, .decided: break
            }
        }
        if !unkept.isEmpty { shell.handle(.notKept(unkept)) }
        service.considerLeaving()
    }

    private func perform(
        _ effect: RefreshScheduler.Effect, _ service: isolated PlayerService
    ) async {
        switch effect {
        case .keep: break
        case .launch(let task): await launch(task, service)
        case .expire(let task): await expire(task, service)
        case .ended(let task, let run): await end(task, run, service)
        case .refused(let request, let error):
            var event = RefreshEvent(phase: .refused, identifier: request.identifier)
            event.because = error.reason
            await service.report(event, request.kind)
        case .ignored(let number):
            await service.report(
                "cannot complete the task \(number): It is over", code: .taskAlreadyCompleted)
        case .scheduled(let identifier, let kind): await reportScheduled(identifier, kind, service)
        case .badge(let count): await service.session.report(.badge(count))
        }
    }

    private func launch(_ task: RefreshTask, _ service: isolated PlayerService) async {
        await service.report(RefreshEvent(.began, task), task.kind)
        if let id = registered[task.identifier]?.last, let client = service.clients[id]?.client {
            runners[task.number] = .client(id)
            client.refreshIsLaunched(task.run, timeRemaining: task.timeRemaining(at: now))
        } else if let handler = handlers[task.identifier] {
            runners[task.number] = .service(handler)
            handler.begin(task) { [weak service] completion in
                service?.post {
                    $0.feature(RefreshFeature.self).shell.handle(
                        .scheduler(.completed(task.number, completion)))
                }
            }
        } else {
            shell.handle(.scheduler(.completed(task.number, RefreshCompletion(.failed))))
        }
    }

    private func expire(_ task: RefreshTask, _ service: isolated PlayerService) async {
        await service.report(RefreshEvent(.expired, task), task.kind)
        switch runners[task.number] {
        case .client(let id):
            service.clients[id]?.client.refreshIsExpiring(
                task.number, timeRemaining: task.timeRemaining(at: now))
        case .service(let handler): handler.expire(task)
        case nil: break
        }
    }

    /// The host is suspended on a later turn, so that what is submitted now is still accepted.
    private func end(
        _ task: RefreshTask, _ run: RefreshRun, _ service: isolated PlayerService
    ) async {
        var waiting = followers.removeValue(forKey: task.number) ?? []
        if case .client(let id)? = runners.removeValue(forKey: task.number) { waiting.append(id) }
        if run.result == .overran {
            await service.report(
                "cannot keep \(task.identifier) running: Its time is over", code: .taskOverran)
        }
        await service.report(ended(task, run), task.kind)
        service.takeSnapshot(after: StateSnapshot.Moment(after: task.kind))
        renewRequests(after: run)
        for id in Set(waiting) { service.clients[id]?.client.refreshHasEnded(run) }
    }

    private func ended(_ task: RefreshTask, _ run: RefreshRun) -> RefreshEvent {
        var event = RefreshEvent(.ended, task)
        (event.result, event.new, event.seconds) = (run.result, run.new, run.seconds)
        event.next = scheduler.forecasts(at: now).first { $0.identifier == task.identifier }?.due
        return event
    }

    private func reportScheduled(
        _ identifier: String, _ kind: RefreshKind, _ service: isolated PlayerService
    ) async {
        let outlook = scheduler.forecasts(at: now).first { $0.identifier == identifier }
        guard let outlook else { return }
        var event = RefreshEvent(phase: .scheduled, identifier: identifier)
        event.next = outlook.due
        let words = outlook.obstacles.map(\.text)
        event.because = words.isEmpty ? nil : words.joined(separator: "; ")
        await service.report(event, kind)
    }
}

extension PlayerService {
    fileprivate func perform(_ effects: [RefreshHost.Effect]) async {
        await feature(RefreshFeature.self).perform(effects, self)
    }

    /// Keeps changes together, durably. A store without a folder keeps nothing, which is no trouble.
    fileprivate func keep(_ changes: [RefreshScheduler.Change]) async -> Bool {
        do {
            try await store.keep(changes.flatMap { try $0.records }, isDurable: true)
            return true
        } catch {
            return store.trouble?.code == .noFolder
        }
    }

    fileprivate func report(_ event: RefreshEvent, _ kind: RefreshKind) async {
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

extension RefreshScheduler.Change {
    /// The namespace of the records that are kept.
    fileprivate static let namespace = "refresh"

    /// The records that keep the change.
    fileprivate var records: [RecordChange] {
        get throws {
            let removed = removedKey.map {
                RecordChange.remove(namespace: Self.namespace, key: $0)
            }
            if case .noRequest = self { return [removed].compactMap(\.self) }
            return [try .keep(self, in: Self.namespace, as: key), removed].compactMap(\.self)
        }
    }
}

extension RefreshEnvironment {
    /// A clock, and nothing else that is known of the machine.
    init(clock: any HostClock) {
        self.init(
            now: { ScheduleTime(clock, in: { _ in 0 }) }, alarm: { ClockAlarm(clock, $0) },
            seed: UInt64(bitPattern: clock.now))
    }
}

extension RefreshEvent {
    fileprivate init(_ phase: Phase, _ task: RefreshTask) {
        self.init(phase: phase, identifier: task.identifier)
        self.task = task.number
        cause = task.cause
    }
}
