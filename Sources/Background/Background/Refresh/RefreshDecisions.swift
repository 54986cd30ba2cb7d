package import UndersongBase
import UndersongPlayback

extension RefreshScheduler {
    /// Something that is wanted: a fetch by interval, or a request.
    struct Wish: Hashable {
        var identifier: String
        var kind: RefreshKind
        var request: RefreshRequest?
    }

    /// All that is wanted.
    var wishes: [Wish] {
        let fetch = interval.seconds.map { _ in Wish(identifier: fetchIdentifier, kind: .fetch) }
        return (fetch.map { [$0] } ?? [])
            + requests.map { Wish(identifier: $0.identifier, kind: $0.kind, request: $0) }
    }

    /// The obstacles to a wish now, apart from a better time; none if it may run.
    func obstacles(_ wish: Wish, at now: ScheduleTime) -> Set<RefreshObstacle> {
        var obstacles = conditions.declarations(
            wish.kind, wish.kind == .fetch ? requiredIdentifier : wish.identifier)
        if isShutDown { obstacles.insert(.shutDown) }
        if !conditions.handlers.contains(wish.identifier) { obstacles.insert(.noHandler) }
        if tasks.contains(where: { $0.identifier == wish.identifier && $0.kind == wish.kind }) {
            obstacles.insert(.running)
        }
        if conditions.isSettling { obstacles.insert(.settling) }
        if conditions.machine.isSleeping { obstacles.insert(.asleep) }
        if now.boot < awakeFrom { obstacles.insert(.unsteady(awakeFrom)) }
        if let earliest = wish.request?.earliestBeginDate, now.wall < earliest {
            obstacles.insert(.earliestBeginDate(earliest))
        }
        if let end = intervalEnd(wish), now.boot < end { obstacles.insert(.interval(end)) }
        if wish.kind == .processing, let request = wish.request {
            obstacles.formUnion(againstProcessing(request, at: now))
        } else {
            obstacles.formUnion(conditions.againstRefresh)
            if conditions.host != .active, let next = budget.nextBoot, now.boot < next {
                obstacles.insert(.budget(next))
            }
            if conditions.host != .active, let next = dataBudget.nextBoot(after: now.boot) {
                obstacles.insert(.dataBudget(next))
            }
        }
        return obstacles
    }

    /// The time from which enough time has passed since the last run, in seconds of CLOCK_BOOTTIME.
    func intervalEnd(_ wish: Wish) -> Double? {
        switch wish.kind {
        case .fetch:
            guard let last = lastFetch, let seconds = interval.seconds else { return nil }
            return last + seconds
        case .refresh: return lastRuns[wish.identifier].map { $0 + FetchInterval.shortest }
        case .processing: return lastRuns[wish.identifier].map { $0 + Self.processingPause }
        }
    }

    private func againstProcessing(
        _ request: RefreshRequest, at now: ScheduleTime
    ) -> Set<RefreshObstacle> {
        var obstacles = conditions.againstProcessing(request)
        if tasks.contains(where: { $0.kind == .processing && $0.identifier != request.identifier })
        {
            obstacles.insert(.otherProcessing)
        }
        if conditions.isBusy { obstacles.insert(.busy) }
        var steady = unusedSince.map { $0 + Self.steadiness } ?? 0
        if request.requiresExternalPower, let externalSince {
            steady = max(steady, externalSince + Self.steadiness)
        }
        if now.boot < steady { obstacles.insert(.unsteady(steady)) }
        return obstacles
    }

    /// Applies new conditions: counts an opening, and ends what may no longer run.
    mutating func apply(
        _ new: RefreshConditions, _ now: ScheduleTime, _ effects: inout [Effect]
    ) {
        let old = conditions
        conditions = new
        if new.availability != old.availability, new.availability != .restricted {
            effects.append(.keep(.isDenied(new.availability == .denied)))
        }
        if new.machine.power.isOnBattery {
            externalSince = nil
        } else if externalSince == nil || old.machine.power.isOnBattery {
            externalSince = now.boot
        }
        if new.isInUse {
            unusedSince = nil
        } else if unusedSince == nil || old.isInUse {
            unusedSince = now.boot
        }
        if old.machine.isSleeping, !new.machine.isSleeping {
            awakeFrom = now.boot + Double.random(in: Self.wakingDelay, using: &generator)
        }
        guard new.host == .active, old.host != .active else { return }
        if usage.countOpen(at: now) { effects.append(.keep(.usage(usage))) }
        if isShutDown {
            isShutDown = false
            effects.append(.keep(.isShutDown(false)))
        }
        if badge != 0 { set(badge: 0, &effects) }
    }
}

/// The values on which a plan depends.
struct PlanKey: Hashable, Sendable {
    var start: Double
    /// The whole seconds by which the date is ahead of CLOCK_BOOTTIME.
    var ahead: Double
    var utcOffset: Double
    var offsetChange: ScheduleTime.OffsetChange?
    var usage: Int
    var interval: Double?
    var earliest: Double?
    var wakes: Int
}

extension RefreshScheduler {
    /// The least chance for which it is worth waking the host, which grows with the wakes in the
    /// day before.
    private func price(before boot: Double) -> Double {
        0.1 * (1 + Double(budget.count(before: boot)) / 6)
    }

    /// The best moment for a wish, which may have passed.
    mutating func plan(_ wish: Wish, at now: ScheduleTime) -> RefreshPlan {
        let key = key(wish, at: now)
        if let known = plans[wish.identifier], known.key == key { return known.plan }
        let plan = newPlan(wish, key, at: now)
        plans[wish.identifier] = (key, plan)
        return plan
    }

    /// The plan for a wish without keeping it.
    func currentPlan(_ wish: Wish, at now: ScheduleTime) -> RefreshPlan {
        let key = key(wish, at: now)
        if let known = plans[wish.identifier], known.key == key { return known.plan }
        return newPlan(wish, key, at: now)
    }

    private func key(_ wish: Wish, at now: ScheduleTime) -> PlanKey {
        let since = wish.request?.submittedBoot ?? intervalSince
        let start = max(since, intervalEnd(wish) ?? since)
        return PlanKey(
            start: start, ahead: (now.wall - now.boot).rounded(), utcOffset: now.utcOffset,
            offsetChange: now.offsetChange, usage: usage.version,
            interval: wish.kind == .fetch ? interval.seconds : nil,
            earliest: wish.request?.earliestBeginDate, wakes: budget.count(before: start))
    }

    private func newPlan(_ wish: Wish, _ key: PlanKey, at now: ScheduleTime) -> RefreshPlan {
        let start = max(now.wall(atBoot: key.start), wish.request?.earliestBeginDate ?? 0)
        if wish.kind == .processing { return processingPlan(wish, start, at: now) }
        let last = wish.kind == .fetch ? lastFetch : lastRuns[wish.identifier]
        guard let last else { return RefreshPlan(wall: start, because: .first) }
        let lastWall = now.wall(atBoot: last)
        let wait = usage.days < Self.exploringDays ? Self.exploringWait : Self.longestWait
        let span = RefreshSpan(
            start: start, end: max(start, lastWall + max(interval.seconds ?? 0, wait)),
            last: lastWall, interval: wish.kind == .fetch ? interval.seconds ?? 0 : 0,
            price: price(before: key.start), now: now)
        return span.plan(usage)
    }

    // MARK: Processing

    /// True if the work is done within two days: the host was used within the past week.
    package func isPromised(at now: ScheduleTime) -> Bool {
        guard let last = usage.lastOpenDay else { return false }
        return HalfHour.day(now.wall + now.utcOffset) - last <= Self.usedWithin
    }

    /// Until half the promised time has passed, hours in which the user is often there are left out.
    private func processingPlan(
        _ wish: Wish, _ start: Double, at now: ScheduleTime
    ) -> RefreshPlan {
        let end = start + 86400
        var moment = start
        while moment < end {
            let offset = now.utcOffset(at: moment)
            let local = moment + offset
            let chances = [0.0, HalfHour.seconds].map { usage.chanceOfOpen(atLocal: local + $0) }
            if chances.allSatisfy({ $0 < 0.2 }) {
                return RefreshPlan(wall: moment, because: .quiet)
            }
            moment =
                ((local / HalfHour.seconds).rounded(.down) + 1) * HalfHour.seconds - offset
        }
        return RefreshPlan(wall: end, because: .longestWait)
    }
}

extension RefreshScheduler {
    package func nextDue(at now: ScheduleTime) -> Due {
        var due = Due.never
        for task in tasks { due.add(boot: task.isExpired ? task.deadline : task.warning) }
        for wish in wishes {
            let obstacles = allObstacles(wish, at: now)
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

    /// All that is wanted, with what becomes of it, the next first.
    package func outlook(at now: ScheduleTime) -> [RefreshOutlook] {
        wishes.map { wish in
            let obstacles = allObstacles(wish, at: now)
            let times =
                obstacles.compactMap(\.wall)
                + obstacles.compactMap(\.boot).map { now.wall(atBoot: $0) } + [now.wall]
            return RefreshOutlook(
                identifier: wish.identifier, kind: wish.kind, request: wish.request,
                due: obstacles.contains(where: \.needsChange) ? nil : times.max(),
                obstacles: obstacles.map { obstacle in
                    RefreshOutlook.Obstacle(
                        reason: .known(obstacle.name), text: obstacle.words(at: now),
                        remedy: obstacle.remedy)
                }.sorted { $0.text < $1.text })
        }.sorted { ($0.due ?? .infinity) < ($1.due ?? .infinity) }
    }

    /// True if something that is due begins within moments unless the machine is against it: its
    /// conditions are not known yet, or have to last.
    package func isAboutToBegin(at now: ScheduleTime) -> Bool {
        wishes.contains { wish in
            let obstacles = allObstacles(wish, at: now)
            return !obstacles.isEmpty && obstacles.allSatisfy(\.passesSoon)
        }
    }

    private func allObstacles(_ wish: Wish, at now: ScheduleTime) -> Set<RefreshObstacle> {
        var obstacles = obstacles(wish, at: now)
        let plan = currentPlan(wish, at: now)
        if plan.wall > now.wall { obstacles.insert(.betterTime(plan)) }
        return obstacles
    }
}

extension Due {
    fileprivate mutating func add(boot: Double) { self.boot = min(boot, self.boot ?? boot) }
    fileprivate mutating func add(wall: Double) { self.wall = min(wall, self.wall ?? wall) }
}
