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
            if task.request.queue != nil { wishes.insert(id) }
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
