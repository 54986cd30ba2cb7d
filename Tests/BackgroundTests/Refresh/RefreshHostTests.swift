import Testing
import UndersongBackground
import UndersongBase

@Suite struct `A host of background tasks` {
    private static let identifier = "refresh"
    private static let capabilities = Capabilities(
        backgroundModes: [.fetch, .processing], permittedIdentifiers: [identifier, "night"])

    /// A host with its time, which keeps all effects.
    private struct Stage {
        var host: RefreshHost
        var now = RefreshHost.Moment(ScheduleTime(boot: 1000, wall: RefreshStage.monday))
        private(set) var effects: [RefreshHost.Effect] = []

        /// A host in the background that has declared everything.
        init(
            _ stage: RefreshHost.Stage = .running, isWatched: Bool = false,
            lingering: Double? = nil
        ) {
            var environment = RefreshEnvironment(
                now: { ScheduleTime(boot: 0, wall: 0) }, alarm: { _ in NoAlarm() }, seed: 1)
            if isWatched {
                environment.watchMachine = { _ in {} }
                environment.watchLogin = { _ in {} }
            }
            host = RefreshHost(environment, stage: stage, lingering: lingering)
            send(.report(.host(.background, capabilities)))
            send(.report(.handlers([identifier, "night"])))
            effects = []
        }

        @discardableResult
        mutating func send(_ input: RefreshHost.Input) -> [RefreshHost.Effect] {
            let new = host.handle(input, at: now)
            effects += new
            return new
        }

        @discardableResult
        mutating func submit(
            _ identifier: String = identifier, kind: RefreshKind = .refresh
        ) -> [RefreshHost.Effect] {
            send(.scheduler(.submit(RefreshRequest(identifier, kind: kind))))
        }

        mutating func pass(_ seconds: Double) {
            now.time.boot += seconds
            now.time.wall += seconds
        }

        /// The tasks that were launched.
        var launches: [RefreshTask] {
            effects.compactMap { if case .scheduler(.launch(let task)) = $0 { task } else { nil } }
        }
    }

    private final class NoAlarm: Alarm {
        func set(boot: Double?, wall: Double?) {}
        func stop() {}
    }

    @Test func `A host handles nothing before it has restored the last records`() throws {
        var last = Stage()
        last.send(.report(.availability(.denied)))
        last.send(.scheduler(.setInterval(.minimum)))
        var stage = Stage(.restoring)

        #expect(stage.submit() == [])
        #expect(stage.send(.timePassed) == [])
        #expect(stage.host.nextDue(at: stage.now) == .never)
        stage.send(.restored(last.host.scheduler.memory))

        #expect(stage.host.stage == .running)
        #expect(stage.host.scheduler.interval == .minimum)
        #expect(stage.host.scheduler.conditions.availability == .denied)
        #expect(stage.host.scheduler.conditions.capabilities == Self.capabilities)
        #expect(stage.host.scheduler.requests.isEmpty)
    }

    @Test func `A host keeps a launch together with its request, before it begins`() throws {
        var stage = Stage()

        let effects = stage.submit()

        guard case .keep(let changes, _)? = effects.first else {
            Issue.record("\(effects)")
            return
        }
        let task = try #require(stage.launches.first)
        #expect(changes.contains(.noRequest(Self.identifier)))
        #expect(changes.contains(.run(task.run)))
        let records = effects.dropFirst().filter { effect in
            switch effect {
            case .keep, .scheduler(.keep): true
            case .scheduler, .rest, .decided, .watch, .endWatch: false
            }
        }
        #expect(records.isEmpty)
    }

    @Test func `A launch that could not be kept has failed, and its request is pending again`()
        throws
    {
        var stage = Stage()
        let record = try #require(stage.submit().first?.record)
        let task = try #require(stage.launches.first)

        let effects = stage.send(.notKept([task]))

        #expect(stage.host.scheduler.tasks.isEmpty)
        #expect(stage.host.scheduler.requests.map(\.identifier) == [Self.identifier])
        #expect(stage.host.scheduler.runs.last?.result == .failed)
        #expect(stage.launches.count == 1)
        #expect(effects.first?.record == record + 1)
    }

    @Test func `Nothing runs before the application has launched`() {
        var stage = Stage(.launching)
        stage.submit()
        #expect(stage.launches.isEmpty)

        stage.send(.launched(handlers: ["night"]))
        #expect(stage.launches.isEmpty)
        stage.send(.report(.handlers([Self.identifier])))

        #expect(stage.launches.map(\.identifier) == [Self.identifier])
    }

    // MARK: The machine

    @Test func `Watches begin once something is wanted, and all of them are awaited`() {
        var stage = Stage(isWatched: true)
        #expect(stage.send(.timePassed) == [])

        #expect(stage.submit().last == .watch)
        #expect(!stage.submit().contains(.watch))
        stage.send(.report(.machine(MachineState())))
        #expect(stage.launches.isEmpty)
        stage.send(.report(.login(.unknown)))

        #expect(stage.launches.count == 1)
    }

    @Test func `A program that reports the machine itself replaces the watches`() {
        var stage = Stage(isWatched: true)
        stage.submit()

        let effects = stage.send(
            .report(.program(MachineState(), isIdle: nil, isPlaying: false, load: 3)))

        #expect(effects.contains(.endWatch))
        #expect(stage.launches.count == 1)
        var offline = MachineState()
        offline.network.connectivity = .none
        #expect(stage.send(.report(.machine(offline))) == [])
        #expect(stage.host.conditions.machine == MachineState())
        #expect(stage.host.scheduler.conditions.load == 3)
    }

    @Test func `A login report says whether the machine sleeps, and a machine report does not`() {
        var stage = Stage(isWatched: true)

        stage.send(.report(.login(LoginState(session: nil, isSleeping: true))))
        stage.send(.report(.machine(MachineState())))
        #expect(stage.host.conditions.machine.isSleeping)
        stage.send(.report(.login(LoginState(session: nil, isSleeping: false))))

        #expect(!stage.host.conditions.machine.isSleeping)
    }

    @Test func `The load is looked at again while processors that are busy hold a task up`() {
        var stage = Stage()
        stage.submit("night", kind: .processing)
        stage.now.load = 2
        stage.send(.timePassed)
        stage.pass(20)
        stage.send(.timePassed)
        #expect(stage.launches.isEmpty)

        #expect(stage.host.nextDue(at: stage.now).boot == stage.now.time.boot + 60)
        stage.pass(60)
        stage.now.load = 0.1
        stage.send(.timePassed)

        #expect(stage.launches.map(\.identifier) == ["night"])
    }

    // MARK: Rest

    @Test func `An application rests once a run has lingered and its code has returned`() throws {
        var stage = Stage(lingering: 0.05)
        stage.submit()
        let number = try #require(stage.launches.first).number
        stage.send(.scheduler(.completed(number, RefreshCompletion(.done))))

        stage.pass(1)
        #expect(!stage.send(.timePassed).contains(.rest(number)))
        #expect(stage.send(.returned(number)) == [.rest(number)])
        stage.pass(1)

        #expect(!stage.send(.timePassed).contains(.rest(number)))
    }

    @Test func `A run whose code has returned lingers for its time`() throws {
        var stage = Stage(lingering: 0.05)
        stage.submit()
        let number = try #require(stage.launches.first).number
        stage.send(.returned(number))
        stage.send(.scheduler(.completed(number, RefreshCompletion(.done))))

        #expect(stage.host.nextDue(at: stage.now).boot == 1000.05)
        #expect(!stage.send(.timePassed).contains(.rest(number)))
        stage.pass(0.06)

        #expect(stage.send(.timePassed).contains(.rest(number)))
    }

    @Test func `An application waits only for what is about to begin`() {
        var stage = Stage(isWatched: true)
        stage.send(.awaitDecision)
        #expect(!stage.host.isAwaited)

        stage.submit()
        stage.send(.awaitDecision)
        #expect(stage.host.isAwaited)
        stage.send(.report(.machine(MachineState())))
        #expect(!stage.effects.contains(.decided))
        stage.send(.report(.login(.unknown)))

        #expect(stage.launches.count == 1)
        #expect(stage.effects.last == .decided)
        #expect(!stage.host.isAwaited)
    }
}

extension RefreshHost.Effect {
    /// The number of the record that it keeps.
    fileprivate var record: Int? {
        if case .keep(_, let record) = self { record } else { nil }
    }
}
