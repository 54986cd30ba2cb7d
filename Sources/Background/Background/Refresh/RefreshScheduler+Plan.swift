/// What a plan depends on.
struct PlanKey: Hashable, Sendable {
    var start: Double
    /// How far the date is ahead of CLOCK_BOOTTIME, in whole seconds.
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

    /// Whether the work is done within two days: the host was used within the past week.
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
