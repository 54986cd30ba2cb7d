import UndersongBackground
import UndersongPlayback

/// A scheduler in simulated time: alarms ring when they are due, unless the machine sleeps, and
/// handlers answer by themselves.
struct RefreshStage {
    static let day = 86400.0
    static let hour = 3600.0
    /// Monday, 1 June 2026, midnight UTC.
    static let monday = 1_780_272_000.0

    /// A run that the scheduler has launched.
    struct Launch {
        let task: RefreshTask
        let at: ScheduleTime
    }

    var scheduler: RefreshScheduler
    var now: ScheduleTime
    /// All that the scheduler has asked for, oldest first.
    private(set) var effects: [RefreshScheduler.Effect] = []
    private(set) var launches: [Launch] = []
    private(set) var ends: [RefreshRun] = []
    /// The number of times that an alarm has rung.
    private(set) var rings = 0
    /// The end of a task, and the seconds until then; nil for never.
    var answer: (RefreshTask, ScheduleTime) -> (RefreshCompletion, seconds: Double)? = { _, _ in
        (RefreshCompletion(.noData), 2)
    }
    /// Local time's distance from UTC.
    var utcOffset: (Double) -> Double = { _ in 0 }
    private var answers: [(boot: Double, number: Int, completion: RefreshCompletion)] = []

    static let identifier = "net.undersong.refresh"

    /// A host in the background that has declared and registered everything, on a machine with
    /// external power and a network.
    init(seed: UInt64 = 1, requiredIdentifier: String? = nil, wall: Double = monday) {
        scheduler = RefreshScheduler(
            requiredIdentifier: requiredIdentifier, boot: "boot", seed: seed)
        now = ScheduleTime(boot: 1000, wall: wall)
        send(.conditions(Self.conditions))
    }

    static var conditions: RefreshConditions {
        var conditions = RefreshConditions()
        conditions.capabilities = Capabilities(
            backgroundModes: [.fetch, .processing],
            permittedIdentifiers: Set(["refresh", "other", identifier] + processing))
        conditions.handlers = conditions.capabilities.permittedIdentifiers.union(["fetch"])
        conditions.machine.network.connectivity = .full
        return conditions
    }

    /// Identifiers of tasks that process.
    static let processing = (1...12).map { "night\($0)" }

    @discardableResult
    mutating func send(_ input: RefreshScheduler.Input) -> [RefreshScheduler.Effect] {
        let new = scheduler.handle(input, at: now)
        effects += new
        for effect in new {
            switch effect {
            case .launch(let task):
                launches.append(Launch(task: task, at: now))
                if let (completion, seconds) = answer(task, now) {
                    answers.append((now.boot + seconds, task.number, completion))
                }
            case .ended(_, let run): ends.append(run)
            default: break
            }
        }
        return new
    }

    /// Lets time pass until one more task has been launched, but for `limit` seconds at most.
    mutating func passToLaunch(within limit: Double) {
        let (end, count) = (now.boot + limit, launches.count)
        while launches.count == count, let next = nextEvent(before: end) {
            pass(next - now.boot)
        }
    }

    /// Changes the conditions.
    mutating func change(_ body: (inout RefreshConditions) -> Void) {
        var conditions = scheduler.conditions
        body(&conditions)
        send(.conditions(conditions))
    }

    /// Lets time pass. Without `alarms` the machine sleeps.
    mutating func pass(_ seconds: Double, alarms: Bool = true) {
        let end = now.boot + seconds
        while alarms, let next = nextEvent(before: end) {
            move(to: next)
            if let index = answers.firstIndex(where: { $0.boot <= now.boot }) {
                let answer = answers.remove(at: index)
                send(.completed(answer.number, answer.completion))
            } else {
                rings += 1
                send(.timePassed)
            }
        }
        move(to: end)
    }

    /// Sets the clock by so many seconds, of which the service is notified at once.
    mutating func setClock(by seconds: Double) {
        now = ScheduleTime(boot: now.boot, wall: now.wall + seconds, in: utcOffset)
        send(.timePassed)
    }

    /// Opens the host for some minutes.
    mutating func open(for seconds: Double = 300) {
        change { $0.host = .active }
        pass(seconds)
        change { $0.host = .background }
    }

    private func nextEvent(before end: Double) -> Double? {
        let due = scheduler.nextDue(at: now)
        let wall = due.wall.map { now.boot + ($0 - now.wall) }
        let times = [due.boot, wall, answers.map(\.boot).min()].compactMap { $0 }
        // Fractions of seconds get lost when times of one clock are computed from the other's.
        return times.min().flatMap { $0 <= end ? max($0, now.boot + 1e-3) : nil }
    }

    private mutating func move(to boot: Double) {
        guard boot > now.boot else { return }
        now = ScheduleTime(boot: boot, wall: now.wall + (boot - now.boot), in: utcOffset)
    }
}

extension RefreshForecast {
    /// The names of the obstacles.
    var reasons: [RefreshObstacle.Name] { obstacles.compactMap(\.reason.known) }
}
