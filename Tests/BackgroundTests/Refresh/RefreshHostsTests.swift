import TestSupport
import Testing
import UndersongBackground
import UndersongBase

/// The schedulers of a service and of its apps in simulated time.
@Suite struct `The schedulers of a service` {
    private static let app = RefreshOwner.app("net.example")
    private static let other = RefreshOwner.app("net.other")
    private static let identifiers = Set((1...50).map { "task\($0)" } + ["night", "late"])

    private struct Stage {
        var hosts: RefreshHosts
        var now = RefreshHost.Moment(ScheduleTime(boot: 1000, wall: RefreshStage.monday))
        private(set) var effects: [RefreshHosts.Effect] = []

        /// A service and two apps in the background that have declared everything, and the records of
        /// an earlier service.
        init(
            _ memories: [RefreshOwner: RefreshScheduler.Memory] = [:],
            owners: [RefreshOwner] = [.service, app, other], isWatched: Bool = false
        ) {
            var environment = RefreshEnvironment(
                now: { ScheduleTime(boot: 0, wall: 0) }, alarm: { _ in NoAlarm() }, seed: 1)
            if isWatched { environment.watchLogin = { _ in {} } }
            hosts = RefreshHosts(environment, requiredIdentifier: "task1")
            for owner in owners { add(owner) }
            var all = memories
            for owner in owners where memories[owner] == nil {
                all[owner] = RefreshScheduler.Memory()
            }
            send(.restored(all))
        }

        mutating func add(_ owner: RefreshOwner) {
            send(.add(owner))
            let capabilities = Capabilities(
                backgroundModes: [.fetch, .processing], permittedIdentifiers: identifiers)
            send(.host(owner, .report(.host(.background, capabilities))))
            send(.host(owner, .report(.handlers(identifiers.union(["fetch"])))))
        }

        @discardableResult
        mutating func send(_ input: RefreshHosts.Input) -> [RefreshHosts.Effect] {
            let new = hosts.handle(input, at: now)
            effects += new
            return new
        }

        @discardableResult
        mutating func send(
            _ input: RefreshScheduler.Input, to owner: RefreshOwner
        ) -> [RefreshHosts.Effect] {
            send(.host(owner, .scheduler(input)))
        }

        mutating func submit(
            _ identifier: String, kind: RefreshKind = .refresh, after seconds: Double? = nil,
            by owner: RefreshOwner
        ) {
            send(
                .submit(
                    RefreshRequest(
                        identifier, kind: kind,
                        earliestBeginDate: seconds.map { now.time.wall + $0 })), to: owner)
        }

        mutating func complete(_ result: RefreshResult = .noData) {
            for owner in hosts.owners {
                for task in scheduler(owner).tasks {
                    send(.completed(task.number, RefreshCompletion(result)), to: owner)
                }
            }
        }

        mutating func pass(_ seconds: Double) {
            now.time.boot += seconds
            now.time.wall += seconds
            send(.timePassed)
        }

        func scheduler(_ owner: RefreshOwner) -> RefreshScheduler {
            guard let host = hosts.hosts[owner] else { preconditionFailure("\(owner) is gone") }
            return host.scheduler
        }

        func reasons(_ owner: RefreshOwner) -> [RefreshObstacle.Name] {
            scheduler(owner).forecasts(at: now.time).flatMap(\.reasons)
        }

        /// The tasks that were launched, with their owners.
        var launches: [(owner: RefreshOwner, task: RefreshTask)] {
            effects.compactMap { effect in
                guard case .scheduler(.launch(let task)) = effect.effect else { return nil }
                return (effect.owner, task)
            }
        }

        var launchOwners: [RefreshOwner] { launches.map(\.owner) }
    }

    private final class NoAlarm: Alarm {
        func set(boot: Double?, wall: Double?) {}
        func stop() {}
    }

    // MARK: One wake

    /// A stage on which an app has a request for a task that has run, with a better time to come.
    private func stageWithPlan() -> Stage {
        var stage = Stage()
        stage.submit("task2", by: Self.app)
        stage.complete()
        stage.submit("task2", by: Self.app)
        stage.submit("late", kind: .processing, after: 5000, by: Self.app)
        stage.pass(1000)
        return stage
    }

    @Test(.rule("AP17", "F8"))
    func `What one scheduler begins in the background wakes the others`() {
        var stage = stageWithPlan()
        #expect(stage.launchOwners == [Self.app])
        #expect(stage.reasons(Self.app).contains(.betterTime))

        stage.submit("task3", by: Self.other)

        #expect(stage.launchOwners == [Self.app, Self.other, Self.app])
        #expect(stage.launches.map(\.task.number) == [1, 2, 3])
        #expect(stage.launches.last?.task.identifier == "task2")
        #expect(stage.launches.last?.task.began == stage.now.time)
    }

    @Test func `What begins in front or by hand wakes nobody`() {
        var stage = stageWithPlan()
        let capabilities = Capabilities(
            backgroundModes: [.fetch], permittedIdentifiers: Self.identifiers)
        stage.send(.host(Self.other, .report(.host(.active, capabilities))))

        stage.submit("task3", by: Self.other)
        stage.send(.run("task4", .refresh, .command), to: .service)

        #expect(stage.launchOwners == [Self.app, Self.other, .service])
    }

    @Test func `A wake does not begin what has an obstacle`() {
        var stage = Stage()
        stage.submit("task2", after: 2000, by: Self.app)
        stage.pass(1000)

        stage.submit("task3", by: Self.other)
        #expect(stage.launchOwners == [Self.other])
        stage.pass(1000)

        #expect(stage.launchOwners == [Self.other, Self.app])
    }

    @Test(.rule("AP17", "F8")) func `A wake for several schedulers is one of the 48 of a day`() {
        var stage = Stage()
        for number in 1...48 {
            stage.submit("task\(number)", by: .service)
            stage.submit("task\(number)", by: Self.app)
            stage.complete()
            stage.pass(901)
        }
        #expect(stage.launches.count == 96)

        stage.submit("task49", by: .service)
        stage.submit("task49", by: Self.app)

        #expect(stage.launches.count == 96)
        #expect(stage.reasons(.service) == [.budget])
        #expect(stage.reasons(Self.app) == [.budget])
    }

    @Test(.rule("AP17"))
    func `Each app has habits, requests and declarations of its own`() {
        var stage = Stage()
        let modes = Capabilities(
            backgroundModes: [.processing], permittedIdentifiers: ["night"])

        stage.send(.host(Self.app, .report(.host(.active, modes))))
        stage.submit("night", kind: .processing, after: 5000, by: Self.app)

        let (app, other) = (stage.scheduler(Self.app), stage.scheduler(Self.other))
        #expect(app.usage != other.usage)
        #expect(other.usage == stage.scheduler(.service).usage)
        #expect(app.requests.map(\.identifier) == ["night"])
        #expect(other.requests.isEmpty)
        #expect(app.conditions.capabilities == modes)
        #expect(other.conditions.capabilities.permittedIdentifiers == Self.identifiers)
    }

    @Test func `Data that one scheduler's runs transfer counts for all`() {
        var stage = Stage()
        stage.send(.run("task2", .refresh, .command), to: Self.app)
        stage.send(
            .completed(1, RefreshCompletion(.newData, bytes: 200_000_000)), to: Self.app)

        stage.submit("task3", by: .service)

        #expect(stage.reasons(.service) == [.dataBudget])
    }

    @Test func `After sleep all schedulers wait for the same moment`() throws {
        var stage = Stage()
        stage.submit("task2", after: 10, by: Self.app)
        stage.submit("task3", after: 10, by: .service)
        stage.send(.report(.login(LoginState(session: nil, isSleeping: true))))
        stage.pass(100)
        #expect(stage.launches.isEmpty)

        stage.send(.report(.login(LoginState(session: nil, isSleeping: false))))
        let dues = stage.hosts.owners.compactMap {
            stage.hosts.hosts[$0]?.nextDue(at: stage.now).boot
        }
        let due = try #require(dues.first)
        stage.pass(due - stage.now.time.boot + 0.001)

        #expect(dues.count == 2 && Set(dues).count == 1)
        #expect(due >= 1105)
        #expect(Set(stage.launchOwners) == [.service, Self.app])
    }

    @Test(.rule("G9")) func `One task processes at a time, and the next one follows`() {
        var stage = Stage()
        stage.submit("night", kind: .processing, by: Self.app)
        stage.submit("night", kind: .processing, by: Self.other)
        stage.pass(11)
        #expect(stage.launchOwners == [Self.app])
        #expect(stage.reasons(Self.other) == [.otherProcessing])

        stage.complete(.done)

        #expect(stage.launchOwners == [Self.app, Self.other])
    }

    // MARK: Records

    @Test func `Nothing begins before the records of all are known`() {
        var mine = RefreshScheduler.Memory()
        mine.requests = [RefreshRequest("task2")]
        var theirs = RefreshScheduler.Memory()
        theirs.runs = [
            RefreshRun(
                number: 50, identifier: "task3", kind: .refresh, cause: .command,
                began: RefreshStage.monday - 10, beganBoot: 0, seconds: 1, result: .newData,
                bytes: 1000)
        ]

        let stage = Stage([.service: mine, Self.other: theirs])

        #expect(stage.launches.map(\.task.number) == [51])
        #expect(stage.launchOwners == [.service])
    }

    @Test func `What is denied is denied to an app that comes later`() {
        var stage = Stage(owners: [.service])
        stage.send(.report(.availability(.denied)))
        stage.add(Self.app)
        stage.send(.restored([Self.app: RefreshScheduler.Memory()]))

        #expect(stage.scheduler(Self.app).conditions.availability == .denied)
        stage.send(.report(.availability(.available)))

        #expect(stage.scheduler(Self.app).conditions.availability == .available)
    }

    @Test func `An app that comes later knows the machine, which is watched once`() {
        var stage = Stage(owners: [.service], isWatched: true)
        stage.submit("task2", by: .service)
        stage.send(.report(.login(LoginState(session: nil, isSleeping: false))))
        stage.add(Self.app)
        stage.send(.restored([Self.app: RefreshScheduler.Memory()]))
        stage.submit("task2", by: Self.app)

        #expect(stage.effects.filter { $0.effect == .watch }.map(\.owner) == [.service])
        #expect(stage.launchOwners == [.service, Self.app])
    }

    @Test func `The tasks of an app that is removed fail, and its requests are forgotten`() {
        var stage = Stage()
        stage.submit("task2", by: Self.app)
        stage.submit("night", kind: .processing, after: 100, by: Self.app)
        stage.send(.setInterval(.seconds(90_000)), to: Self.app)
        #expect(stage.launches.count == 2)

        let effects = stage.send(.remove(Self.app))
        stage.pass(RefreshStage.day)

        let results = effects.compactMap { effect -> RefreshResult? in
            if case .scheduler(.ended(_, let run)) = effect.effect { run.result } else { nil }
        }
        #expect(results == [.failed, .failed])
        #expect(stage.launches.count == 2)
        #expect(stage.hosts.owners == [.service, Self.other])
        #expect(stage.hosts.owner(ofTask: 1) == nil)
    }

    // MARK: Handlers

    @Test func `What an app handles is known when it does not run, and to the next service`()
        throws
    {
        var stage = Stage()
        stage.send(.host(Self.app, .report(.handlers([]))))
        stage.submit("task2", by: Self.app)
        #expect(stage.reasons(Self.app) == [.noHandler])

        let effects = stage.send(.handles("task2"), to: Self.app)
        let memory = stage.scheduler(Self.app).memory
        let next = Stage([Self.app: memory])

        #expect(stage.launchOwners == [Self.app])
        guard case .keep(let changes, _)? = effects.first?.effect else {
            Issue.record("\(effects)")
            return
        }
        #expect(changes.first == .handler("task2"))
        #expect(next.scheduler(Self.app).handled == ["task2"])
    }

    @Test func `Nothing begins of an app that the user has closed`() {
        var stage = Stage()
        stage.send(.host(Self.app, .report(.closed(true))))
        stage.submit("task2", by: Self.app)
        #expect(stage.reasons(Self.app) == [.closed])

        stage.send(.host(Self.app, .report(.closed(false))))

        #expect(stage.launchOwners == [Self.app])
    }

    @Test func `A task that is put off has not run, and is tried again after five minutes`() {
        var stage = Stage()
        stage.submit("task2", by: Self.app)
        let request = stage.launches[0].task.request

        // More often than the budget would permit if these were wakes.
        for number in 1...60 {
            stage.send(.putOff(number, isStopped: true), to: Self.app)
            #expect(stage.scheduler(Self.app).requests == [request])
            #expect(stage.reasons(Self.app) == [.stopped])
            stage.pass(299)
            #expect(stage.launches.count == number)
            stage.pass(1)
            #expect(stage.launches.count == number + 1)
        }

        #expect(stage.scheduler(Self.app).runs.map(\.number) == [61])
    }

    @Test func `A put-off task of a closed app waits until it is opened`() {
        var stage = Stage()
        stage.submit("task2", by: Self.app)
        stage.send(.host(Self.app, .report(.closed(true))))
        stage.send(.putOff(1, isStopped: false), to: Self.app)
        stage.pass(RefreshStage.day)
        #expect(stage.launches.count == 1)
        #expect(stage.scheduler(Self.app).tasks.isEmpty)

        stage.send(.host(Self.app, .report(.closed(false))))

        #expect(stage.launches.count == 2)
    }
}
