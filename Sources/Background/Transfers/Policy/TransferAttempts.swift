import UndersongBackground

extension TransferPolicy {
    mutating func restore(
        _ records: [TransferTask], _ isSameBoot: Bool, _ now: Moment, _ effects: inout [Effect]
    ) {
        for var task in records {
            nextID = max(nextID, task.id + 1)
            let orders = [task.session?.order, task.session?.question?.number]
            nextOrder = max(nextOrder, (orders.compactMap(\.self).max() ?? 0) + 1)
            // The clock of another boot says nothing, and the calendar may have been set back.
            task.age += max(
                0, isSameBoot ? now.boot - task.mark.boot : now.epoch - task.mark.epoch)
            task.mark = now
            task.attempts = 0
            tasks[task.id] = task
            if task.hasPendingPlacement { pendingPlacements.insert(task.id) }
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
            if !sentPlacements.contains(id) { waits[id] = nil }
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
        delayDues[id] = nil
        hosts[id] = nil
        pendingPlacements.remove(id)
        sentPlacements.remove(id)
        effects += [.forget(id), .discard(id), .publish(id)]
    }

    mutating func apply(_ machine: MachineState) {
        let isBack =
            machine.network.connectivity == .full && conditions.network.connectivity != .full
        let isAwake = conditions.isSleeping && !machine.isSleeping
        conditions = machine
        // What failed because there was no network need not wait any longer.
        if isBack || isAwake { waits = waits.filter { $0.value.reason != .retry } }
    }
}

extension TransferPolicy {
    mutating func respond(
        _ id: Int, _ head: ResponseHead, _ now: Moment, _ effects: inout [Effect]
    ) {
        guard let task = tasks[id], let attempt = attempts[id], activities[id] == .connecting else {
            return
        }
        let decision = ResumeDecision.decide(head, to: attempt, of: task, now: now.epoch)
        if case .write(let offset, let total) = decision {
            activities[id] = .receiving
            origins[id] = offset
            accept(id, head, offset, total, now, &effects)
            return
        }
        if decision == .ask { return ask(id, head, now, &effects) }
        stop(id, &effects)
        switch decision {
        case .write, .ask: break
        case .complete:
            change(id, now, &effects) { $0.part.total = $0.part.offset }
        case .startAgain(let trouble): startAgain(id, trouble, now, &effects)
        case .askBare: change(id, now, &effects) { $0.hasTriedBareRange = true }
        case .askFirstURL: change(id, now, &effects) { $0.part.url = nil }
        case .retry(let trouble, let after):
            wait(id, for: after == nil ? .retry : .server, trouble, atLeast: after, now, &effects)
        case .fail(let failure): fail(id, failure, now, &effects)
        }
    }

    /// The body of a response is written. The record comes first: bytes of this response must never
    /// be taken for those of another.
    mutating func accept(
        _ id: Int, _ head: ResponseHead, _ offset: Int64, _ total: Int64?, _ now: Moment,
        _ effects: inout [Effect]
    ) {
        change(id, now, &effects) { task in
            // What is thrown away because the server answers with the whole file counts, too.
            if offset == 0, task.part.offset > 0 { task.restarts += 1 }
            if offset == 0 { task.part.validator = head.validator }
            task.part.offset = offset
            task.part.total = total
            task.part.url = head.url
            if task.session != nil { task.session?.response = head.session }
        }
        effects += [.write(id, offset), .publish(id)]
    }

    mutating func store(
        _ id: Int, _ offset: Int64, _ now: Moment, _ effects: inout [Effect]
    ) {
        // Bytes of a response that was not accepted are not those of the file.
        guard activities[id] == .receiving || stopping.remove(id) != nil,
            let task = tasks[id], task.part.offset != offset
        else { return }
        change(id, now) { $0.part.offset = offset }
        if let task = tasks[id] { effects.append(.note(task)) }
    }

    mutating func end(
        _ id: Int, _ ending: Ending, _ now: Moment, _ effects: inout [Effect]
    ) {
        guard let activity = activities[id], activity != .verifying else {
            return
        }
        if let length = ending.length { store(id, length, now, &effects) }
        activities[id] = nil
        attempts[id] = nil
        let received = (tasks[id]?.part.offset ?? 0) - (origins[id] ?? 0)
        let hasProgress = activity == .receiving && received >= Self.worthwhile
        effects.append(.publish(id))
        switch ending {
        case .complete(let length):
            complete(id, length, activity, hasProgress, now, &effects)
        case .lost(let trouble, _):
            lose(id, trouble, hasProgress, now, &effects)
        case .lostHTTP2(let trouble, _):
            change(id, now, &effects) { $0.avoidsHTTP2 = true }
            lose(id, trouble, hasProgress, now, &effects)
        case .failed(let failure): fail(id, failure, now, &effects)
        case .diskFull:
            waits[id] = Wait(reason: .diskFull, until: now.boot + Self.diskDelay)
        }
    }

    mutating func complete(
        _ id: Int, _ length: Int64, _ activity: Activity, _ hasProgress: Bool, _ now: Moment,
        _ effects: inout [Effect]
    ) {
        guard activity == .receiving else {
            return lose(id, "The server does not answer", false, now, &effects)
        }
        guard let total = tasks[id]?.part.total else {
            change(id, now, &effects) { $0.part.total = length }
            return verify(id, &effects)
        }
        if length == total { return verify(id, &effects) }
        if length < total {
            lose(id, "The server sends too little", hasProgress, now, &effects)
        } else {
            startAgain(id, "The server sends too much", now, &effects)
        }
    }

    /// The connection failed. One that has brought something is tried again at once.
    mutating func lose(
        _ id: Int, _ trouble: String, _ hasProgress: Bool, _ now: Moment, _ effects: inout [Effect]
    ) {
        if hasProgress {
            change(id, now, &effects) { task in
                task.lastTrouble = trouble
                task.attempts = 0
            }
        } else {
            wait(id, for: .retry, trouble, atLeast: nil, now, &effects)
        }
    }

    /// Throws away the part. After `restartLimit` times no range is asked for any more.
    mutating func startAgain(
        _ id: Int, _ trouble: String, _ now: Moment, _ effects: inout [Effect]
    ) {
        let restarts = tasks[id]?.restarts ?? 0
        change(id, now, &effects) { task in
            task.part = TransferPart()
            task.restarts += 1
            task.lastTrouble = trouble
        }
        // The first time may be a file that has changed; after that it is the server's habit.
        if restarts > 0 { wait(id, for: .retry, trouble, atLeast: nil, now, &effects) }
    }

    mutating func wait(
        _ id: Int, for reason: WaitReason, _ trouble: String, atLeast least: Double?,
        _ now: Moment, _ effects: inout [Effect]
    ) {
        let delay = Self.delays.delay(after: tasks[id]?.attempts ?? 0)
        // A tenth more or less, so that many do not come at the same time.
        let spread = delay * Double.random(in: 0.9...1.1, using: &generator)
        change(id, now, &effects) { task in
            task.attempts += 1
            task.lastTrouble = trouble
        }
        waits[id] = Wait(reason: reason, until: now.boot + max(least ?? 0, spread))
    }
}

extension TransferPolicy {
    mutating func verify(_ id: Int, _ effects: inout [Effect]) {
        guard let task = tasks[id] else { return }
        activities[id] = .verifying
        effects += [.verify(task), .publish(id)]
    }

    mutating func verified(
        _ id: Int, _ verification: Verification, _ now: Moment, _ effects: inout [Effect]
    ) {
        guard activities[id] == .verifying else { return }
        activities[id] = nil
        switch verification {
        case .prepared(let file):
            change(id, now, &effects) { $0.stage = .placing(file) }
            if let task = tasks[id] { effects.append(.place(task, file)) }
        case .failed(let failure):
            let isWrong = failure.code == .checksum || failure.code == .notAudio
            if isWrong { change(id, now, &effects) { $0.part = TransferPart() } }
            fail(id, failure, now, &effects)
        case .diskFull:
            waits[id] = Wait(reason: .diskFull, until: now.boot + Self.diskDelay)
            effects.append(.publish(id))
        }
    }

    mutating func placed(
        _ id: Int, _ result: Result<String, TransferFailure>, _ now: Moment,
        _ effects: inout [Effect]
    ) {
        guard let task = tasks[id], case .placing = task.stage else { return }
        switch result {
        case .success(let path):
            change(id, now, &effects) { task in
                task.stage = .finished(path: path)
                task.attempts = 0
            }
            if task.request.queue != nil { pendingPlacements.insert(id) }
            effects.append(.publish(id))
        case .failure(let failure): fail(id, failure, now, &effects)
        }
    }

    mutating func fail(
        _ id: Int, _ failure: TransferFailure, _ now: Moment, _ effects: inout [Effect]
    ) {
        stop(id, &effects)
        waits[id] = nil
        change(id, now, &effects) { $0.stage = .failed(failure) }
        effects.append(.publish(id))
    }
}

/// Finished files that are to join the player's queue. A placement stays in the record until the
/// player has answered for good, so it may be sent again: the player recognizes it by its key.
extension TransferPolicy {
    /// Sends the placements whose time has come.
    mutating func sendPlacements(_ now: Moment, _ effects: inout [Effect]) {
        for id in pendingPlacements.sorted() where !sentPlacements.contains(id) {
            guard let task = tasks[id], let placement = task.request.queue,
                case .finished(let path) = task.stage
            else { continue }
            guard waits[id].map({ now.boot >= $0.until }) ?? true else { continue }
            waits[id] = nil
            sentPlacements.insert(id)
            effects.append(.join(id, path: path, placement))
        }
    }

    mutating func apply(
        _ answer: QueueAnswer, of id: Int, _ now: Moment, _ effects: inout [Effect]
    ) {
        guard sentPlacements.remove(id) != nil, tasks[id]?.hasPendingPlacement ?? false else {
            return
        }
        switch answer {
        case .joined, .refused:
            pendingPlacements.remove(id)
            change(id, now, &effects) { $0.queueAnswer = answer }
        case .unavailable(let trouble):
            wait(id, for: .queue, trouble, atLeast: nil, now, &effects)
        }
        effects.append(.publish(id))
    }
}

/// Delays transfers that are begun in the background, the more the more often that happens (J17).
package struct StartLimiter: Hashable, Sendable {
    /// The seconds before each further start.
    package static let delays: [Double] = [0, 5, 15, 60, 300, 900]

    private var step = 0
    /// The end of the last delay, in seconds since the machine was started.
    private var end = 0.0

    package init() {}

    /// Begins a transfer in the background, and returns the time before which it does not run.
    package mutating func start(at now: Double) -> Double {
        // A delay that has passed without another start is forgotten.
        if now >= end { step = 0 }
        let delay = Self.delays[step]
        step = min(step + 1, Self.delays.count - 1)
        end = now + max(delay, Self.delays[1])
        return now + delay
    }
}
