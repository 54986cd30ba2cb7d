package import UndersongBackground
import UndersongBase

/// All transfers of a process as a value: what happens goes in, what is to be done comes out.
///
/// What is wanted (`TransferTask.isResumed`) and what stands against it (`reasons(of:)`) are kept
/// apart, as in `Player`. It knows no file, connection or clock.
package struct TransferPolicy: Sendable {
    /// Limits on what runs at a time.
    package struct Limits: Hashable, Sendable {
        package var transfers = 8
        package var perHost = 2

        package init() {}
    }

    /// The delays before the second, third, ... attempt that brings nothing.
    static let delays = Backoff(seconds: 5...1800)
    /// Seconds between looks at a full disk.
    package static let diskDelay = 4.0
    /// After so many restarts the file is fetched in one go, without asking for ranges.
    package static let restartLimit = 2
    /// An attempt that brings as many bytes is followed by the next one at once.
    package static let worthwhile: Int64 = 65536

    struct Wait: Hashable {
        var reason: WaitReason
        /// Seconds since the machine was started.
        var until: Double
    }

    package internal(set) var tasks: [Int: TransferTask] = [:]
    package internal(set) var conditions = MachineState()
    package internal(set) var nextID = 1
    /// The place of the next of the sessions' tasks to end.
    var nextOrder = 1
    let limits: Limits
    var activities: [Int: Activity] = [:]
    var attempts: [Int: TransferAttempt] = [:]
    /// Where the bodies that are received begin in their files.
    var origins: [Int: Int64] = [:]
    /// Requests that were stopped, and of which the last bytes count.
    var stopping: Set<Int> = []
    var hosts: [Int: String] = [:]
    var waits: [Int: Wait] = [:]
    /// When they were begun in the background, the earliest time of some.
    var starts: [Int: Double] = [:]
    var limiters: [String: StartLimiter] = [:]
    /// Finished ones that have yet to join the player's queue, and those of them whose answer is
    /// awaited.
    var pendingPlacements: Set<Int> = []
    var sentPlacements: Set<Int> = []
    /// Spreads the attempts of several machines.
    var generator: SeededGenerator

    /// `seed` spreads the attempts of several machines.
    package init(limits: Limits = Limits(), seed: UInt64) {
        self.limits = limits
        generator = SeededGenerator(seed: seed)
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
        case .session(let input): handle(input, now, &effects)
        case .conditions(let conditions): apply(conditions)
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
        case .answered(let id, let answer): handle(answer, of: id, now, &effects)
        case .tick: break
        }
        settle(now, &effects)
        if !pendingPlacements.isEmpty { sendPlacements(now, &effects) }
        return effects
    }

    /// Changes a record, and has it written.
    mutating func change(
        _ id: Int, _ now: Moment, _ effects: inout [Effect], _ body: (inout TransferTask) -> Void
    ) {
        change(id, now, body)
        if let task = tasks[id] { effects.append(.keep(task)) }
    }

    mutating func change(_ id: Int, _ now: Moment, _ body: (inout TransferTask) -> Void) {
        guard var task = tasks[id] else { return }
        task.age = age(of: task, at: now)
        task.mark = now
        body(&task)
        if task.session != nil, task.session?.order == nil, !task.isUnfinished {
            task.session?.order = nextOrder
            nextOrder += 1
        }
        tasks[id] = task
    }
}

extension TransferPolicy {
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
        case session(SessionInput)
        case conditions(MachineState)
        /// The user has come to the foreground.
        case foreground
        case response(Int, ResponseHead)
        /// So many bytes of the part have reached the disk.
        case stored(Int, Int64)
        case ended(Int, Ending)
        case verified(Int, Verification)
        case placed(Int, Result<String, TransferFailure>)
        /// The player has answered `join`.
        case answered(Int, QueueAnswer)
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
}

extension TransferPolicy.Ending {
    /// The length of the part, where it is known.
    var length: Int64? {
        switch self {
        case .complete(let length), .lost(_, let length), .lostHTTP2(_, let length),
            .diskFull(let length):
            length
        case .failed: nil
        }
    }
}

extension TransferPolicy {
    /// What is to be done, in this order.
    package enum Effect: Hashable, Sendable {
        /// Write the record, durably: what follows relies on it.
        case keep(TransferTask)
        /// Write the record soon. Nothing relies on it: until then, the earlier one is right, too.
        case note(TransferTask)
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
        /// Have the player take the file into its queue; `answered` follows.
        case join(Int, path: String, QueuePlacement)
        /// Something that users see has changed.
        case publish(Int)
    }
}

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
        !pendingPlacements.isEmpty || tasks.values.contains { $0.isUnfinished && $0.isResumed }
    }

    /// When `tick` is due, in seconds since the machine was started; nil if it is not.
    package func nextDue(at now: Moment) -> Double? {
        var due = pendingPlacements.compactMap { waits[$0]?.until }.min()
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
