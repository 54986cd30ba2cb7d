import UndersongBackground
import UndersongBase
import UndersongControl

/// The methods of the wire.
extension RefreshFeature {
    /// The number of runs that are described if the client does not say.
    private static let runLimit = 10

    static let methods: [WireMethod] = [
        WireMethod(GetRefreshStatus.self) { frontEnd, call, origin in
            await frontEnd.player.refreshStatus(
                limit: call.limit ?? runLimit, for: origin.client.id)
        },
        WireMethod(GetLearnedHours.self) { frontEnd, call, origin in
            await frontEnd.player.learnedHours(ofApp: call.app, for: origin.client.id)
        },
        change(SubmitRefresh.self) { player, call, client async throws(ServiceError) in
            try await player.submit(call.request, by: client)
        },
        change(CancelRefresh.self) { player, call, client in
            await player.cancelRefresh(call.identifier, by: client)
        },
        change(RegisterRefresh.self) { player, call, client async throws(ServiceError) in
            try await player.registerRefresh(call.identifier, client)
        },
        change(CompleteRefresh.self) { player, call, client async throws(ServiceError) in
            try await player.completeRefresh(call.task, call.completion, by: client)
        },
        WireMethod(RunRefresh.self) { frontEnd, call, origin async throws(ServiceError) in
            RefreshBegun(
                task: try await frontEnd.player.runRefresh(
                    call.identifier, call.kind ?? .refresh, .command, for: origin.client.id))
        },
        WireMethod(SimulateRefresh.self) { frontEnd, call, origin async throws(ServiceError) in
            RefreshBegun(
                task: try await frontEnd.player.runRefresh(
                    call.identifier, .refresh, .simulate, for: origin.client.id))
        },
        change(ExpireRefresh.self) { player, call, client async throws(ServiceError) in
            try await player.expireRefresh(call.identifier, by: client)
        },
        change(SetFetchInterval.self) { player, call, client in
            await player.setFetchInterval(call.interval, by: client)
        },
        change(AllowRefresh.self) { player, _, _ async throws(ServiceError) in
            try await player.allowBackgroundRefresh(true)
        },
        change(DenyRefresh.self) { player, _, _ async throws(ServiceError) in
            try await player.allowBackgroundRefresh(false)
        },
    ]

    /// A method that performs `body`, and answers with the status afterwards.
    private static func change<Call: ControlCall>(
        _ type: Call.Type,
        _ body:
            @escaping @Sendable (PlayerService, Call, ClientID) async throws(ServiceError) -> Void
    ) -> WireMethod where Call.Reply == RefreshStatus {
        WireMethod(type) { frontEnd, call, origin async throws(ServiceError) in
            try await body(frontEnd.player, call, origin.client.id)
            return await frontEnd.player.refreshStatus(
                limit: runLimit, for: origin.client.id)
        }
    }
}

/// Background fetches, refreshes and processing, as clients ask for them. What a client asks that is
/// an app is about that app.
extension PlayerService {
    private var refresh: RefreshFeature { feature(RefreshFeature.self) }

    /// Registers a client for an identifier: it is launched when a task is due, until it
    /// disconnects; an app also after that.
    ///
    /// - Throws: The identifier is not permitted.
    func registerRefresh(
        _ identifier: String, _ client: ClientID
    ) async throws(ServiceError) {
        let desk = await refresh.desk(of: client, self)
        let permitted = desk.scheduler.conditions.capabilities.permittedIdentifiers
        guard permitted.contains(identifier) || desk.isFetch(identifier) && desk.owner != .service
        else {
            throw ServiceError(
                .notPossible, "register for \(identifier)",
                desk.owner == .service
                    ? "not permitted yet; permit it with: undersong capability permit \(identifier)"
                    : "the app's property list does not permit it")
        }
        desk.register(identifier, client, self)
        await refresh.settle()
    }

    /// Submits a request, which is durable when this returns.
    ///
    /// - Throws: It was refused, or cannot be kept.
    func submit(_ request: RefreshRequest, by client: ClientID) async throws(ServiceError) {
        let desk = await refresh.desk(of: client, self)
        if let refusal = desk.scheduler.refusal(of: request, at: refresh.now) {
            throw ServiceError(
                .notPossible, "submit \(request.identifier)",
                // Apple's code is part of the text, since the wire has codes of its own.
                "\(refusal.reason) (\(refusal.code), \(refusal.code.rawValue))")
        }
        desk.expect(request.identifier)
        guard await refresh.perform(.submit(request), of: desk.owner) else {
            await refresh.perform(.cancel(request.identifier), of: desk.owner)
            throw notKept("submit \(request.identifier)")
        }
    }

    /// Cancels a request; without an identifier, all.
    func cancelRefresh(_ identifier: String?, by client: ClientID) async {
        let desk = await refresh.desk(of: client, self)
        await refresh.perform(identifier.map { .cancel($0) } ?? .cancelAll, of: desk.owner)
    }

    /// Sets how often to fetch at most.
    func setFetchInterval(_ interval: FetchInterval, by client: ClientID) async {
        let desk = await refresh.desk(of: client, self)
        if interval != .never { desk.expect(desk.scheduler.fetchIdentifier) }
        await refresh.perform(.setInterval(interval), of: desk.owner)
    }

    /// Runs a task at once, for `client` to follow: of the service, or else of an app that handles the
    /// identifier; the identifier of an app is its fetch. A simulated fetch of the service takes the
    /// host to the background (K1).
    ///
    /// - Throws: Nobody has registered for it, or nothing of the kind is pending.
    func runRefresh(
        _ identifier: String?, _ kind: RefreshKind, _ cause: RefreshCause, for client: ClientID
    ) async throws(ServiceError) -> Int {
        var name = identifier ?? RefreshFeature.fetchIdentifier
        let desks = await refresh.allDesks(client, self)
        let found = desks.first { $0.isPending(name) || $0.identifiers.contains(name) }
        let app = desks.first { $0.owner == .app(name) }
        let own = await refresh.serviceDesk(self)
        let desk = identifier == nil || own.isFetch(name) ? own : found ?? app ?? own
        if found == nil, let app { name = app.scheduler.fetchIdentifier }
        let (isFetch, isPending) = (desk.isFetch(name), desk.isPending(name))
        guard isFetch || kind != .fetch else {
            throw .unknown("kind", kind.rawValue, ["refresh", "processing"])
        }
        let operation = "run \(name)"
        if cause == .simulate, !isPending, !isFetch {
            throw ServiceError(.notFound, operation, "no request for it is pending")
        }
        if !desk.identifiers.contains(name) {
            throw ServiceError(.notPossible, operation, "no program handles it")
        }
        let isInBackground = cause == .simulate && isFetch && desk.owner == .service
        if isInBackground { await beginSimulation() }
        let number = refresh.nextTask
        if isInBackground { refresh.noteSimulation(number) }
        desk.follow(number, client)
        await refresh.perform(
            .run(name, isFetch && !desk.isPending(name) ? .fetch : kind, cause), of: desk.owner)
        return number
    }

    /// Warns a task as if its time were over.
    ///
    /// - Throws: No such task is running.
    func expireRefresh(_ identifier: String?, by client: ClientID) async throws(ServiceError) {
        var hasFound = false
        for desk in await refresh.allDesks(client, self) where identifier == nil || !hasFound {
            for task in desk.scheduler.tasks
            where identifier == nil || task.identifier == identifier {
                hasFound = true
                await refresh.perform(.expire(task.number), of: desk.owner)
            }
        }
        guard hasFound else {
            throw ServiceError(
                .notFound, "expire \(identifier ?? "a task")", "it is not running")
        }
    }

    /// Completes a task of a client.
    ///
    /// - Throws: It is not running, or runs elsewhere.
    func completeRefresh(
        _ number: Int, _ completion: RefreshCompletion, by client: ClientID
    ) async throws(ServiceError) {
        let desk = await refresh.desk(of: client, self)
        guard desk.isRunning(number, by: client) else {
            throw ServiceError(
                .notFound, "complete the task \(number)",
                "it is over, or was never launched here")
        }
        await refresh.perform(.completed(number, completion), of: desk.owner)
    }

    /// Shuts the player down for the user: nothing of its own wakes it until it is opened again.
    func shutDown() async {
        let desk = await refresh.serviceDesk(self)
        await refresh.perform(.shutDown, of: desk.owner)
    }

    /// Switches background refresh on or off, as Apple's users do in the settings. Durable when this
    /// returns.
    ///
    /// - Throws: It cannot be kept.
    func allowBackgroundRefresh(_ isAllowed: Bool) async throws(ServiceError) {
        _ = await refresh.serviceDesk(self)
        guard await refresh.allow(isAllowed) else {
            throw notKept("\(isAllowed ? "allow" : "deny") background refresh")
        }
    }

    private func notKept(_ operation: String) -> ServiceError {
        ServiceError(.notPossible, operation, store.trouble?.reason ?? "it cannot be kept")
    }

    /// The status of background tasks, with at most `limit` runs: of the app whose process a client is,
    /// or else of the service, with the tasks that apps want.
    func refreshStatus(limit: Int, for client: ClientID? = nil) async -> RefreshStatus {
        let (refresh, desk) = (refresh, await refresh.desk(of: client, self))
        let (scheduler, now) = (desk.scheduler, refresh.now)
        var status = RefreshStatus(
            scheduler, at: now, limit: limit, fallbacks: fallbacks(scheduler, at: now))
        switch desk.owner {
        case .service:
            status.missing =
                scheduler.conditions.declarations(.fetch, RefreshFeature.fetchIdentifier)
                .compactMap(\.remedy).sorted()
            status.apps = refresh.apps.flatMap { app in
                refresh.scheduler(.app(app))?.forecasts(at: now, ofApp: app) ?? []
            }.sorted { ($0.due ?? .infinity) < ($1.due ?? .infinity) }
        case .app(let app): status.pending = scheduler.forecasts(at: now, ofApp: app)
        }
        return status
    }

    /// The usual day of an app, of the app whose process a client is, or else of the service's own: no
    /// chances for an app that has never asked for background tasks.
    func learnedHours(ofApp app: String?, for client: ClientID? = nil) async -> LearnedHours {
        let (refresh, desk) = (refresh, await refresh.desk(of: client, self))
        let scheduler = app.map { refresh.scheduler(.app($0)) } ?? desk.scheduler
        return scheduler.map { LearnedHours($0, at: refresh.now) } ?? LearnedHours()
    }

    /// The substitutes for services of the machine that do not answer and would decide about what
    /// is wanted.
    private func fallbacks(_ scheduler: RefreshScheduler, at now: ScheduleTime) -> [String] {
        let conditions = scheduler.conditions
        let wanted = scheduler.forecasts(at: now)
        guard !wanted.isEmpty, !conditions.isSettling else { return [] }
        return conditions.fallbacks(forProcessing: wanted.contains { $0.kind == .processing })
            .map { $0.words(conditions.machine.power) }
    }
}

extension RefreshDesk {
    /// True for the identifier of the owner's fetch by interval.
    fileprivate func isFetch(_ identifier: String) -> Bool {
        identifier == scheduler.fetchIdentifier
    }

    fileprivate func isPending(_ identifier: String) -> Bool {
        scheduler.requests.contains { $0.identifier == identifier }
    }
}
