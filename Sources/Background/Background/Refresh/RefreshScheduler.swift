import UndersongBase
import UndersongPlayback

/// Background fetches, refreshes and processing as a value: what happens goes in, what is to be
/// done comes out.
///
/// What is wanted (`interval` and `requests`) is kept apart from what forbids it (`obstacles`). It
/// knows neither clock, store nor handler; every effect that keeps something is to be durable before
/// the others of the same call are performed.
package struct RefreshScheduler: Sendable {
    /// The longest wait for a better moment, if the interval is not longer.
    package static let longestWait = 43200.0
    /// The same while too little is known of the user's habits.
    package static let exploringWait = 10800.0
    /// For so many days too little is known.
    static let exploringDays = 3.0
    /// The seconds for which power and idleness have to last before something is processed.
    package static let steadiness = 10.0
    /// A task that was used within so many days is processed within two days.
    package static let usedWithin = 7
    /// The seconds between two runs of the same task that processes.
    static let processingPause = 60.0
    /// After sleep, everything due runs once so many seconds later, chosen at random.
    static let wakingDelay = 5.0...60.0
    /// The identifier of the fetch by interval where none has to be permitted.
    package static let fetchIdentifier = "fetch"

    /// How many runs are kept.
    package static let runLimit = 1000

    /// Whether fetches by interval need a permitted identifier as well, and which.
    package let requiredIdentifier: String?
    /// How often to fetch at most (F2-F4).
    package internal(set) var interval = FetchInterval.never
    /// The pending requests, in the order in which they were submitted.
    package internal(set) var requests: [RefreshRequest] = []
    /// What is running.
    package internal(set) var tasks: [RefreshTask] = []
    /// The last runs, oldest first.
    package internal(set) var runs: [RefreshRun] = []
    package internal(set) var usage = UsagePattern()
    package internal(set) var conditions = RefreshConditions()
    /// Whether the user has shut the host down, so that nothing wakes it until it is opened.
    package internal(set) var isShutDown = false
    /// How much is new since the host was opened.
    package internal(set) var badge = 0
    /// The number of the next task.
    package internal(set) var nextTask = 1
    var budget = WakeBudget()
    var dataBudget = DataBudget()
    /// The last begin of a fetch by interval, in seconds of CLOCK_BOOTTIME.
    var lastFetch: Double?
    /// Since when there has been an interval, in seconds of CLOCK_BOOTTIME.
    var intervalSince = 0.0
    /// The last begin of each identifier, in seconds of CLOCK_BOOTTIME.
    var lastRuns: [String: Double] = [:]
    /// The last begin of each identifier whose run has looked for news, in seconds since 1970.
    var lastLooks: [String: Double] = [:]
    /// Since when power and idleness have been there, in seconds of CLOCK_BOOTTIME.
    var externalSince: Double?
    var unusedSince: Double?
    /// Nothing is begun before, in seconds of CLOCK_BOOTTIME: the machine has only just woken.
    var awakeFrom = 0.0
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

    /// Whether something runs, or may become due by itself.
    package var isWaiting: Bool {
        guard !isShutDown else { return !tasks.isEmpty }
        return !tasks.isEmpty || !requests.isEmpty || interval.seconds != nil
    }

    /// Handles what has happened.
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
        case .conditions(let conditions): take(conditions, now, &effects)
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
        case .tick: break
        }
        watchTasks(now, &effects)
        begin(dueAt: now, &effects)
        return effects
    }
}
