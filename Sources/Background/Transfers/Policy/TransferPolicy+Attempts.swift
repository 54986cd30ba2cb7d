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
        stop(id, &effects)
        switch decision {
        case .write: break
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

    /// Throws away what is there. After `restartLimit` times no range is asked for any more.
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
