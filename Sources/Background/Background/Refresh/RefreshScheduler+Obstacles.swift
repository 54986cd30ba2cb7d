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

    /// What stands against a wish now, apart from a better time; empty if it may run.
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

    /// When enough time has passed since the last run, in seconds of CLOCK_BOOTTIME.
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

    /// Takes new conditions: counts an opening, and ends what may no longer run.
    mutating func take(
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
