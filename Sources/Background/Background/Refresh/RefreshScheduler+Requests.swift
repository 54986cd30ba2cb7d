extension RefreshScheduler {
    /// Why `request` would be refused at `now`; nil if it would be accepted.
    package func refusal(of request: RefreshRequest, at now: ScheduleTime) -> RefreshError? {
        let missing = conditions.declarations(request.kind, request.identifier)
        let causes: [(RefreshObstacle, RefreshError.Code)] = [
            (.denied, .unavailable), (.restricted, .unavailable),
            (.notDeclared(request.kind.mode), .notPermitted),
            (.notPermitted(request.identifier), .notPermitted),
        ]
        if let (obstacle, code) = causes.first(where: { missing.contains($0.0) }) {
            return RefreshError(code, obstacle.words(at: now))
        }
        let others = requests.count { other in
            other.kind == request.kind && other.identifier != request.identifier
        }
        guard others < request.kind.pendingLimit else {
            return RefreshError(
                .tooManyPendingTaskRequests,
                "\(request.kind.pendingLimit) requests of its kind are pending, the most allowed")
        }
        return nil
    }

    mutating func submit(_ request: RefreshRequest, _ now: ScheduleTime, _ effects: inout [Effect])
    {
        if let error = refusal(of: request, at: now) {
            effects.append(.refused(request, error))
            return
        }
        var request = request
        request.submitted = now.wall
        request.submittedBoot = now.boot
        requests.removeAll { $0.identifier == request.identifier }
        requests.append(request)
        plans[request.identifier] = nil
        effects += [.keep(.request(request)), .scheduled(request.identifier, request.kind)]
    }

    mutating func cancel(_ identifier: String, _ effects: inout [Effect]) {
        guard requests.contains(where: { $0.identifier == identifier }) else { return }
        requests.removeAll { $0.identifier == identifier }
        effects.append(.keep(.noRequest(identifier)))
    }

    mutating func set(
        _ interval: FetchInterval, _ now: ScheduleTime, _ effects: inout [Effect]
    ) {
        guard interval != self.interval else { return }
        self.interval = interval
        intervalSince = now.boot
        effects += [.keep(.interval(interval)), .scheduled(fetchIdentifier, .fetch)]
    }

    /// The identifier of the fetch by interval.
    package var fetchIdentifier: String { requiredIdentifier ?? Self.fetchIdentifier }

    mutating func restore(_ memory: Memory, _ now: ScheduleTime, _ effects: inout [Effect]) {
        interval = memory.interval
        intervalSince = now.boot
        isShutDown = memory.isShutDown
        badge = memory.badge
        if memory.isDenied, conditions.availability == .available {
            conditions.availability = .denied
        }
        usage = memory.usage
        requests = memory.requests
        runs = memory.runs.sorted { $0.number < $1.number }.suffix(Self.runLimit)
        let isSameBoot = !boot.isEmpty && boot == memory.boot
        if !isSameBoot {
            effects.append(.keep(.boot(boot)))
            for index in requests.indices { requests[index].submittedBoot = now.boot }
        }
        for run in runs {
            remember(run, isSameBoot: isSameBoot, now)
            guard run.result == nil else { continue }
            // It is not run again: it may have done its work.
            var run = run
            run.result = .interrupted
            keep(run, &effects)
        }
    }

    /// Counts a run of an earlier service for intervals and the budget.
    private mutating func remember(_ run: RefreshRun, isSameBoot: Bool, _ now: ScheduleTime) {
        nextTask = max(nextTask, run.number + 1)
        // Since a clock that was set backward would make it a run of the future, it is at most now.
        let age = isSameBoot ? now.boot - run.beganBoot : max(0, now.wall - run.began)
        noteBegin(run.identifier, boot: now.boot - age)
        if run.result == .newData || run.result == .noData {
            lastLooks[run.identifier] = run.began
        }
        if run.cause == .schedule, run.kind != .processing, budget.wakes.last != now.boot - age {
            budget.add(now.boot - age)
        }
        dataBudget.add(run.bytes, at: now.boot - age + (run.seconds ?? 0))
    }
}
