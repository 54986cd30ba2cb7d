extension TransferPolicy {
    /// Gives up what is too late, stops what may not run, and starts what may.
    mutating func settle(_ now: Moment, _ effects: inout [Effect]) {
        var ready: [TransferTask] = []
        for task in tasks.values where task.stage == .pending && activities[task.id] != .verifying {
            if age(of: task, at: now) >= task.request.timeout {
                let reason = task.lastTrouble.map { ": \($0)" } ?? ""
                let seconds = Int(task.request.timeout)
                let time = seconds == 1 ? "1 second" : "\(seconds) seconds"
                let text = "It was not complete after \(time)\(reason)"
                fail(task.id, TransferFailure(.timedOut, text), now, &effects)
                continue
            }
            let reasons = reasons(of: task, at: now)
            if activities[task.id] == nil {
                if reasons.isEmpty { ready.append(task) }
            } else if !reasons.subtracting([.offline]).isEmpty {
                // Whether a connection that exists is of use, it shows by itself.
                stop(task.id, &effects)
            }
        }
        guard !ready.isEmpty, activities.count < limits.transfers else { return }
        ready.sort { ($1.request.priority, $0.id) < ($0.request.priority, $1.id) }
        var counts: [String: Int] = [:]
        for id in activities.keys { counts[host(of: id), default: 0] += 1 }
        for task in ready where activities.count < limits.transfers {
            let host = host(of: task.id)
            let most = task.session?.perHost ?? limits.perHost
            guard counts[host, default: 0] < most else { continue }
            counts[host, default: 0] += 1
            start(task, &effects)
        }
    }

    mutating func host(of id: Int) -> String {
        if let host = hosts[id] { return host }
        let host = tasks[id].flatMap { TransferURL($0.request.url)?.host } ?? ""
        hosts[id] = host
        return host
    }

    mutating func start(_ task: TransferTask, _ effects: inout [Effect]) {
        let isWhole = task.part.total.map { task.part.offset == $0 } ?? false
        waits[task.id] = nil
        if isWhole, task.part.offset > 0 {
            activities[task.id] = .verifying
            effects += [.verify(task), .publish(task.id)]
            return
        }
        var attempt = TransferAttempt(url: task.part.url ?? task.request.url)
        attempt.avoidsHTTP2 = task.avoidsHTTP2
        attempt.stallTimeout = task.request.stallTimeout
        if let validator = task.part.validator, task.restarts < Self.restartLimit,
            task.part.offset > 0, task.session?.canContinue ?? true
        {
            attempt.offset = task.part.offset
            attempt.ifRange = task.hasTriedBareRange ? nil : validator.ifRange
        } else {
            attempt.url = task.request.url
        }
        if let session = task.session {
            attempt.method = session.method
            attempt.fields = session.fields(to: attempt.url, insteadOf: task.request.url)
            attempt.body = session.body
        }
        attempts[task.id] = attempt
        activities[task.id] = .connecting
        effects += [.start(task.id, attempt), .publish(task.id)]
    }

    mutating func stop(_ id: Int, _ effects: inout [Effect]) {
        guard let activity = activities.removeValue(forKey: id) else { return }
        attempts[id] = nil
        if activity == .receiving { stopping.insert(id) }
        if activity != .verifying { effects.append(.stop(id)) }
        effects.append(.publish(id))
    }
}
