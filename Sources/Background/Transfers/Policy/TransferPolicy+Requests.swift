import UndersongBackground

extension TransferPolicy {
    mutating func restore(
        _ records: [TransferTask], _ isSameBoot: Bool, _ now: Moment, _ effects: inout [Effect]
    ) {
        for var task in records {
            nextID = max(nextID, task.id + 1)
            nextOrder = max(nextOrder, (task.session?.order ?? 0) + 1)
            // The clock of another boot says nothing, and the calendar may have been set back.
            task.age += max(
                0, isSameBoot ? now.boot - task.mark.boot : now.epoch - task.mark.epoch)
            task.mark = now
            task.attempts = 0
            tasks[task.id] = task
            if task.hasPendingWish { wishes.insert(task.id) }
            if case .placing(let file) = task.stage { effects.append(.place(task, file)) }
        }
    }

    mutating func add(
        _ request: TransferRequest, _ isResumed: Bool, _ isBackground: Bool, _ now: Moment,
        _ effects: inout [Effect]
    ) {
        var task = TransferTask(id: nextID, request, at: now)
        nextID += 1
        task.isResumed = isResumed
        // A user who asks in the foreground is there.
        if !isBackground { limiters[request.session] = nil }
        if isBackground {
            task.request.isDiscretionary = true
            starts[task.id] = limiters[request.session, default: StartLimiter()].start(at: now.boot)
        }
        tasks[task.id] = task
        effects += [.keep(task), .publish(task.id)]
    }

    mutating func setResumed(
        _ id: Int, _ isResumed: Bool, _ now: Moment, _ effects: inout [Effect]
    ) {
        guard let task = tasks[id], task.isUnfinished, task.isResumed != isResumed else { return }
        // Only its session begins a task (J3).
        guard !isResumed || task.session?.isBegun ?? true else { return }
        change(id, now, &effects) { $0.isResumed = isResumed }
        waits[id] = nil
        effects.append(.publish(id))
    }

    mutating func cancel(_ id: Int, _ now: Moment, _ effects: inout [Effect]) {
        // A file that is about to get its name is as good as there.
        guard let task = tasks[id], task.stage == .pending else { return }
        stop(id, &effects)
        stopping.remove(id)
        change(id, now, &effects) { task in
            task.stage = .cancelled
            task.part = TransferPart()
        }
        effects += [.discard(id), .publish(id)]
    }

    mutating func retry(_ id: Int, _ now: Moment, _ effects: inout [Effect]) {
        // What has ended in a session is an event there already.
        guard let task = tasks[id], task.isUnfinished || task.session == nil else { return }
        let stage = task.stage
        switch stage {
        case .placing: return
        case .finished:
            if !sentWishes.contains(id) { waits[id] = nil }
            return
        case .pending:
            waits[id] = nil
            return
        case .failed, .cancelled: break
        }
        change(id, now, &effects) { task in
            task.stage = .pending
            task.isResumed = true
            task.age = 0
            task.attempts = 0
            task.restarts = 0
            task.hasTriedBareRange = false
            task.lastTrouble = nil
            // What could not be stored is not to be relied upon.
            if case .failed(let failure) = stage, failure.code == .storage {
                task.part = TransferPart()
            }
        }
        effects.append(.publish(id))
    }

    mutating func remove(_ id: Int, _ effects: inout [Effect]) {
        guard let task = tasks[id], !task.isUnfinished, task.session == nil else { return }
        forget(id, &effects)
    }

    mutating func forget(_ id: Int, _ effects: inout [Effect]) {
        tasks[id] = nil
        waits[id] = nil
        starts[id] = nil
        hosts[id] = nil
        wishes.remove(id)
        sentWishes.remove(id)
        effects += [.forget(id), .discard(id), .publish(id)]
    }

    mutating func take(_ machine: MachineState) {
        let isBack =
            machine.network.connectivity == .full && conditions.network.connectivity != .full
        let isAwake = conditions.isSleeping && !machine.isSleeping
        conditions = machine
        // What failed because there was no network need not wait any longer.
        if isBack || isAwake { waits = waits.filter { $0.value.reason != .retry } }
    }
}
