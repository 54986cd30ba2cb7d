import UndersongBackground
import UndersongBase
import UndersongControl

/// The methods of the wire.
extension RefreshFeature {
    /// The number of runs that are described if the client does not say.
    private static let runLimit = 10

    static let methods: [WireMethod] = [
        WireMethod(GetRefreshStatus.self) { frontEnd, call, _ in
            await frontEnd.player.refreshStatus(limit: call.limit ?? runLimit)
        },
        change(SubmitRefresh.self) { player, call, _ async throws(ServiceError) in
            try await player.submit(call.request)
        },
        change(CancelRefresh.self) { player, call, _ in
            await player.cancelRefresh(call.identifier)
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
        change(ExpireRefresh.self) { player, call, _ async throws(ServiceError) in
            try await player.expireRefresh(call.identifier)
        },
        change(SetFetchInterval.self) { player, call, _ in
            await player.setFetchInterval(call.interval)
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
            return await frontEnd.player.refreshStatus(limit: runLimit)
        }
    }
}

/// Background fetches, refreshes and processing, as clients ask for them.
extension PlayerService {
    /// The feature, once it has restored the last service's records.
    private var refresh: RefreshFeature {
        get async {
            let refresh = feature(RefreshFeature.self)
            await refresh.ready()
            return refresh
        }
    }

    /// Registers a client for an identifier: it is launched when a task is due, until it
    /// disconnects.
    ///
    /// - Throws: The identifier is not permitted.
    func registerRefresh(
        _ identifier: String, _ client: ClientID
    ) async throws(ServiceError) {
        let refresh = await refresh
        let permitted = refresh.scheduler.conditions.capabilities.permittedIdentifiers
        guard permitted.contains(identifier) else {
            throw ServiceError(
                .notPossible, "register for \(identifier)",
                "not permitted yet; permit it with: undersong capability permit \(identifier)")
        }
        await refresh.register(identifier, client)
    }

    /// Submits a request, which is durable when this returns.
    ///
    /// - Throws: It was refused, or cannot be kept.
    func submit(_ request: RefreshRequest) async throws(ServiceError) {
        let refresh = await refresh
        if let refusal = refresh.scheduler.refusal(of: request, at: refresh.now) {
            throw ServiceError(
                .notPossible, "submit \(request.identifier)",
                // Apple's code is part of the text, since the wire has codes of its own.
                "\(refusal.reason) (\(refusal.code), \(refusal.code.rawValue))")
        }
        guard await refresh.perform(.submit(request)) else {
            await refresh.perform(.cancel(request.identifier))
            throw notKept("submit \(request.identifier)")
        }
    }

    /// Cancels a request; without an identifier, all.
    func cancelRefresh(_ identifier: String?) async {
        await refresh.perform(identifier.map { .cancel($0) } ?? .cancelAll)
    }

    /// Sets how often to fetch at most.
    func setFetchInterval(_ interval: FetchInterval) async {
        await refresh.perform(.setInterval(interval))
    }

    /// Runs a task at once, for `client` to follow.
    ///
    /// - Throws: Nobody has registered for it, or nothing of the kind is pending.
    func runRefresh(
        _ identifier: String?, _ kind: RefreshKind, _ cause: RefreshCause, for client: ClientID
    ) async throws(ServiceError) -> Int {
        let refresh = await refresh
        let name = identifier ?? RefreshFeature.fetchIdentifier
        let isFetch = name == RefreshFeature.fetchIdentifier
        guard isFetch || kind != .fetch else {
            throw .unknown("kind", kind.rawValue, ["refresh", "processing"])
        }
        let isPending = refresh.scheduler.requests.contains { $0.identifier == name }
        let operation = "run \(name)"
        if cause == .simulate, !isPending, !isFetch {
            throw ServiceError(.notFound, operation, "no request for it is pending")
        }
        if !refresh.identifiers.contains(name) {
            throw ServiceError(.notPossible, operation, "no program handles it")
        }
        let number = refresh.scheduler.nextTask
        refresh.followNext(client)
        await refresh.perform(.run(name, isFetch && !isPending ? .fetch : kind, cause))
        return number
    }

    /// Warns a task as if its time were over.
    ///
    /// - Throws: No such task is running.
    func expireRefresh(_ identifier: String?) async throws(ServiceError) {
        let refresh = await refresh
        let tasks = refresh.scheduler.tasks.filter {
            identifier == nil || $0.identifier == identifier
        }
        guard !tasks.isEmpty else {
            throw ServiceError(
                .notFound, "expire \(identifier ?? "a task")", "it is not running")
        }
        for task in tasks { await refresh.perform(.expire(task.number)) }
    }

    /// Completes a task of a client.
    ///
    /// - Throws: It is not running, or runs elsewhere.
    func completeRefresh(
        _ number: Int, _ completion: RefreshCompletion, by client: ClientID
    ) async throws(ServiceError) {
        let refresh = await refresh
        guard refresh.isRunning(number, by: client) else {
            throw ServiceError(
                .notFound, "complete the task \(number)",
                "it is over, or was never launched here")
        }
        await refresh.perform(.completed(number, completion))
    }

    /// Shuts the player down for the user: nothing wakes it until it is opened again.
    func shutDown() async { await refresh.perform(.shutDown) }

    /// Switches background refresh on or off, as Apple's users do in the settings. Durable when this
    /// returns.
    ///
    /// - Throws: It cannot be kept.
    func allowBackgroundRefresh(_ isAllowed: Bool) async throws(ServiceError) {
        guard await refresh.allow(isAllowed) else {
            throw notKept("\(isAllowed ? "allow" : "deny") background refresh")
        }
    }

    private func notKept(_ operation: String) -> ServiceError {
        ServiceError(.notPossible, operation, store.trouble?.reason ?? "it cannot be kept")
    }

    /// The status of background tasks, with at most `limit` runs.
    func refreshStatus(limit: Int) async -> RefreshStatus {
        let refresh = await refresh
        let (scheduler, now) = (refresh.scheduler, refresh.now)
        let missing = scheduler.conditions.declarations(.fetch, RefreshFeature.fetchIdentifier)
            .compactMap(\.remedy).sorted()
        return RefreshStatus(
            scheduler, at: now, limit: limit, missing: missing,
            fallbacks: fallbacks(scheduler, at: now))
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
