/// All transfers of a process as a value: what happens goes in, what is to be done comes out.
///
/// What is wanted (`TransferTask.isResumed`) and what stands against it (`reasons(of:)`) are kept
/// apart, as in `Player`. It knows no file, connection or clock.
package struct TransferPolicy: Sendable {
    /// What has happened.
    package enum Input: Sendable {
        /// The records that the last process has left. `isSameBoot`: the machine has not been
        /// started since.
        case restored([TransferTask], isSameBoot: Bool)
        /// A transfer is asked for, with `nextID`. In the background it is discretionary, whatever
        /// the request says (J7).
        case add(TransferRequest, isResumed: Bool, isBackground: Bool)
        case pause(Int)
        case resume(Int)
        case cancel(Int)
        /// One that has failed or was cancelled is to begin again with what is there.
        case retry(Int)
        /// One that is over is to be forgotten.
        case remove(Int)
        case conditions(TransferConditions)
        /// The user has come to the foreground.
        case foreground
        case response(Int, ResponseHead)
        /// So many bytes of the part have reached the disk.
        case stored(Int, Int64)
        case ended(Int, Ending)
        case verified(Int, Verification)
        case placed(Int, Result<String, TransferFailure>)
        /// `nextDue` has come.
        case tick
    }

    /// How a request has ended. Every byte that was written has reached the disk.
    package enum Ending: Hashable, Sendable {
        /// The body is complete, and the part has this length.
        case complete(Int64)
        /// The connection failed when the part had this length.
        case lost(String, Int64)
        /// HTTP/2 failed.
        case lostHTTP2(String, Int64)
        case failed(TransferFailure)
        /// There was no room for a byte after this length.
        case diskFull(Int64)
    }

    /// What became of a complete part.
    package enum Verification: Hashable, Sendable {
        /// It is good, on the file system of its destination, and on the disk.
        case prepared(PreparedFile)
        case failed(TransferFailure)
        /// There was no room to copy it to its file system.
        case diskFull
    }

    /// What is to be done, in this order.
    package enum Effect: Hashable, Sendable {
        /// Write the record, durably: what follows relies on it.
        case keep(TransferTask)
        /// Delete the record.
        case forget(Int)
        /// Delete the part.
        case discard(Int)
        case start(Int, TransferAttempt)
        /// Cut the part to this length, and write the body after it.
        case write(Int, Int64)
        /// End the request; no `ended` follows, but `stored` does, at once.
        case stop(Int)
        /// Check the part, and bring it to the file system of its destination.
        case verify(TransferTask)
        /// Give the file its name.
        case place(TransferTask, PreparedFile)
        /// Something that users see has changed.
        case publish(Int)
    }

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

    /// Limits on what runs at a time.
    package struct Limits: Hashable, Sendable {
        package var transfers = 8
        package var perHost = 2

        package init() {}
    }

    /// Seconds before the second, third, ... attempt that brings nothing; doubled each time.
    package static let firstDelay = 5.0
    package static let longestDelay = 1800.0
    /// Seconds between looks at a full disk.
    package static let diskDelay = 4.0
    /// After so many restarts the file is fetched in one go, without asking for ranges.
    package static let restartLimit = 2
    /// An attempt that brings as many bytes is followed by the next one at once.
    package static let worthwhile: Int64 = 65536

    private struct Wait: Hashable {
        var reason: WaitReason
        /// Seconds since the machine was started.
        var until: Double
    }

    package private(set) var tasks: [Int: TransferTask] = [:]
    package private(set) var conditions = TransferConditions()
    package private(set) var nextID = 1
    private let limits: Limits
    private var activities: [Int: Activity] = [:]
    private var attempts: [Int: TransferAttempt] = [:]
    /// Where the bodies that are received begin in their files.
    private var origins: [Int: Int64] = [:]
    /// Requests that were stopped, and of which the last bytes count.
    private var stopping: Set<Int> = []
    private var hosts: [Int: String] = [:]
    private var waits: [Int: Wait] = [:]
    /// When they were begun in the background, the earliest time of some.
    private var starts: [Int: Double] = [:]
    private var limiters: [String: StartLimiter] = [:]
    private var randomness: UInt64

    /// `seed` spreads the attempts of several machines.
    package init(limits: Limits = Limits(), seed: UInt64) {
        self.limits = limits
        randomness = seed
    }

    /// Handles what has happened.
    package mutating func handle(_ input: Input, at now: Moment) -> [Effect] {
        var effects: [Effect] = []
        switch input {
        case .restored(let records, let isSameBoot):
            restore(records, isSameBoot, now, &effects)
        case .add(let request, let isResumed, let isBackground):
            add(request, isResumed, isBackground, now, &effects)
        case .pause(let id): setResumed(id, false, now, &effects)
        case .resume(let id): setResumed(id, true, now, &effects)
        case .cancel(let id): cancel(id, now, &effects)
        case .retry(let id): retry(id, now, &effects)
        case .remove(let id): remove(id, &effects)
        case .conditions(let conditions): take(conditions)
        case .foreground:
            limiters = [:]
            starts = [:]
        case .response(let id, let head): respond(id, head, now, &effects)
        case .stored(let id, let offset):
            store(id, offset, now, &effects)
            return effects
        case .ended(let id, let ending): end(id, ending, now, &effects)
        case .verified(let id, let verification): verified(id, verification, now, &effects)
        case .placed(let id, let result): placed(id, result, now, &effects)
        case .tick: break
        }
        settle(now, &effects)
        return effects
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
    package var hasWork: Bool { tasks.values.contains { $0.isUnfinished && $0.isResumed } }

    /// When `tick` is due, in seconds since the machine was started; nil if it is not.
    package func nextDue(at now: Moment) -> Double? {
        var due: Double?
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
        task.age + max(0, now.boot - task.mark.boot)
    }

    // MARK: What stands against a transfer

    private func reasons(of task: TransferTask, at now: Moment) -> Set<WaitReason> {
        var reasons = conditions.reasons(isDiscretionary: task.request.isDiscretionary)
        if !task.isResumed { reasons.insert(.paused) }
        if task.request.earliestBegin.map({ now.epoch < $0 }) ?? false {
            reasons.insert(.earliestBegin)
        }
        if starts[task.id].map({ now.boot < $0 }) ?? false { reasons.insert(.rateLimit) }
        if let wait = waits[task.id], now.boot < wait.until { reasons.insert(wait.reason) }
        return reasons
    }

    /// Gives up what is too late, stops what may not run, and starts what may.
    private mutating func settle(_ now: Moment, _ effects: inout [Effect]) {
        var ready: [TransferTask] = []
        for task in tasks.values where task.stage == .pending && activities[task.id] != .verifying {
            if age(of: task, at: now) >= task.request.timeout {
                let text = "It was not complete after \(Int(task.request.timeout)) seconds"
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
            guard counts[host, default: 0] < limits.perHost else { continue }
            counts[host, default: 0] += 1
            start(task, &effects)
        }
    }

    private mutating func host(of id: Int) -> String {
        if let host = hosts[id] { return host }
        let host = tasks[id].flatMap { TransferURL($0.request.url)?.host } ?? ""
        hosts[id] = host
        return host
    }

    private mutating func start(_ task: TransferTask, _ effects: inout [Effect]) {
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
            task.part.offset > 0
        {
            attempt.offset = task.part.offset
            attempt.ifRange = task.hasTriedBareRange ? nil : validator.ifRange
        } else {
            attempt.url = task.request.url
        }
        attempts[task.id] = attempt
        activities[task.id] = .connecting
        effects += [.start(task.id, attempt), .publish(task.id)]
    }

    private mutating func stop(_ id: Int, _ effects: inout [Effect]) {
        guard let activity = activities.removeValue(forKey: id) else { return }
        attempts[id] = nil
        if activity == .receiving { stopping.insert(id) }
        if activity != .verifying { effects.append(.stop(id)) }
        effects.append(.publish(id))
    }

    // MARK: What is asked for

    private mutating func restore(
        _ records: [TransferTask], _ isSameBoot: Bool, _ now: Moment, _ effects: inout [Effect]
    ) {
        for var task in records {
            nextID = max(nextID, task.id + 1)
            // The clock of another boot says nothing, and the calendar may have been set back.
            task.age += max(
                0, isSameBoot ? now.boot - task.mark.boot : now.epoch - task.mark.epoch)
            task.mark = now
            task.attempts = 0
            tasks[task.id] = task
            if case .placing(let file) = task.stage { effects.append(.place(task, file)) }
        }
    }

    private mutating func add(
        _ request: TransferRequest, _ isResumed: Bool, _ isBackground: Bool, _ now: Moment,
        _ effects: inout [Effect]
    ) {
        var task = TransferTask(id: nextID, request, at: now)
        nextID += 1
        task.isResumed = isResumed
        if isBackground {
            task.request.isDiscretionary = true
            starts[task.id] = limiters[request.session, default: StartLimiter()].start(at: now.boot)
        }
        tasks[task.id] = task
        effects += [.keep(task), .publish(task.id)]
    }

    private mutating func setResumed(
        _ id: Int, _ isResumed: Bool, _ now: Moment, _ effects: inout [Effect]
    ) {
        guard let task = tasks[id], task.isUnfinished, task.isResumed != isResumed else { return }
        change(id, now, &effects) { $0.isResumed = isResumed }
        waits[id] = nil
        effects.append(.publish(id))
    }

    private mutating func cancel(_ id: Int, _ now: Moment, _ effects: inout [Effect]) {
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

    private mutating func retry(_ id: Int, _ now: Moment, _ effects: inout [Effect]) {
        guard let stage = tasks[id]?.stage else { return }
        switch stage {
        case .finished, .placing: return
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

    private mutating func remove(_ id: Int, _ effects: inout [Effect]) {
        guard let task = tasks[id], !task.isUnfinished else { return }
        tasks[id] = nil
        waits[id] = nil
        starts[id] = nil
        hosts[id] = nil
        effects += [.forget(id), .discard(id), .publish(id)]
    }

    private mutating func take(_ conditions: TransferConditions) {
        let isBack = conditions.connectivity == .full && self.conditions.connectivity != .full
        self.conditions = conditions
        // What failed for want of a network need not wait any longer for it.
        if isBack { waits = waits.filter { $0.value.reason != .retry } }
    }

    // MARK: What comes of an attempt

    private mutating func respond(
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
    private mutating func accept(
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
        }
        effects += [.write(id, offset), .publish(id)]
    }

    private mutating func store(
        _ id: Int, _ offset: Int64, _ now: Moment, _ effects: inout [Effect]
    ) {
        // Bytes of a response that was not accepted are not those of the file.
        guard activities[id] == .receiving || stopping.remove(id) != nil,
            let task = tasks[id], task.part.offset != offset
        else { return }
        change(id, now, &effects) { $0.part.offset = offset }
    }

    private mutating func end(
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

    private mutating func complete(
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

    private mutating func verify(_ id: Int, _ effects: inout [Effect]) {
        guard let task = tasks[id] else { return }
        activities[id] = .verifying
        effects += [.verify(task), .publish(id)]
    }

    /// The connection failed. One that has brought something is tried again at once.
    private mutating func lose(
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
    private mutating func startAgain(
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

    private mutating func wait(
        _ id: Int, for reason: WaitReason, _ trouble: String, atLeast least: Double?,
        _ now: Moment, _ effects: inout [Effect]
    ) {
        let attempts = tasks[id]?.attempts ?? 0
        let delay = min(Self.firstDelay * Double(1 << min(attempts, 16)), Self.longestDelay)
        // A tenth more or less, so that many do not come at the same time.
        let spread = delay * (0.9 + 0.2 * random())
        change(id, now, &effects) { task in
            task.attempts += 1
            task.lastTrouble = trouble
        }
        waits[id] = Wait(reason: reason, until: now.boot + max(least ?? 0, spread))
    }

    private mutating func verified(
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
        }
    }

    private mutating func placed(
        _ id: Int, _ result: Result<String, TransferFailure>, _ now: Moment,
        _ effects: inout [Effect]
    ) {
        guard let task = tasks[id], case .placing = task.stage else { return }
        switch result {
        case .success(let path):
            change(id, now, &effects) { $0.stage = .finished(path: path) }
            effects.append(.publish(id))
        case .failure(let failure): fail(id, failure, now, &effects)
        }
    }

    private mutating func fail(
        _ id: Int, _ failure: TransferFailure, _ now: Moment, _ effects: inout [Effect]
    ) {
        stop(id, &effects)
        waits[id] = nil
        change(id, now, &effects) { $0.stage = .failed(failure) }
        effects.append(.publish(id))
    }

    /// Changes a record, and has it written.
    private mutating func change(
        _ id: Int, _ now: Moment, _ effects: inout [Effect], _ body: (inout TransferTask) -> Void
    ) {
        guard var task = tasks[id] else { return }
        task.age = age(of: task, at: now)
        task.mark = now
        body(&task)
        tasks[id] = task
        effects.append(.keep(task))
    }

    /// From 0 to 1, by xorshift.
    private mutating func random() -> Double {
        randomness = randomness == 0 ? 0x9E37_79B9_7F4A_7C15 : randomness
        randomness ^= randomness << 13
        randomness ^= randomness >> 7
        randomness ^= randomness << 17
        return Double(randomness >> 11) / Double(1 << 53)
    }
}

extension TransferPolicy.Ending {
    /// The length of the part, where it is known.
    fileprivate var length: Int64? {
        switch self {
        case .complete(let length), .lost(_, let length), .lostHTTP2(_, let length),
            .diskFull(let length):
            length
        case .failed: nil
        }
    }
}
