import Foundation
import Testing
import UndersongBackground
import UndersongBase
import UndersongPlayback

/// Random schedules with clocks that are set, time zones that change, and machines that sleep.
/// `REFRESH_SCHEDULES` sets their number.
struct RefreshPropertyTests {
    private static let count =
        ProcessInfo.processInfo.environment["REFRESH_SCHEDULES"].flatMap(Int.init) ?? 1000

    @Test func `No fetch comes early by either clock, whatever is done to them`() {
        for seed in 0..<UInt64(Self.count) {
            var schedule = RandomSchedule(seed: seed)
            for _ in 0..<40 { schedule.step() }
            let problem = schedule.problem
            #expect(problem == nil, "seed \(seed)")
            if problem != nil { return }
        }
    }

    @Test func `What is kept restores what is wanted after each step`() {
        for seed in 0..<UInt64(Self.count / 4) {
            var schedule = RandomSchedule(seed: seed)
            for _ in 0..<40 {
                schedule.step()
                let scheduler = schedule.stage.scheduler
                let kept = schedule.kept
                #expect(kept.requests == scheduler.requests, "seed \(seed)")
                #expect(kept.interval == scheduler.interval, "seed \(seed)")
                #expect(kept.badge == scheduler.badge, "seed \(seed)")
                let running = Set(kept.runs.filter { $0.result == nil }.map(\.number))
                #expect(running == Set(scheduler.tasks.map(\.number)), "seed \(seed)")
            }
        }
    }
}

/// A schedule in which anything may happen next.
private struct RandomSchedule {
    static let interval = 3600.0
    static let year = 31_536_000.0

    var stage: RefreshStage
    private var generator: SeededGenerator
    private var zone = 0.0

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        stage = RefreshStage(seed: seed)
        var chance = SeededGenerator(seed: seed &+ 1)
        stage.answer = { _, now in
            let results: [RefreshResult] = [.newData, .noData, .failed]
            let index = Int(now.boot) % 3
            return Int(now.boot) % 7 == 0
                ? nil
                : (RefreshCompletion(results[index], new: index), Double(chance.next() % 40))
        }
        stage.send(.setInterval(.seconds(Self.interval)))
    }

    mutating func step() {
        switch Int.random(in: 0..<12, using: &generator) {
        case 0...3: stage.pass(Double.random(in: 0...40000, using: &generator))
        case 4:
            let step = Bool.random(using: &generator) ? Self.year : -Self.year
            stage.setClock(by: step)
        case 5: stage.setClock(by: Double.random(in: -7200...7200, using: &generator))
        case 6:
            // Daylight saving time begins or ends, or the machine travels.
            zone += Bool.random(using: &generator) ? 3600 : -3600
            let zone = zone
            stage.utcOffset = { _ in zone }
            stage.setClock(by: 0)
        case 7:
            stage.change { $0.machine.isSleeping = true }
            stage.pass(Double.random(in: 0...200_000, using: &generator), alarms: false)
            stage.change { $0.machine.isSleeping = false }
        case 8:
            let delay = Double.random(in: -1000...50000, using: &generator)
            stage.send(
                .submit(RefreshRequest("refresh", earliestBeginDate: stage.now.wall + delay)))
        case 9: stage.open(for: Double.random(in: 0...1000, using: &generator))
        case 10:
            let isLow = Bool.random(using: &generator)
            stage.change { $0.machine.power = PowerState(isOnBattery: isLow, charge: 10) }
        default: stage.send(.cancel("refresh"))
        }
    }

    /// The fault of the launches; nil if there is none.
    var problem: String? {
        var lastFetch: Double?
        var numbers: Set<Int> = []
        for launch in stage.launches {
            let task = launch.task
            if !numbers.insert(task.number).inserted { return "\(task.number) ran twice" }
            if let date = task.request?.earliestBeginDate, launch.at.wall < date {
                return "\(task.number) began \(date - launch.at.wall) s before its date"
            }
            guard task.identifier == "fetch" else { continue }
            // Less than a microsecond gets lost where the sum is rounded.
            if let lastFetch, launch.at.boot - lastFetch < Self.interval - 1e-6 {
                return "\(task.number) began \(launch.at.boot - lastFetch) s after the last"
            }
            lastFetch = launch.at.boot
        }
        return stage.launches.isEmpty ? "nothing ran" : nil
    }

    /// The content of a store that has performed all changes.
    var kept: RefreshScheduler.Memory {
        var memory = RefreshScheduler.Memory()
        for case .keep(let change) in stage.effects {
            switch change {
            case .request(let request):
                memory.requests.removeAll { $0.identifier == request.identifier }
                memory.requests.append(request)
            case .noRequest(let identifier):
                memory.requests.removeAll { $0.identifier == identifier }
            case .run(let run):
                memory.runs.removeAll { $0.number == run.number }
                memory.runs.append(run)
            case .interval(let interval): memory.interval = interval
            case .badge(let badge): memory.badge = badge
            case .noRun(let number): memory.runs.removeAll { $0.number == number }
            case .handler(let identifier): memory.handled.insert(identifier)
            case .usage, .isShutDown, .isDenied, .boot: break
            }
        }
        return memory
    }
}
