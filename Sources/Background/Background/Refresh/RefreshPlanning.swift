import UndersongPlayback

extension RefreshScheduler {
    /// A run that is wanted: a fetch by interval, or a request.
    struct PendingRun: Hashable {
        var identifier: String
        var kind: RefreshKind
        var request: RefreshRequest?
    }

    /// All that is wanted.
    var pendingRuns: [PendingRun] {
        let fetch = interval.seconds.map { _ in
            PendingRun(identifier: fetchIdentifier, kind: .fetch)
        }
        return (fetch.map { [$0] } ?? [])
            + requests.map { PendingRun(identifier: $0.identifier, kind: $0.kind, request: $0) }
    }

    /// Returns the obstacles to a run now, apart from a better time; empty if it may run.
    func obstacles(_ pending: PendingRun, at now: ScheduleTime) -> Set<RefreshObstacle> {
        var obstacles = conditions.declarations(
            pending.kind, pending.kind == .fetch ? requiredIdentifier : pending.identifier)
        if isShutDown { obstacles.insert(.shutDown) }
        if !conditions.handlers.contains(pending.identifier) { obstacles.insert(.noHandler) }
        if tasks.contains(where: { $0.identifier == pending.identifier && $0.kind == pending.kind })
        {
            obstacles.insert(.running)
        }
        if conditions.isSettling { obstacles.insert(.settling) }
        if conditions.machine.isSleeping { obstacles.insert(.asleep) }
        if now.boot < pool.awakeFrom { obstacles.insert(.unsteady(pool.awakeFrom)) }
        if conditions.isClosed { obstacles.insert(.closed) }
        if let end = stopped[pending.identifier], now.boot < end {
            obstacles.insert(.stopped(end))
        }
        if let earliest = pending.request?.earliestBeginDate, now.wall < earliest {
            obstacles.insert(.earliestBeginDate(earliest))
        }
        if let end = intervalEnd(pending), now.boot < end { obstacles.insert(.interval(end)) }
        if pending.kind == .processing, let request = pending.request {
            obstacles.formUnion(againstProcessing(request, at: now))
        } else {
            obstacles.formUnion(conditions.againstRefresh)
            if let end = costEnd(pending), now.boot < end {
                let seconds = costs[pending.identifier]?.median ?? 0
                obstacles.insert(.costly(end, seconds: seconds))
            }
            if conditions.host != .active, let next = pool.wakes.nextBoot(after: now.boot) {
                obstacles.insert(.budget(next))
            }
            if conditions.host != .active, let next = pool.data.nextBoot(after: now.boot) {
                obstacles.insert(.dataBudget(next))
            }
        }
        return obstacles
    }

    /// Returns the end of the pause after the last run, in seconds of CLOCK_BOOTTIME.
    func intervalEnd(_ pending: PendingRun) -> Double? {
        switch pending.kind {
        case .fetch:
            guard let last = lastFetch, let seconds = interval.seconds else { return nil }
            return last + seconds
        case .refresh: return lastRuns[pending.identifier].map { $0 + FetchInterval.shortest }
        case .processing: return lastRuns[pending.identifier].map { $0 + Self.processingPause }
        }
    }

    /// Returns the end of the pause that the processor time of earlier runs demands, in seconds of
    /// CLOCK_BOOTTIME; nil if it demands none.
    func costEnd(_ pending: PendingRun) -> Double? {
        guard pending.kind != .processing, let last = lastRuns[pending.identifier],
            let cost = costs[pending.identifier]
        else { return nil }
        return last + cost.pause(isOnBattery: conditions.machine.power.isOnBattery)
    }

    private func againstProcessing(
        _ request: RefreshRequest, at now: ScheduleTime
    ) -> Set<RefreshObstacle> {
        var obstacles = conditions.againstProcessing(request)
        let own = tasks.filter { $0.identifier == request.identifier }.map(\.number)
        if !pool.processing.subtracting(own).isEmpty { obstacles.insert(.otherProcessing) }
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
            pool.noteWaking(at: now.boot) {
                Double.random(in: Self.wakingDelay, using: &generator)
            }
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

/// The values that a plan depends on.
struct PlanKey: Hashable, Sendable {
    var start: Double
    /// The lead of the date over CLOCK_BOOTTIME, in whole seconds.
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
        0.1 * (1 + Double(pool.wakes.count(before: boot)) / 6)
    }

    /// The best moment for a pending, which may have passed.
    mutating func plan(_ pending: PendingRun, at now: ScheduleTime) -> RefreshPlan {
        let key = key(pending, at: now)
        if let known = plans[pending.identifier], known.key == key { return known.plan }
        let plan = newPlan(pending, key, at: now)
        plans[pending.identifier] = (key, plan)
        return plan
    }

    /// The plan for a pending without keeping it.
    func currentPlan(_ pending: PendingRun, at now: ScheduleTime) -> RefreshPlan {
        let key = key(pending, at: now)
        if let known = plans[pending.identifier], known.key == key { return known.plan }
        return newPlan(pending, key, at: now)
    }

    private func key(_ pending: PendingRun, at now: ScheduleTime) -> PlanKey {
        let since = pending.request?.submittedBoot ?? intervalSince
        let start = max(since, intervalEnd(pending) ?? since, costEnd(pending) ?? since)
        return PlanKey(
            start: start, ahead: (now.wall - now.boot).rounded(), utcOffset: now.utcOffset,
            offsetChange: now.offsetChange, usage: usage.version,
            interval: pending.kind == .fetch ? interval.seconds : nil,
            earliest: pending.request?.earliestBeginDate, wakes: pool.wakes.count(before: start))
    }

    private func newPlan(_ pending: PendingRun, _ key: PlanKey, at now: ScheduleTime) -> RefreshPlan
    {
        let start = max(now.wall(atBoot: key.start), pending.request?.earliestBeginDate ?? 0)
        if pending.kind == .processing { return processingPlan(pending, start, at: now) }
        let last = pending.kind == .fetch ? lastFetch : lastRuns[pending.identifier]
        guard let last else { return RefreshPlan(wall: start, reason: .first) }
        let lastWall = now.wall(atBoot: last)
        let wait = usage.days < Self.exploringDays ? Self.exploringWait : Self.longestWait
        let span = RefreshSpan(
            start: start, end: max(start, lastWall + max(interval.seconds ?? 0, wait)),
            last: lastWall, interval: pending.kind == .fetch ? interval.seconds ?? 0 : 0,
            price: price(before: key.start), now: now)
        return span.plan(usage)
    }

    // MARK: Processing

    /// Returns true if the work is done within two days: the host was used within the past week.
    package func isPromised(at now: ScheduleTime) -> Bool {
        guard let last = usage.lastOpenDay else { return false }
        return HalfHour.day(now.wall + now.utcOffset) - last <= Self.usedWithin
    }

    /// Plans processing. Until half the promised time has passed, hours in which the user is often
    /// there are left out.
    private func processingPlan(
        _ pending: PendingRun, _ start: Double, at now: ScheduleTime
    ) -> RefreshPlan {
        let end = start + 86400
        var moment = start
        while moment < end {
            let offset = now.utcOffset(at: moment)
            let local = moment + offset
            let chances = [0.0, HalfHour.seconds].map { usage.chanceOfOpen(atLocal: local + $0) }
            if chances.allSatisfy({ $0 < 0.2 }) {
                return RefreshPlan(wall: moment, reason: .quiet)
            }
            moment =
                ((local / HalfHour.seconds).rounded(.down) + 1) * HalfHour.seconds - offset
        }
        return RefreshPlan(wall: end, reason: .longestWait)
    }
}
