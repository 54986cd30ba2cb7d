package import UndersongBackground
package import UndersongBase

/// All transfers of a process as a value: events go in, effects come out.
///
/// The wish (`TransferTask.isResumed`) and the obstacles to it (`reasons(of:)`) are kept
/// apart, as in `Player`. It knows no file, connection or clock.
package struct TransferPolicy: Machine {
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
    /// The restarts after which the file is fetched in one go, without asking for ranges.
    package static let restartLimit = 2
    /// The bytes that an attempt has to bring for the next one to follow at once.
    package static let worthwhile: Int64 = 65536

    struct Wait: Hashable {
        var reason: WaitReason
        /// Seconds since the machine was started.
        var until: Double
    }

    package internal(set) var tasks: [Int: TransferTask] = [:]
    package internal(set) var conditions = MachineState()
    package internal(set) var nextID = 1
    /// The number of the next of the sessions' tasks to end.
    var nextOrder = 1
    let limits: Limits
    var activities: [Int: Activity] = [:]
    var attempts: [Int: TransferAttempt] = [:]
    /// The offsets at which the bodies that are received begin in their files.
    var origins: [Int: Int64] = [:]
    /// Requests that were stopped, and of which the last bytes count.
    var stopping: Set<Int> = []
    var hosts: [Int: String] = [:]
    var waits: [Int: Wait] = [:]
    /// The earliest start of those that were begun in the background.
    var starts: [Int: Double] = [:]
    var limiters: [String: StartLimiter] = [:]
    /// The times at which tasks begin although their hosts have not answered.
    var delayDues: [Int: Double] = [:]
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
        case .conditions(let machine): apply(machine)
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
        case .answered(let id, let answer): apply(answer, of: id, now, &effects)
        case .timePassed: break
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
        if !task.isUnfinished, task.session?.question != nil || task.session?.credential != nil {
            task.session?.question = nil
            task.session?.credential = nil
        }
        if task.session != nil, task.session?.order == nil, !task.isUnfinished {
            task.session?.order = nextOrder
            nextOrder += 1
        }
        tasks[id] = task
    }
}

extension TransferPolicy {
    /// An event for the policy.
    package enum Input: MachineInput {
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
        /// The bytes of the part that have reached the disk.
        case stored(Int, Int64)
        case ended(Int, Ending)
        case verified(Int, Verification)
        case placed(Int, Result<String, TransferFailure>)
        /// The player has answered `join`.
        case answered(Int, QueueAnswer)
        /// `nextDue` has come.
        case timePassed
    }

    /// The end of a request. Every byte that was written has reached the disk.
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

    /// The outcome of the check of a complete part.
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
    /// A step to perform.
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
    /// The work of a transfer.
    package enum Activity: String, Codable, Hashable, Sendable {
        case connecting
        case receiving
        case verifying
    }

    /// The state of a transfer: its work, or the reasons for none.
    package enum State: Hashable, Sendable {
        case waiting(Set<WaitReason>)
        case active(Activity)
        case finished(path: String)
        case failed(TransferFailure)
        case cancelled
    }

    /// The state of a transfer; nil if there is no such transfer.
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

    /// True if there is anything to do, now or later, without being asked.
    package var hasWork: Bool {
        !pendingPlacements.isEmpty
            || tasks.values.contains {
                $0.isUnfinished && $0.isResumed
                    // Without its host, nothing happens to it.
                    && $0.session?.question?.challenges.isEmpty ?? true
            }
    }

    package func nextDue(at now: Moment) -> Due {
        var due = Due(boot: pendingPlacements.compactMap { waits[$0]?.until }.min())
        for task in tasks.values where task.stage == .pending && activities[task.id] != .verifying {
            let end = now.boot + task.request.timeout - age(of: task, at: now)
            due.limit(to: Due(boot: end))
            guard activities[task.id] == nil, task.isResumed else { continue }
            let times = [waits[task.id]?.until, starts[task.id], delayDues[task.id]]
            for case let time? in times where time > now.boot {
                due.limit(to: Due(boot: time))
            }
            if let time = task.request.earliestBegin, time > now.epoch {
                due.limit(to: Due(wall: time))
            }
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
        if task.session?.question != nil { reasons.insert(.host) }
        if task.request.earliestBegin.map({ now.epoch < $0 }) ?? false {
            reasons.insert(.earliestBegin)
        }
        if starts[task.id].map({ now.boot < $0 }) ?? false { reasons.insert(.rateLimit) }
        if let wait = waits[task.id], now.boot < wait.until { reasons.insert(wait.reason) }
        return reasons
    }
}

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
            var reasons = reasons(of: task, at: now)
            if task.session?.question?.challenges.isEmpty ?? false,
                now.boot >= delayDues[task.id] ?? 0
            {
                beginAfterDelay(task.id, nil, now, &effects)
                reasons.remove(.host)
            }
            let task = tasks[task.id] ?? task
            if activities[task.id] == nil {
                guard reasons.isEmpty else { continue }
                if task.request.earliestBegin != nil, task.session?.isDelayAnswered == false {
                    askAboutDelay(task.id, now, &effects)
                } else {
                    ready.append(task)
                }
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
            if attempt.offset == 0, let url = session.credential?.url { attempt.url = url }
            attempt.credential = session.credential.flatMap {
                $0.isMeant(for: attempt.url) ? $0 : nil
            }
            attempt.method = session.method
            attempt.fields = SessionTask.fields(
                session.fields, to: attempt.url, insteadOf: task.request.url,
                hasCredential: attempt.credential != nil)
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
