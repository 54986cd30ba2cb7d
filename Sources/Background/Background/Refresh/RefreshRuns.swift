package import UndersongBase

extension RefreshScheduler {
    /// Begins all that is due in one wake (F8): what may run does so as soon as the time of one has
    /// come. With `isWake`, something has begun elsewhere that is woken with it.
    mutating func begin(
        dueAt now: ScheduleTime, isWake: Bool = false, _ effects: inout [Effect]
    ) {
        let ready = pendingRuns.filter { obstacles($0, at: now).isEmpty }
        guard isWake || ready.contains(where: { plan($0, at: now).wall <= now.wall }) else {
            return
        }
        for pending in ready {
            if pending.kind == .processing {
                // Each waits for its own time, and for the end of the other.
                guard plan(pending, at: now).wall <= now.wall,
                    pool.processing.isEmpty
                else { continue }
            } else if conditions.host != .active {
                pool.wakes.add(now.boot)
            }
            launch(pending, .schedule, now, &effects)
        }
    }

    /// Begins a run at once.
    mutating func begin(
        _ identifier: String, _ kind: RefreshKind, _ cause: RefreshCause, _ now: ScheduleTime,
        _ effects: inout [Effect]
    ) {
        let request = kind == .fetch ? nil : requests.first { $0.identifier == identifier }
        launch(
            PendingRun(identifier: identifier, kind: request?.kind ?? kind, request: request),
            cause, now,
            &effects)
    }

    private mutating func launch(
        _ pending: PendingRun, _ cause: RefreshCause, _ now: ScheduleTime, _ effects: inout [Effect]
    ) {
        let limit = pending.kind.timeLimit
        let task = RefreshTask(
            number: pool.nextTask, identifier: pending.identifier, kind: pending.kind, cause: cause,
            began: now, request: pending.request, previous: lastRuns[pending.identifier],
            warning: now.boot + limit - RefreshTask.grace, deadline: now.boot + limit)
        pool.nextTask += 1
        tasks.append(task)
        if task.kind == .processing { pool.processing.insert(task.number) }
        noteBegin(pending.identifier, boot: now.boot)
        if pending.request != nil {
            requests.removeAll { $0.identifier == pending.identifier }
            effects.append(.keep(.noRequest(pending.identifier)))
        }
        keep(task.run, &effects)
        effects.append(.launch(task))
    }

    /// Notes for intervals that a run has begun.
    mutating func noteBegin(_ identifier: String, boot: Double) {
        lastRuns[identifier] = max(boot, lastRuns[identifier] ?? boot)
    }

    /// Records a run, which has begun or is over.
    mutating func keep(_ run: RefreshRun, _ effects: inout [Effect]) {
        if let index = runs.lastIndex(where: { $0.number == run.number }) {
            runs[index] = run
        } else {
            runs.append(run)
            forgetRuns(&effects)
        }
        effects.append(.keep(.run(run)))
    }

    /// Forgets the oldest runs that are too many.
    mutating func forgetRuns(_ effects: inout [Effect]) {
        while runs.count > Self.runLimit {
            effects.append(.keep(.noRun(runs.removeFirst().number)))
        }
    }

    /// Withdraws a launch, as if it had never been decided.
    mutating func putOff(
        _ number: Int, isStopped: Bool, _ now: ScheduleTime, _ effects: inout [Effect]
    ) {
        guard let index = tasks.firstIndex(where: { $0.number == number }) else { return }
        let task = tasks.remove(at: index)
        pool.processing.remove(number)
        if task.kind != .processing { pool.wakes.remove(task.began.boot) }
        lastRuns[task.identifier] = task.previous
        runs.removeAll { $0.number == number }
        effects.append(.keep(.noRun(number)))
        if let request = task.request,
            !requests.contains(where: { $0.identifier == request.identifier })
        {
            requests.append(request)
            requests.sort { $0.submitted < $1.submitted }
            effects.append(.keep(.request(request)))
        }
        if isStopped { stopped[task.identifier] = now.boot + Self.stoppedInterval }
    }

    // MARK: Ends

    /// Warns and ends tasks whose time is over, and warns those that may no longer run.
    mutating func watchTasks(_ now: ScheduleTime, _ effects: inout [Effect]) {
        for task in tasks where now.boot >= task.deadline {
            // Each is warned before it is ended, however late this is called.
            if !task.isExpired { effects.append(.expire(task)) }
            end(task, RefreshCompletion(.overran), now, &effects)
        }
        for task in tasks where !task.isExpired {
            if now.boot >= task.warning || mustEnd(task) { expire(task.number, now, &effects) }
        }
    }

    /// Returns true if a task has lost what it needs. What was begun by hand continues without it.
    private func mustEnd(_ task: RefreshTask) -> Bool {
        guard task.cause == .schedule else { return false }
        let identifier = task.kind == .fetch ? requiredIdentifier : task.identifier
        guard conditions.declarations(task.kind, identifier).isEmpty else { return true }
        guard task.kind == .processing, let request = task.request else { return false }
        return !conditions.againstProcessing(request).isEmpty
    }

    mutating func expire(_ number: Int, _ now: ScheduleTime, _ effects: inout [Effect]) {
        guard let index = tasks.firstIndex(where: { $0.number == number && !$0.isExpired }) else {
            return
        }
        tasks[index].isExpired = true
        tasks[index].deadline = min(tasks[index].deadline, now.boot + RefreshTask.grace)
        effects.append(.expire(tasks[index]))
    }

    mutating func complete(
        _ number: Int, _ completion: RefreshCompletion, _ now: ScheduleTime,
        _ effects: inout [Effect]
    ) {
        guard let task = tasks.first(where: { $0.number == number }) else {
            effects.append(.ignored(number))
            return
        }
        end(task, completion, now, &effects)
    }

    mutating func end(
        _ task: RefreshTask, _ completion: RefreshCompletion, _ now: ScheduleTime,
        _ effects: inout [Effect]
    ) {
        tasks.removeAll { $0.number == task.number }
        pool.processing.remove(task.number)
        var run = task.run
        run.seconds = now.boot - task.began.boot
        (run.result, run.new, run.bytes) = (completion.result, completion.new, completion.bytes)
        run.processorTime = completion.processorTime ?? processorTimes[task.number]
        if let time = run.processorTime { costs[run.identifier, default: RefreshCost()].add(time) }
        if task.kind != .processing, learn(completion, of: task, now) {
            effects.append(.keep(.usage(usage)))
        }
        pool.data.add(run.bytes, at: now.boot)
        keep(run, &effects)
        effects.append(.ended(task, run))
        if run.new > 0, task.kind != .processing { set(badge: badge + run.new, &effects) }
    }

    mutating func set(badge: Int, _ effects: inout [Effect]) {
        self.badge = badge
        effects += [.keep(.badge(badge)), .badge(badge)]
    }

    /// Learns from the result of a fetch or refresh. Returns whether there was something to learn.
    private mutating func learn(
        _ completion: RefreshCompletion, of task: RefreshTask, _ now: ScheduleTime
    ) -> Bool {
        switch completion.result {
        case .newData: learnNews(completion, of: task)
        case .noData where task.cause == .schedule: usage.countInVain(at: task.began)
        case .noData:
            noteLook(task)
            return false
        case .done, .failed, .overran, .interrupted: return false
        }
        noteLook(task)
        return true
    }

    private mutating func learnNews(_ completion: RefreshCompletion, of task: RefreshTask) {
        if let published = completion.published {
            usage.countNews(from: min(published, task.began.wall), foundAt: task.began)
            guard completion.unseenSince != nil else { return }
        }
        if let start = completion.unseenSince ?? lastLooks[task.identifier] {
            usage.countSighting(after: start, foundAt: task.began)
        } else {
            usage.countNews(from: task.began.wall, foundAt: task.began)
        }
    }

    /// Notes that what is not found by now appears later.
    private mutating func noteLook(_ task: RefreshTask) {
        lastLooks[task.identifier] = task.began.wall
    }
}

extension RefreshScheduler {
    package func nextDue(at now: ScheduleTime) -> Due {
        var due = Due.never
        for task in tasks { due.add(boot: task.isExpired ? task.deadline : task.warning) }
        for pending in pendingRuns {
            let obstacles = allObstacles(pending, at: now)
            // The load is not reported: somebody has to look.
            guard obstacles.allSatisfy({ !$0.needsChange || $0 == .busy }) else { continue }
            var boot = obstacles.compactMap(\.boot).max()
            if obstacles.contains(.busy) { boot = max(boot ?? 0, now.boot + Self.lookInterval) }
            switch (boot, obstacles.compactMap(\.wall).max()) {
            case (let boot?, let wall?) where now.wall(atBoot: boot) < wall:
                due.add(wall: wall)
            case (let boot?, _): due.add(boot: boot)
            case (nil, let wall?): due.add(wall: wall)
            case (nil, nil): break
            }
        }
        return due
    }

    /// The seconds between looks at the load of the processors.
    static let lookInterval = 60.0

    /// Returns the pending runs with their prospects, the next first.
    package func forecasts(at now: ScheduleTime) -> [RefreshForecast] {
        pendingRuns.map { pending in
            let obstacles = allObstacles(pending, at: now)
            let times =
                obstacles.compactMap(\.wall)
                + obstacles.compactMap(\.boot).map { now.wall(atBoot: $0) } + [now.wall]
            return RefreshForecast(
                identifier: pending.identifier, kind: pending.kind, request: pending.request,
                due: obstacles.contains(where: \.needsChange) ? nil : times.max(),
                obstacles: obstacles.map { obstacle in
                    RefreshForecast.Obstacle(
                        reason: .known(obstacle.name), text: obstacle.words(at: now),
                        remedy: obstacle.remedy)
                }.sorted { $0.text < $1.text })
        }.sorted { ($0.due ?? .infinity) < ($1.due ?? .infinity) }
    }

    /// Returns the pending runs of an app with their prospects. Commands change no declaration of it.
    package func forecasts(at now: ScheduleTime, ofApp app: String) -> [RefreshForecast] {
        forecasts(at: now).map { forecast in
            var forecast = forecast
            forecast.app = app
            for index in forecast.obstacles.indices
            where forecast.obstacles[index].reason != .known(.denied) {
                forecast.obstacles[index].remedy = nil
            }
            return forecast
        }
    }

    /// Returns true if something that is due begins within moments unless the machine is against
    /// it: its conditions are not known yet, or have to last.
    package func isAboutToBegin(at now: ScheduleTime) -> Bool {
        pendingRuns.contains { pending in
            let obstacles = allObstacles(pending, at: now)
            return !obstacles.isEmpty && obstacles.allSatisfy(\.passesSoon)
        }
    }

    private func allObstacles(_ pending: PendingRun, at now: ScheduleTime) -> Set<RefreshObstacle> {
        var obstacles = obstacles(pending, at: now)
        let plan = currentPlan(pending, at: now)
        if plan.wall > now.wall { obstacles.insert(.betterTime(plan)) }
        return obstacles
    }
}

extension Due {
    fileprivate mutating func add(boot: Double) { self.boot = min(boot, self.boot ?? boot) }
    fileprivate mutating func add(wall: Double) { self.wall = min(wall, self.wall ?? wall) }
}
