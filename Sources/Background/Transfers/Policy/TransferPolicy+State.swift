extension TransferPolicy {
    /// What a transfer is doing.
    package enum Activity: String, Codable, Hashable, Sendable {
        case connecting
        case receiving
        case verifying
    }

    /// What a transfer is doing, or why it does nothing.
    package enum State: Hashable, Sendable {
        case waiting(Set<WaitReason>)
        case active(Activity)
        case finished(path: String)
        case failed(TransferFailure)
        case cancelled
    }

    /// What a transfer is doing; nil if there is no such transfer.
    package func state(of id: Int, at now: Moment) -> State? {
        guard let task = tasks[id] else { return nil }
        switch task.stage {
        case .finished(let path): return .finished(path: path)
        case .failed(let failure): return .failed(failure)
        case .cancelled: return .cancelled
        case .placing: return .active(.verifying)
        case .pending:
            if let activity = activities[id] { return .active(activity) }
            let reasons = reasons(of: task, at: now)
            return .waiting(reasons.isEmpty ? [.limit] : reasons)
        }
    }

    /// Whether there is anything to do, now or later, without being asked.
    package var hasWork: Bool {
        !wishes.isEmpty || tasks.values.contains { $0.isUnfinished && $0.isResumed }
    }

    /// When `tick` is due, in seconds since the machine was started; nil if it is not.
    package func nextDue(at now: Moment) -> Double? {
        var due = wishes.compactMap { waits[$0]?.until }.min()
        for task in tasks.values where task.isUnfinished {
            var next = now.boot + task.request.timeout - age(of: task, at: now)
            if activities[task.id] == nil, task.isResumed {
                let times = [
                    waits[task.id]?.until, starts[task.id],
                    task.request.earliestBegin.map { now.boot + $0 - now.epoch },
                ]
                for time in times.compactMap({ $0 }) where time > now.boot {
                    next = min(next, time)
                }
            }
            due = min(due ?? next, next)
        }
        return due
    }

    /// The seconds of its time-out that are over.
    package func age(of task: TransferTask, at now: Moment) -> Double {
        // The time-out of a session's task begins with it.
        guard task.session?.isBegun ?? true else { return 0 }
        return task.age + max(0, now.boot - task.mark.boot)
    }

    func reasons(of task: TransferTask, at now: Moment) -> Set<WaitReason> {
        var reasons = conditions.reasons(isDiscretionary: task.request.isDiscretionary)
        if conditions.network.isMetered, task.session?.allowsMetered == false {
            reasons.insert(.metered)
        }
        if !task.isResumed { reasons.insert(.paused) }
        if task.request.earliestBegin.map({ now.epoch < $0 }) ?? false {
            reasons.insert(.earliestBegin)
        }
        if starts[task.id].map({ now.boot < $0 }) ?? false { reasons.insert(.rateLimit) }
        if let wait = waits[task.id], now.boot < wait.until { reasons.insert(wait.reason) }
        return reasons
    }
}
