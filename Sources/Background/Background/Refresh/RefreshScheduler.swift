import UndersongBase
import UndersongPlayback

/// Decides when background fetches, refreshes and processing begin and end.
///
/// Wishes (`interval` and `requests`) are kept apart from obstacles (`obstacles`). The scheduler
/// knows neither clock, store nor handler; every effect that keeps something is to be durable before
/// the others of the same call are performed.
package struct RefreshScheduler: Machine {
    /// The longest wait for a better moment, if the interval is not longer.
    package static let longestWait = 43200.0
    /// The same while too little is known of the user's habits.
    package static let exploringWait = 10800.0
    /// The number of days for which too little is known.
    static let exploringDays = 3.0
    /// The seconds for which power and idleness have to last before something is processed.
    package static let steadiness = 10.0
    /// The number of days since the last use within which processing is done within two days.
    package static let usedWithin = 7
    /// The seconds between two runs of the same task that processes.
    static let processingPause = 60.0
    /// The seconds between attempts at a task whose program is stopped.
    package static let stoppedInterval = 300.0
    /// The seconds after sleep, chosen at random, after which everything due runs once.
    static let wakingDelay = 5.0...60.0
    /// The identifier of the fetch by interval where none has to be permitted.
    package static let fetchIdentifier = "fetch"

    /// The number of runs that are kept.
    package static let runLimit = 1000

    /// The permitted identifier that fetches by interval need; nil for none.
    package let requiredIdentifier: String?
    /// The shortest interval between fetches (F2-F4).
    package internal(set) var interval = FetchInterval.never
    /// The pending requests, in the order in which they were submitted.
    package internal(set) var requests: [RefreshRequest] = []
    /// The running tasks.
    package internal(set) var tasks: [RefreshTask] = []
    /// The last runs, oldest first.
    package internal(set) var runs: [RefreshRun] = []
    package internal(set) var usage = UsagePattern()
    package internal(set) var conditions = RefreshConditions()
    /// True if the user has shut the host down, so that nothing wakes it until it is opened.
    package internal(set) var isShutDown = false
    /// The number of new things since the host was opened.
    package internal(set) var badge = 0
    /// The identifiers that have a handler in a process of the host, which may have to be launched.
    package internal(set) var handled: Set<String> = []
    /// The state that all schedulers of a service have in common.
    package var pool = RefreshPool()
    /// The processor time that each running task has cost so far, in seconds, by number.
    var processorTimes: [Int: Double] = [:]
    /// The processor time that runs cost, by identifier.
    var costs: [String: RefreshCost] = [:]
    /// The times before which no other attempt is made at tasks whose programs are stopped, by
    /// identifier, in seconds of CLOCK_BOOTTIME.
    var stopped: [String: Double] = [:]
    /// The time since which there has been an interval, in seconds of CLOCK_BOOTTIME.
    var intervalSince = 0.0
    /// The last begin of each identifier, in seconds of CLOCK_BOOTTIME.
    var lastRuns: [String: Double] = [:]
    /// The last begin of each identifier whose run has looked for news, in seconds since 1970.
    var lastLooks: [String: Double] = [:]
    /// The time since which power and idleness have been there, in seconds of CLOCK_BOOTTIME.
    var externalSince: Double?
    var unusedSince: Double?
    var plans: [String: (key: PlanKey, plan: RefreshPlan)] = [:]
    /// Names the current start of the machine; empty if that is unknown.
    let boot: String
    /// Spreads what several machines do after sleep.
    var generator: SeededGenerator

    /// A scheduler without requests, for which nothing is declared. `requiredIdentifier` has to be
    /// permitted for fetches by interval; with nil they need the mode alone, as on iOS.
    package init(requiredIdentifier: String? = nil, boot: String = "", seed: UInt64) {
        self.requiredIdentifier = requiredIdentifier
        self.boot = boot
        generator = SeededGenerator(seed: seed)
    }

    /// The number of the next task.
    package var nextTask: Int { pool.nextTask }

    /// The last begin of a fetch by interval, in seconds of CLOCK_BOOTTIME.
    var lastFetch: Double? { lastRuns[fetchIdentifier] }

    /// True if something runs, or may become due by itself.
    package var isWaiting: Bool {
        guard !isShutDown else { return !tasks.isEmpty }
        return !tasks.isEmpty || !requests.isEmpty || interval.seconds != nil
    }

    package mutating func handle(_ input: Input, at now: ScheduleTime) -> [Effect] {
        var effects: [Effect] = []
        // What the last service has learned comes first.
        if case .restored(let memory) = input { restore(memory, now, &effects) }
        if usage.passDays(to: now) { effects.append(.keep(.usage(usage))) }
        switch input {
        case .restored: break
        case .submit(let request): submit(request, now, &effects)
        case .cancel(let identifier): cancel(identifier, &effects)
        case .cancelAll: requests.forEach { cancel($0.identifier, &effects) }
        case .setInterval(let interval): set(interval, now, &effects)
        case .conditions(let conditions): apply(conditions, now, &effects)
        case .shutDown:
            isShutDown = true
            effects.append(.keep(.isShutDown(true)))
        case .run(let identifier, let kind, let cause):
            begin(identifier, kind, cause, now, &effects)
        case .expire(let number): expire(number, now, &effects)
        case .completed(let number, let completion):
            complete(number, completion, now, &effects)
        case .handlerLost(let identifier):
            for task in tasks where task.identifier == identifier {
                end(task, RefreshCompletion(.failed), now, &effects)
            }
        case .handles(let identifier):
            if handled.insert(identifier).inserted { effects.append(.keep(.handler(identifier))) }
        case .putOff(let number, let isStopped):
            putOff(number, isStopped: isStopped, now, &effects)
        case .news(let badge): if badge != self.badge { set(badge: badge, &effects) }
        case .woken, .timePassed: break
        }
        watchTasks(now, &effects)
        begin(dueAt: now, isWake: input.isWake, &effects)
        return effects
    }
}

extension RefreshScheduler {
    /// The events that the scheduler handles.
    package enum Input: MachineInput {
        /// The records of the last service.
        case restored(Memory)
        /// A request (G4). If it is refused, `refusal` says why.
        case submit(RefreshRequest)
        case cancel(String)
        case cancelAll
        case setInterval(FetchInterval)
        case conditions(RefreshConditions)
        /// The user has shut the host down.
        case shutDown
        /// A run at once, whatever the obstacles: a test hook or the user's command. Of a pending
        /// request, it is that request's run.
        case run(String, RefreshKind, RefreshCause)
        /// A task's time is over, by a test hook.
        case expire(Int)
        /// The handler of a task has completed it.
        case completed(Int, RefreshCompletion)
        /// The handler's program has gone.
        case handlerLost(String)
        /// The host's programs handle this identifier, also those that are launched for it.
        case handles(String)
        /// A task has not begun, since no program can work for it now: as if its launch had never been
        /// decided. With `isStopped` the program is stopped, and may work some minutes later.
        case putOff(Int, isStopped: Bool)
        /// A push has set the number of new things.
        case news(badge: Int)
        /// Something begins in the background by another scheduler: what may begin does so in the same
        /// wake.
        case woken
        /// The alarm has rung, or the clock was set.
        case timePassed

        fileprivate var isWake: Bool { if case .woken = self { true } else { false } }
    }

    /// The actions to perform, in order.
    package enum Effect: Hashable, Sendable {
        /// Keep this before anything else is done.
        case keep(Change)
        /// Call the handler.
        case launch(RefreshTask)
        /// Warn the handler: it has `RefreshTask.grace` seconds (E4).
        case expire(RefreshTask)
        /// The task is over, whether its handler has completed it or not.
        case ended(RefreshTask, RefreshRun)
        /// A request was refused.
        case refused(RefreshRequest, RefreshError)
        /// A completion of a task that is over was ignored (F12).
        case ignored(Int)
        /// A request is pending, or the interval has changed.
        case scheduled(String, RefreshKind)
        /// The number of new things since the host was opened.
        case badge(Int)
    }

    /// A change of what is kept.
    package enum Change: Codable, Hashable, Sendable {
        case request(RefreshRequest)
        case noRequest(String)
        case run(RefreshRun)
        /// A run is too old, or has never begun.
        case noRun(Int)
        case handler(String)
        case usage(UsagePattern)
        case interval(FetchInterval)
        case isShutDown(Bool)
        /// The user has switched background refresh off, or on again.
        case isDenied(Bool)
        case badge(Int)
        /// The start of the machine to which seconds of CLOCK_BOOTTIME belong.
        case boot(String)

        /// The name of the record that keeps it, in place of the one before.
        package var key: String {
            switch self {
            case .request(let request): "request " + request.identifier
            case .noRequest(let identifier): "request " + identifier
            case .run(let run): "run \(run.number)"
            case .noRun(let number): "run \(number)"
            case .handler(let identifier): "handler " + identifier
            case .usage: "usage"
            case .interval: "interval"
            case .isShutDown: "isShutDown"
            case .isDenied: "isDenied"
            case .badge: "badge"
            case .boot: "boot"
            }
        }

        /// True if that record is not kept any longer, and none is in its place.
        package var isRemoval: Bool {
            switch self {
            case .noRequest, .noRun: true
            case .request, .run, .handler, .usage, .interval, .isShutDown, .isDenied, .badge, .boot:
                false
            }
        }
    }

    /// The records of the last service.
    package struct Memory: Codable, Sendable {
        package var interval = FetchInterval.never
        package var isShutDown = false
        /// True if the user has switched background refresh off.
        package var isDenied = false
        package var badge = 0
        package var requests: [RefreshRequest] = []
        /// The last runs, in any order.
        package var runs: [RefreshRun] = []
        /// The identifiers that have a handler in a process of the host.
        package var handled: Set<String> = []
        package var usage = UsagePattern()
        /// Names the start of the machine; empty if that is unknown.
        package var boot = ""

        package init() {}

        /// Collects what was kept.
        package init(_ changes: [Change]) {
            for change in changes {
                switch change {
                case .request(let request): requests.append(request)
                case .noRequest(let identifier):
                    requests.removeAll { $0.identifier == identifier }
                case .run(let run): runs.append(run)
                case .noRun(let number): runs.removeAll { $0.number == number }
                case .handler(let identifier): handled.insert(identifier)
                case .usage(let usage): self.usage = usage
                case .interval(let interval): self.interval = interval
                case .isShutDown(let isShutDown): self.isShutDown = isShutDown
                case .isDenied(let isDenied): self.isDenied = isDenied
                case .badge(let badge): self.badge = badge
                case .boot(let boot): self.boot = boot
                }
            }
            requests.sort { $0.submitted < $1.submitted }
        }
    }

    /// All that a scheduler needs that continues this one.
    package var memory: Memory {
        var memory = Memory()
        memory.interval = interval
        memory.isShutDown = isShutDown
        memory.isDenied = conditions.availability == .denied
        memory.badge = badge
        memory.requests = requests
        memory.runs = runs
        memory.handled = handled
        memory.usage = usage
        memory.boot = boot
        return memory
    }
}

extension RefreshScheduler {
    /// Returns the reason `request` would be refused at `now`; nil if it would be accepted.
    package func refusal(of request: RefreshRequest, at now: ScheduleTime) -> RefreshError? {
        let missing = conditions.declarations(request.kind, request.identifier)
        let causes: [(RefreshObstacle, RefreshError.Code)] = [
            (.denied, .unavailable), (.restricted, .unavailable),
            (.notDeclared(request.kind.mode), .notPermitted),
            (.notPermitted(request.identifier), .notPermitted),
        ]
        if let (obstacle, code) = causes.first(where: { missing.contains($0.0) }) {
            return RefreshError(code, obstacle.words(at: now))
        }
        let others = requests.count { other in
            other.kind == request.kind && other.identifier != request.identifier
        }
        guard others < request.kind.pendingLimit else {
            return RefreshError(
                .tooManyPendingTaskRequests,
                "\(request.kind.pendingLimit) requests of its kind are pending, the most allowed")
        }
        return nil
    }

    mutating func submit(_ request: RefreshRequest, _ now: ScheduleTime, _ effects: inout [Effect])
    {
        if let error = refusal(of: request, at: now) {
            effects.append(.refused(request, error))
            return
        }
        var request = request
        request.submitted = now.wall
        request.submittedBoot = now.boot
        requests.removeAll { $0.identifier == request.identifier }
        requests.append(request)
        plans[request.identifier] = nil
        effects += [.keep(.request(request)), .scheduled(request.identifier, request.kind)]
    }

    mutating func cancel(_ identifier: String, _ effects: inout [Effect]) {
        guard requests.contains(where: { $0.identifier == identifier }) else { return }
        requests.removeAll { $0.identifier == identifier }
        effects.append(.keep(.noRequest(identifier)))
    }

    mutating func set(
        _ interval: FetchInterval, _ now: ScheduleTime, _ effects: inout [Effect]
    ) {
        guard interval != self.interval else { return }
        self.interval = interval
        intervalSince = now.boot
        effects += [.keep(.interval(interval)), .scheduled(fetchIdentifier, .fetch)]
    }

    /// The identifier of the fetch by interval.
    package var fetchIdentifier: String { requiredIdentifier ?? Self.fetchIdentifier }

    mutating func restore(_ memory: Memory, _ now: ScheduleTime, _ effects: inout [Effect]) {
        interval = memory.interval
        intervalSince = now.boot
        isShutDown = memory.isShutDown
        badge = memory.badge
        if memory.isDenied, conditions.availability == .available {
            conditions.availability = .denied
        }
        usage = memory.usage
        requests = memory.requests
        handled = memory.handled
        runs = memory.runs.sorted { $0.number < $1.number }
        forgetRuns(&effects)
        let isSameBoot = !boot.isEmpty && boot == memory.boot
        if !isSameBoot {
            effects.append(.keep(.boot(boot)))
            for index in requests.indices { requests[index].submittedBoot = now.boot }
        }
        for run in runs {
            remember(run, isSameBoot: isSameBoot, now)
            guard run.result == nil else { continue }
            // It is not run again: it may have done its work.
            var run = run
            run.result = .interrupted
            keep(run, &effects)
        }
    }

    /// Counts a run of an earlier service for intervals and the budget.
    private mutating func remember(_ run: RefreshRun, isSameBoot: Bool, _ now: ScheduleTime) {
        pool.nextTask = max(pool.nextTask, run.number + 1)
        // Since a clock that was set backward would make it a run of the future, it is at most now.
        let boot = isSameBoot ? run.beganBoot : now.boot - max(0, now.wall - run.began)
        noteBegin(run.identifier, boot: boot)
        if let time = run.processorTime { costs[run.identifier, default: RefreshCost()].add(time) }
        if run.result == .newData || run.result == .noData {
            lastLooks[run.identifier] = run.began
        }
        if run.cause == .schedule, run.kind != .processing { pool.wakes.add(boot) }
        pool.data.add(run.bytes, at: boot + (run.seconds ?? 0))
    }
}
