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
    var wishes: Set<Int> = []
    var sentWishes: Set<Int> = []
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
        case .answered(let id, let answer): take(answer, of: id, now, &effects)
        case .tick: break
        }
        settle(now, &effects)
        if !wishes.isEmpty { sendWishes(now, &effects) }
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
