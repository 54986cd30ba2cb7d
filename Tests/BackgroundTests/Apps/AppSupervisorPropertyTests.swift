import TestSupport
import Testing
import UndersongBase

@testable import UndersongBackground

/// Processes with random lives, the supervisor that acts on them, and what it has done wrong.
private struct RandomPrograms {
    private static let clients = 0..<6
    /// The clients whose processes are of the app; the last two clients have one group.
    private static let members = 0..<3

    private var numbers: SeededNumbers
    private var stage = AppStage()
    /// The processes that the supervisor has suspended, and those with a record of that.
    private var suspended: Set<ProcessIdentity> = []
    private var recorded: Set<ProcessIdentity> = []
    private var work: [Int: Set<Int>] = [:]
    private var announced: Set<Int> = []
    /// Numbers of what has happened.
    private(set) var suspensions = 0
    private(set) var continuations = 0
    private(set) var ends = 0
    private(set) var faults: [String] = []

    init(seed: UInt64) {
        numbers = SeededNumbers(seed)
        perform(.install(AppStage.podcast))
    }

    mutating func step() {
        let client = numbers.below(Self.clients.count)
        guard let condition = stage.conditions[client] else { return join(client) }
        switch numbers.below(24) {
        case 0..<4:
            let number = numbers.below(3)
            let isNew = work[client, default: []].insert(number).inserted
            if isNew { perform(.began(.task(number), client)) }
        case 4..<9:
            guard let number = work[client]?.min() else { break }
            work[client]?.remove(number)
            perform(.ended(.task(number), client, overran: numbers.below(8) == 0))
        case 9..<11 where condition.activity == .running && condition.tracer == nil:
            perform(.willStop(client))
            announced.insert(client)
            stage.conditions[client]?.activity = .stopped
            stage.conditions[client]?.foregroundGroup = 1
        case 11 where !isRunning(client): proceed(client)
        // A whole job is stopped after a look at one of its processes.
        case 12 where condition.activity == .running && client < 4:
            stage.conditions[client]?.tracer = condition.tracer == nil ? 9 : nil
        case 13 where condition.activity == .running:
            let state = ApplicationState.allCases[numbers.below(3)]
            stage.conditions[client]?.foregroundGroup =
                state == .background ? 1 : condition.group
            perform(.entered(client, state, source: "terminal"))
        case 14..<17 where Self.members.contains(client) && condition.activity == .running:
            var needs = numbers.below(3) == 0 ? AppStage.needs("sync") : AppNeeds()
            needs.wake = numbers.below(4) == 0 ? 0 : .max
            perform(.needs(client, needs))
        case 17: perform(.summoned("podcast", .location))
        case 18: perform([.opened("podcast"), .sentHome("podcast")][numbers.below(2)])
        case 19 where numbers.below(10) == 0: leave(client)
        case 20 where numbers.below(40) == 0: perform(.closed("podcast"))
        default: pass([0.01, 1, 5, 40][numbers.below(4)])
        }
    }

    private func isRunning(_ client: Int) -> Bool {
        stage.conditions[client]?.activity == .running
    }

    private mutating func join(_ client: Int) {
        let condition = ProcessCondition(
            identity: AppStage.process(client), activity: .running,
            group: AppStage.group(client == 5 ? 4 : client), foregroundGroup: 1)
        stage.conditions[client] = condition
        perform(.joined(client, condition, name: "program"))
        if Self.members.contains(client) {
            perform(
                .connected(client, app: "podcast", .background, source: "terminal", launch: nil))
        }
    }

    /// The user continues a job.
    private mutating func proceed(_ client: Int) {
        for other in group(of: client) where stage.conditions[other]?.activity == .stopped {
            stage.conditions[other]?.activity = .running
            announced.remove(other)
            perform(.didContinue(other))
        }
    }

    private mutating func leave(_ client: Int) {
        work[client] = nil
        announced.remove(client)
        perform(.left(client))
        check(!recorded.contains(AppStage.process(client)), "one that has left has a record")
        stage.conditions[client] = nil
    }

    private mutating func pass(_ seconds: Double) {
        stage.now += seconds
        perform(.timePassed)
        let due = stage.supervisor.nextDue(at: stage.time).boot
        check(due ?? .infinity > stage.now, "it is due in the past")
    }

    private func group(of client: Int) -> [Int] {
        let group = stage.conditions[client]?.group
        return Self.clients.filter { stage.conditions[$0]?.group == group }
    }

    // MARK: The supervisor

    private mutating func perform(_ input: AppSupervisor.Input) {
        var isLeaving = false
        if case .left = input { isLeaving = true }
        var noticed: [Int] = []
        // Looks are answered after the effects, as by the service.
        var looks: [Int] = []
        for effect in stage.supervisor.handle(input, at: stage.time) {
            switch effect {
            case .keep(let changes): for change in changes { keep(change) }
            case .look(let client): looks.append(client)
            case .suspend(let process, let group): suspend(process, group)
            case .resume(let process, let group):
                noticed += resume(process, group, isLeaving: isLeaving)
            case .end(let process):
                ends += 1
                let client = Int(process.id) - 1000
                looks.removeAll { $0 == client }
                if stage.conditions[client] != nil { leave(client) }
            case .launch(_, let token, _):
                perform(.notLaunched("podcast", reason: "no such file", launch: token))
            case .notify, .report, .stateChanged: break
            }
        }
        for client in looks { perform(.looked(client, stage.conditions[client])) }
        for client in noticed where isRunning(client) { perform(.didContinue(client)) }
    }

    private mutating func keep(_ change: AppSupervisor.Change) {
        switch change {
        case .suspended(let process, _, _): recorded.insert(process)
        case .notSuspended(let process): recorded.remove(process)
        case .app, .noApp: break
        }
    }

    /// The clients whose processes a signal reaches.
    private func reached(_ process: ProcessIdentity, _ group: Int32?) -> [Int] {
        Self.clients.filter { client in
            guard let condition = stage.conditions[client] else { return false }
            return condition.identity == process || group != nil && condition.group == group
        }
    }

    private mutating func suspend(_ process: ProcessIdentity, _ group: Int32?) {
        suspensions += 1
        check(recorded.contains(process), "\(process.id) is suspended without a record")
        for client in reached(process, group) {
            guard let condition = stage.conditions[client] else { continue }
            check(condition.tracer == nil, "\(client) is traced and suspended")
            check(work[client, default: []].isEmpty, "\(client) has work and is suspended")
            stage.conditions[client]?.activity = .stopped
            suspended.insert(condition.identity)
        }
    }

    private mutating func resume(
        _ process: ProcessIdentity, _ group: Int32?, isLeaving: Bool
    ) -> [Int] {
        continuations += 1
        var noticed: [Int] = []
        let wasStopped = reached(process, group).contains {
            !isRunning($0) || announced.contains($0)
        }
        check(suspended.contains(process) || wasStopped, "\(process.id) is resumed twice")
        for client in reached(process, group) {
            guard let condition = stage.conditions[client] else { continue }
            let isTraced = condition.tracer != nil && condition.identity == process
            check(isLeaving || !isTraced, "\(client) is traced and resumed")
            if condition.activity == .stopped { noticed.append(client) }
            stage.conditions[client]?.activity = .running
            announced.remove(client)
            suspended.remove(condition.identity)
        }
        return noticed
    }

    /// Checks that nobody who has work stays stopped, once it was looked at.
    mutating func checkWork() {
        pass(6)
        for client in Self.clients where !work[client, default: []].isEmpty {
            guard let condition = stage.conditions[client] else { continue }
            check(
                condition.activity == .running || condition.tracer != nil,
                "\(client) has work and stays stopped")
            check(
                !recorded.contains(condition.identity) || condition.tracer != nil,
                "\(client) has work and a record")
        }
    }

    private mutating func check(_ isSo: Bool, _ fault: String) {
        if !isSo, faults.count < 5 { faults.append(fault) }
    }
}

@Suite struct `Programs with random lives` {
    @Test(.rule("AP1", "AP4", "AP6"), arguments: [1, 2, 3, 4] as [UInt64])
    func `Programs with random lives run when they have work, and are stopped by the rules`(
        seed: UInt64
    ) {
        var programs = RandomPrograms(seed: seed)
        for step in 1...25_000 {
            programs.step()
            if step.isMultiple(of: 20) { programs.checkWork() }
        }

        #expect(programs.faults == [])
        #expect(programs.suspensions > 500 && programs.continuations > 500)
        #expect(programs.ends > 10)
    }
}
