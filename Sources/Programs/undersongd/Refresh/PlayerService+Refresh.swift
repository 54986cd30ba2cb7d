import UndersongAudioSession
package import UndersongBackground
import UndersongPlayback

/// Background fetches, refreshes and processing: requests, and what is done when they are due.
extension PlayerService {
    /// Makes `handler` the service's own code for an identifier.
    package func handle(_ identifier: String, by handler: RefreshHandler) async {
        refresh.handlers[identifier] = handler
        await refreshConditionsChanged()
    }

    /// Registers a client for an identifier: it is launched when a task is due, until it
    /// disconnects. Errors: it is not permitted.
    package func registerRefresh(
        _ identifier: String, _ client: ClientID
    ) async throws(ServiceError) {
        await refreshReady()
        guard refresh.conditions.capabilities.permittedIdentifiers.contains(identifier) else {
            throw .notPermitted("register for", identifier)
        }
        refresh.registered[identifier, default: []].removeAll { $0 == client }
        refresh.registered[identifier, default: []].append(client)
        await refreshConditionsChanged()
    }

    /// Submits a request, which is durable when this returns. Errors: it was refused.
    package func submit(_ request: RefreshRequest) async throws(ServiceError) {
        await refreshReady()
        if let refusal = refresh.scheduler.refusal(of: request, at: refresh.now) {
            throw ServiceError(refusal, request.identifier)
        }
        guard await take(.submit(request)).isKept else {
            await take(.cancel(request.identifier))
            throw ServiceError(
                .notPossible, "submit \(request.identifier)",
                store.trouble?.reason ?? "it cannot be kept")
        }
    }

    /// Cancels a request; without an identifier, all.
    package func cancelRefresh(_ identifier: String?) async {
        await refreshReady()
        await take(identifier.map { .cancel($0) } ?? .cancelAll)
    }

    /// Sets how often to fetch at most.
    package func setFetchInterval(_ interval: FetchInterval) async {
        await refreshReady()
        await take(.setInterval(interval))
    }

    /// Runs a task at once, for `client` to follow. Errors: nobody has registered for it, or
    /// nothing of the kind is pending.
    package func runRefresh(
        _ identifier: String?, _ kind: RefreshKind, _ cause: RefreshCause, for client: ClientID
    ) async throws(ServiceError) -> Int {
        await refreshReady()
        let name = identifier ?? RefreshDesk.fetchIdentifier
        let isFetch = name == RefreshDesk.fetchIdentifier
        guard isFetch || kind != .fetch else {
            throw .unknown("kind", kind.rawValue, ["refresh", "processing"])
        }
        let isPending = refresh.scheduler.requests.contains { $0.identifier == name }
        let operation = "run \(name)"
        if cause == .simulate, !isPending, !isFetch {
            throw ServiceError(.notFound, operation, "no request for it is pending")
        }
        if !refresh.currentConditions.handlers.contains(name) {
            throw ServiceError(.notPossible, operation, "no program handles it")
        }
        let number = refresh.scheduler.nextTask
        refresh.followers[number, default: []].append(client)
        await take(.run(name, isFetch && !isPending ? .fetch : kind, cause))
        return number
    }

    /// Warns a task as if its time were over. Errors: no such task is running.
    package func expireRefresh(_ identifier: String?) async throws(ServiceError) {
        await refreshReady()
        let tasks = refresh.scheduler.tasks.filter {
            identifier == nil || $0.identifier == identifier
        }
        guard !tasks.isEmpty else {
            throw ServiceError(
                .notFound, "expire \(identifier ?? "a task")", "it is not running")
        }
        for task in tasks { await take(.expire(task.number)) }
    }

    /// A client has completed a task. Errors: it is not running, or runs elsewhere.
    package func completeRefresh(
        _ number: Int, _ completion: RefreshCompletion, by client: ClientID
    ) async throws(ServiceError) {
        await refreshReady()
        guard case .client(let runner)? = refresh.runners[number], runner == client else {
            throw ServiceError(
                .notFound, "complete the task \(number)",
                "it is over, or was never launched here")
        }
        await take(.completed(number, completion))
    }

    /// The user has shut the player down: nothing wakes it until it is opened again.
    package func shutDown() async {
        await refreshReady()
        await take(.shutDown)
    }

    /// What is known of background tasks, with at most `limit` runs.
    package func refreshStatus(limit: Int) async -> RefreshStatus {
        await refreshReady()
        let now = refresh.now
        let scheduler = refresh.scheduler
        let missing = scheduler.conditions.declarations(.fetch, RefreshDesk.fetchIdentifier)
            .compactMap(\.remedy).sorted()
        return RefreshStatus(
            scheduler, at: now, limit: limit, missing: missing, fallbacks: fallbacks)
    }

    /// What counts where services of the machine do not answer that would decide about what is
    /// wanted.
    private var fallbacks: [String] {
        let conditions = refresh.scheduler.conditions
        let wanted = refresh.scheduler.forecasts(at: refresh.now)
        guard !wanted.isEmpty, !conditions.isSettling else { return [] }
        return conditions.fallbacks(forProcessing: wanted.contains { $0.kind == .processing })
            .map { $0.words(conditions.machine.power) }
    }

    /// Switches background refresh on or off, as Apple's users do in the settings. Durable when this
    /// returns. Errors: it cannot be kept.
    package func allowBackgroundRefresh(_ isAllowed: Bool) async throws(ServiceError) {
        await refreshReady()
        refresh.conditions.availability = isAllowed ? .available : .denied
        guard await take(.conditions(refresh.currentConditions)).isKept else {
            throw ServiceError(
                .notPossible, "\(isAllowed ? "allow" : "deny") background refresh",
                store.trouble?.reason ?? "it cannot be kept")
        }
        await requestAnalysis()
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

    // MARK: Conditions

    /// Restores what the last service has left, and begins to schedule.
    func beginRefresh() async {
        addOwnHandlers()
        let kept = await store.records(
            RefreshScheduler.Change.self, in: RefreshScheduler.Change.namespace)
        await take(.restored(RefreshScheduler.Memory(kept.map(\.value))))
        refresh.conditions.availability = refresh.scheduler.conditions.availability
        refresh.isRestored = true
        await take(.conditions(refresh.currentConditions))
        refresh.waiting.forEach { $0.resume() }
        refresh.waiting = []
        await requestAnalysis()
    }

    private func refreshReady() async {
        await withCheckedContinuation { continuation in
            // Checked here, since it may be restored on the way.
            guard !refresh.isRestored else { return continuation.resume() }
            refresh.waiting.append(continuation)
        }
    }

    /// Passes on the conditions if they have changed.
    func refreshConditionsChanged() async {
        guard refresh.isRestored else { return }
        let conditions = refresh.currentConditions
        guard conditions != refresh.scheduler.conditions else { return }
        let old = refresh.scheduler.conditions.capabilities
        await take(.conditions(conditions))
        if conditions.capabilities != old { await requestAnalysis() }
    }

    func refresh(isPlaying: Bool) async {
        guard refresh.conditions.isPlaying != isPlaying else { return }
        refresh.conditions.isPlaying = isPlaying
        await refreshConditionsChanged()
    }

    /// Follows the host's state and the login session.
    func refreshHost() async {
        if host.state == .background, refresh.conditions.host != .background {
            takeSnapshot(after: .background)
        }
        refresh.conditions.host = host.state
        refresh.conditions.isIdle = host.login.session?.isIdle
        refresh.conditions.machine.isSleeping = host.login.isSleeping
        await refreshConditionsChanged()
    }

    private func refresh(_ machine: MachineState) async {
        let isSleeping = refresh.conditions.machine.isSleeping
        refresh.conditions.machine = machine
        refresh.conditions.machine.isSleeping = isSleeping
        refresh.conditions.isSettling = false
        await refreshConditionsChanged()
    }

    /// Forgets a client: what it runs has failed.
    func refreshLeft(_ client: ClientID) async {
        for identifier in refresh.registered.keys {
            refresh.registered[identifier]?.removeAll { $0 == client }
        }
        for (number, runner) in refresh.runners {
            if case .client(client) = runner {
                await take(.completed(number, RefreshCompletion(.failed)))
            }
        }
        await refreshConditionsChanged()
    }

    // MARK: Effects

    /// Has the scheduler handle an input, and performs its effects. Returns whether what is to be
    /// kept is durable.
    @discardableResult
    func take(
        _ input: RefreshScheduler.Input
    ) async -> (effects: [RefreshScheduler.Effect], isKept: Bool) {
        let effects = refresh.scheduler.handle(input, at: refresh.now)
        let isKept = await keep(effects)
        for effect in effects { await perform(effect, isKept: isKept) }
        refresh.watchMachine { [weak self] machine in self?.post { await $0.refresh(machine) } }
        refresh.setAlarm { [weak self] in self?.post { await $0.refreshAlarm() } }
        considerLeaving()
        return (effects, isKept)
    }

    private func refreshAlarm() async {
        // The load is not reported by anybody.
        let conditions = refresh.currentConditions
        await take(conditions == refresh.scheduler.conditions ? .timePassed : .conditions(conditions))
    }

    /// Makes changes durable. A store without a place keeps nothing, which is no trouble.
    private func keep(_ effects: [RefreshScheduler.Effect]) async -> Bool {
        let changes = effects.compactMap { effect in
            if case .keep(let change) = effect { change } else { nil }
        }
        do {
            try await store.keep(changes.flatMap { try $0.records }, isDurable: true)
            return true
        } catch {
            return store.trouble?.code == .noFolder
        }
    }

    private func perform(_ effect: RefreshScheduler.Effect, isKept: Bool) async {
        switch effect {
        case .keep: break
        case .launch(let task): await launch(task, isKept: isKept)
        case .expire(let task): await expire(task)
        case .ended(let task, let run): await end(task, run)
        case .refused(let request, let error):
            var event = RefreshEvent(phase: .refused, identifier: request.identifier)
            event.because = error.reason
            await report(event, request.kind)
        case .ignored(let number):
            await report(
                "cannot complete the task \(number): It is over", code: "task-already-completed")
        case .scheduled(let identifier, let kind): await reportScheduled(identifier, kind)
        case .badge(let count): await session.report(.badge(count))
        }
    }

    private func launch(_ task: RefreshTask, isKept: Bool) async {
        guard isKept else {
            // Only what is known to be begun is begun: after a crash it would be done twice.
            await take(.completed(task.number, RefreshCompletion(.failed)))
            if let request = task.request { await take(.submit(request)) }
            return
        }
        await report(.began, task)
        if let id = refresh.registered[task.identifier]?.last, let client = clients[id]?.client {
            refresh.runners[task.number] = .client(id)
            client.refreshIsLaunched(
                task.run, timeRemaining: task.timeRemaining(at: refresh.now))
        } else if let handler = refresh.handlers[task.identifier] {
            refresh.runners[task.number] = .service(handler)
            handler.begin(task) { [weak self] completion in
                self?.post { await $0.take(.completed(task.number, completion)) }
            }
        } else {
            await take(.completed(task.number, RefreshCompletion(.failed)))
        }
    }

    private func expire(_ task: RefreshTask) async {
        await report(.expired, task)
        switch refresh.runners[task.number] {
        case .client(let id):
            clients[id]?.client.refreshIsExpiring(
                task.number, timeRemaining: task.timeRemaining(at: refresh.now))
        case .service(let handler): handler.expire(task)
        case nil: break
        }
    }

    /// The host is suspended on a later turn, so that what is submitted now is still taken.
    private func end(_ task: RefreshTask, _ run: RefreshRun) async {
        var followers = refresh.followers.removeValue(forKey: task.number) ?? []
        if case .client(let id)? = refresh.runners.removeValue(forKey: task.number) {
            followers.append(id)
        }
        if run.result == .overran {
            await report(
                "cannot keep \(task.identifier) running: Its time is over", code: "task-overran")
        }
        await reportEnd(task, run)
        takeSnapshot(after: StateSnapshot.Moment(after: task.kind))
        if task.identifier == RefreshDesk.analysisIdentifier { await requestAnalysis(after: run) }
        for id in Set(followers) { clients[id]?.client.refreshHasEnded(run) }
    }

    private func reportEnd(_ task: RefreshTask, _ run: RefreshRun) async {
        var event = RefreshEvent(.ended, task)
        event.result = run.result
        event.new = run.new
        event.seconds = run.seconds
        let next = refresh.scheduler.forecasts(at: refresh.now)
            .first { $0.identifier == task.identifier }
        event.next = next?.due
        await report(event, task.kind)
    }

    private func reportScheduled(_ identifier: String, _ kind: RefreshKind) async {
        let now = refresh.now
        guard
            let forecast = refresh.scheduler.forecasts(at: now)
                .first(where: { $0.identifier == identifier })
        else { return }
        var event = RefreshEvent(phase: .scheduled, identifier: identifier)
        event.next = forecast.due
        let words = forecast.obstacles.map(\.text)
        event.because = words.isEmpty ? nil : words.joined(separator: "; ")
        await report(event, kind)
    }

    private func report(_ phase: RefreshEvent.Phase, _ task: RefreshTask) async {
        await report(RefreshEvent(phase, task), task.kind)
    }

    private func report(_ event: RefreshEvent, _ kind: RefreshKind) async {
        await session.report(kind == .processing ? .processing(event) : .refresh(event))
    }
}

extension RefreshEvent {
    fileprivate init(_ phase: Phase, _ task: RefreshTask) {
        self.init(phase: phase, identifier: task.identifier)
        self.task = task.number
        cause = task.cause
    }
}

extension ServiceError {
    /// Apple's code is part of the text, since the wire has codes of its own.
    init(_ error: RefreshError, _ identifier: String) {
        self.init(
            .notPossible, "submit \(identifier)",
            "\(error.reason) (\(error.code), \(error.code.rawValue))")
    }

    fileprivate static func notPermitted(_ operation: String, _ identifier: String) -> ServiceError
    {
        ServiceError(
            .notPossible, "\(operation) \(identifier)",
            "not permitted yet; permit it with: undersong capability permit \(identifier)")
    }
}
