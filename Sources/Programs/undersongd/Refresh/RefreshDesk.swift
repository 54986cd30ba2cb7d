import UndersongBackground
import UndersongBase

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

/// The background tasks of one owner, the service or an app: who handles them, and who runs one now.
final class RefreshDesk {
    /// The executor of a task.
    private enum Runner {
        case client(ClientID)
        case service(RefreshHandler)
        /// The app, which is being woken or launched. The first of its clients that registers runs the
        /// task. `processorTime` is that of a process that has only just been launched.
        case app(processorTime: Double?)
    }

    let owner: RefreshOwner
    /// The service's own work, by identifier.
    private let handlers: [String: RefreshHandler]
    private unowned let feature: RefreshFeature
    private let hasOpened = Gate()
    /// The clients that have registered, by identifier; the last one is launched.
    private var registered: [String: [ClientID]] = [:]
    private var runners: [Int: Runner] = [:]
    /// The clients that wait for the end of a task.
    private var followers: [Int: [ClientID]] = [:]

    init(
        _ owner: RefreshOwner, handlers: [String: RefreshHandler] = [:], of feature: RefreshFeature
    ) {
        self.owner = owner
        self.handlers = handlers
        self.feature = feature
    }

    var scheduler: RefreshScheduler {
        feature.scheduler(owner) ?? RefreshScheduler(seed: 0)
    }

    /// The identifiers that have handlers: for an app, also in processes that have to be launched.
    var identifiers: Set<String> { liveIdentifiers.union(scheduler.handled) }

    /// The identifiers that have handlers in the service or in a client that is connected.
    private var liveIdentifiers: Set<String> {
        Set(handlers.keys).union(registered.filter { !$0.value.isEmpty }.keys)
    }

    /// The requests that the service's own work makes after `run`, or at first.
    func ownRequests(after run: RefreshRun?) -> [RefreshRequest] {
        handlers.compactMap { identifier, handler in
            run?.identifier ?? identifier == identifier ? handler.request?(run) : nil
        }
    }

    /// Returns when the records of the last service have been restored.
    func ready(isolation: isolated (any Actor)? = #isolation) async { await hasOpened.wait() }

    /// The records have been restored.
    func open() { hasOpened.open() }

    /// Has the scheduler handle an input.
    @discardableResult
    private func handle(_ input: RefreshHost.Input) -> [RefreshHosts.Effect] {
        feature.handle(.host(owner, input))
    }

    func reportHandlers() { handle(.report(.handlers(liveIdentifiers))) }

    // MARK: Clients

    /// Launches a client for an identifier from now on, until it disconnects.
    func register(_ identifier: String, _ client: ClientID, _ service: isolated PlayerService) {
        // It may have disconnected while the records were read.
        guard let client = service.clients[client]?.client else { return expect(identifier) }
        registered[identifier, default: []].removeAll { $0 == client.id }
        registered[identifier, default: []].append(client.id)
        reportHandlers()
        expect(identifier)
        for task in scheduler.tasks where task.identifier == identifier {
            guard case .app(let processorTime)? = runners[task.number] else { continue }
            run(task, by: client, processorTime: processorTime, service)
            if task.isExpired { warn(task, client.id, service) }
        }
    }

    /// An app handles an identifier from now on, also when it does not run.
    func expect(_ identifier: String) {
        if case .app = owner { handle(.scheduler(.handles(identifier))) }
    }

    /// Ends what a client runs that disconnects: it has failed.
    func clientLeft(_ client: ClientID) {
        for identifier in registered.keys {
            registered[identifier]?.removeAll { $0 == client }
        }
        fail { if case .client(client) = $0 { true } else { false } }
        reportHandlers()
    }

    /// Ends what an app that has ended was awaited for.
    func appHasEnded() { fail { if case .app = $0 { true } else { false } } }

    private func fail(_ isMeant: (Runner) -> Bool) {
        for (number, runner) in runners where isMeant(runner) {
            handle(.scheduler(.completed(number, RefreshCompletion(.failed))))
        }
    }

    /// Has a client follow the task with this number, which is about to begin.
    func follow(_ number: Int, _ client: ClientID) {
        followers[number, default: []].append(client)
    }

    /// True if the client runs the task with this number.
    func isRunning(_ number: Int, by client: ClientID) -> Bool {
        if case .client(client)? = runners[number] { true } else { false }
    }

    // MARK: Runs

    /// Launches a task: a client that has registered and can work, the service's own work, or the app,
    /// which is woken or launched.
    func launch(_ task: RefreshTask, _ service: isolated PlayerService) async {
        let apps = service.feature(AppsFeature.self)
        let clients = (registered[task.identifier] ?? []).compactMap { service.clients[$0]?.client }
        if let client = clients.last(where: { apps.canWork($0.id, service) }) {
            await service.report(RefreshEvent(.began, task), task.kind)
            run(task, by: client, processorTime: nil, service)
        } else if let handler = handlers[task.identifier] {
            await service.report(RefreshEvent(.began, task), task.kind)
            runners[task.number] = .service(handler)
            feature.meters.begin(task.number)
            handler.begin(task) { [weak service] completion in
                service?.post {
                    $0.feature(RefreshFeature.self).handle(
                        .host(.service, .scheduler(.completed(task.number, completion))))
                }
            }
        } else if clients.isEmpty, case .app(let app) = owner {
            let runs = apps.state(of: app) != .notRunning
            guard apps.summon(app, for: .task(task.identifier)) else {
                handle(.report(.closed(true)))
                return await putOff(task, isStopped: false, service)
            }
            runners[task.number] = .app(processorTime: runs ? nil : 0)
            await service.report(RefreshEvent(.began, task), task.kind)
        } else {
            await putOff(task, isStopped: !clients.isEmpty, service)
        }
    }

    private func run(
        _ task: RefreshTask, by client: any PlayerClient, processorTime: Double?,
        _ service: isolated PlayerService
    ) {
        runners[task.number] = .client(client.id)
        if let process = client.process {
            feature.meters.begin(task.number, of: process, from: processorTime)
        }
        service.feature(AppsFeature.self).begin(.refresh(task.number), of: client.id)
        client.refreshIsLaunched(task.run, timeRemaining: task.timeRemaining(at: feature.now))
    }

    /// Puts off what was due: nobody can do it now. What somebody has asked for has failed.
    private func putOff(
        _ task: RefreshTask, isStopped: Bool, _ service: isolated PlayerService
    ) async {
        guard task.cause == .schedule else {
            await service.report(RefreshEvent(.began, task), task.kind)
            handle(.scheduler(.completed(task.number, RefreshCompletion(.failed))))
            return
        }
        handle(.scheduler(.putOff(task.number, isStopped: isStopped)))
    }

    func expire(_ task: RefreshTask, _ service: isolated PlayerService) async {
        await service.report(RefreshEvent(.expired, task), task.kind)
        switch runners[task.number] {
        case .client(let client): warn(task, client, service)
        case .service(let handler): handler.expire(task)
        // It is warned as soon as it has begun.
        case .app, nil: break
        }
    }

    private func warn(
        _ task: RefreshTask, _ client: ClientID, _ service: isolated PlayerService
    ) {
        service.clients[client]?.client.refreshIsExpiring(
            task.number, timeRemaining: task.timeRemaining(at: feature.now))
    }

    /// Notifies all clients that a task concerns of its end.
    func end(_ task: RefreshTask, _ run: RefreshRun, _ service: isolated PlayerService) async {
        var waiting = followers.removeValue(forKey: task.number) ?? []
        if case .client(let client)? = runners.removeValue(forKey: task.number) {
            waiting.append(client)
            service.feature(AppsFeature.self).end(
                .refresh(task.number), of: client, overran: run.result == .overran)
        }
        if run.result == .overran {
            await service.report(
                "cannot keep \(task.identifier) running: Its time is over", code: .taskOverran)
        }
        await service.report(ended(task, run), task.kind)
        for id in Set(waiting) { service.clients[id]?.client.refreshHasEnded(run) }
    }

    private func ended(_ task: RefreshTask, _ run: RefreshRun) -> RefreshEvent {
        var event = RefreshEvent(.ended, task)
        (event.result, event.new, event.seconds) = (run.result, run.new, run.seconds)
        event.next =
            scheduler.forecasts(at: feature.now)
            .first { $0.identifier == task.identifier }?.due
        return event
    }

    func reportScheduled(
        _ identifier: String, _ kind: RefreshKind, _ service: isolated PlayerService
    ) async {
        let outlook = scheduler.forecasts(at: feature.now)
            .first { $0.identifier == identifier }
        guard let outlook else { return }
        var event = RefreshEvent(phase: .scheduled, identifier: identifier)
        event.next = outlook.due
        let words = outlook.obstacles.map(\.text)
        event.reason = words.isEmpty ? nil : words.joined(separator: "; ")
        await service.report(event, kind)
    }
}

/// Measures the processor time of running tasks: that of their clients' processes, or of the service.
final class RefreshMeters {
    private struct Meter {
        /// Nil for the service's own.
        var process: Int32?
        /// The process's time at the task's begin, in seconds.
        var start: Double

        /// The process's time now; nil if it has ended.
        var time: Double? {
            process.map { ProcessorTime.seconds(ofProcess: $0) } ?? ProcessorTime.own
        }
    }

    private var meters: [Int: Meter] = [:]

    /// Measures a task of the service.
    func begin(_ task: Int) { meters[task] = Meter(start: ProcessorTime.own) }

    /// Measures a task of another process, from its time now or an earlier one.
    func begin(_ task: Int, of process: Int32, from start: Double?) {
        guard let start = start ?? ProcessorTime.seconds(ofProcess: process) else { return }
        meters[task] = Meter(process: process, start: start)
    }

    func end(_ task: Int) { meters[task] = nil }

    /// The processor time of each task so far, in seconds, by number.
    var times: [Int: Double] {
        meters.compactMapValues { meter in meter.time.map { $0 - meter.start } }
    }
}

extension RefreshEvent {
    init(_ phase: Phase, _ task: RefreshTask) {
        self.init(phase: phase, identifier: task.identifier)
        self.task = task.number
        cause = task.cause
    }
}
