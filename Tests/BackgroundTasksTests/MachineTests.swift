import BackgroundTasks
import Synchronization
import TestSupport
import Testing
import UIKit
import UndersongAppHost
import UndersongBackground

/// The machine's conditions, which the library watches by itself.
@MainActor @Suite struct `The machine's reports` {
    /// The watches that a center has begun, and what they report.
    private final class Machine: Sendable {
        private struct State {
            var machine: (@Sendable (MachineState) -> Void)?
            var login: (@Sendable (LoginState) -> Void)?
            var load: Double?
            var ends = 0
            var hasLogin = true
        }

        private let state = Mutex(State())

        var isWatched: Bool { state.withLock { $0.machine != nil && $0.login != nil } }
        var ends: Int { state.withLock(\.ends) }

        func report(_ change: (inout MachineState) -> Void = { _ in }) {
            var machine = MachineState()
            change(&machine)
            state.withLock(\.machine)?(machine)
        }

        func report(_ login: LoginState) { state.withLock(\.login)?(login) }

        /// The login manager takes its time to answer.
        func holdLogin() { state.withLock { $0.hasLogin = false } }

        func set(load: Double) { state.withLock { $0.load = load } }

        func environment(_ base: RefreshEnvironment) -> RefreshEnvironment {
            var environment = base
            let end = { @Sendable [self] in state.withLock { $0.ends += 1 } }
            environment.watchMachine = { [self] take in
                state.withLock { $0.machine = take }
                return end
            }
            environment.watchLogin = { [self] take in
                let hasLogin = state.withLock { state in
                    state.login = take
                    return state.hasLogin
                }
                if hasLogin { take(.unknown) }
                return end
            }
            environment.load = { [self] in state.withLock(\.load) }
            return environment
        }
    }

    private let time = ManualTime()
    private let machine = Machine()
    private let stage: Stage
    private let runs = Inbox<String>()

    init() {
        stage = Stage(
            identifiers: [Stage.refresh, "night"], time: time,
            environment: machine.environment(time.environment))
        let runs = runs
        for identifier in [Stage.refresh, "night"] {
            stage.register(identifier) { task in
                runs.put(task.identifier)
                task.setTaskCompleted(success: true)
            }
        }
        stage.application.host.launch(into: .background)
    }

    @Test func `The machine is watched from the first request on, and awaited before any run`()
        async throws
    {
        await time.advance(by: 10)
        #expect(!machine.isWatched)

        try stage.submit()
        await time.advance(by: 1000)
        #expect(machine.isWatched)
        #expect(runs.rest.isEmpty)

        machine.report { $0.network.connectivity = .none }
        await time.advance(by: 10)
        #expect(runs.rest.isEmpty)
        machine.report { $0.network.connectivity = .full }
        await time.advance(by: 10)
        #expect(runs.rest == [Stage.refresh])
    }

    @Test func `The machine forbids processing while its session is in use or its processors busy`()
        async throws
    {
        machine.set(load: 2)
        try stage.scheduler.submit(BGProcessingTaskRequest(identifier: "night"))
        await time.settle()
        machine.report()
        machine.report(
            LoginState(session: .init(isActive: true, isLocked: false, isIdle: false)))
        await time.advance(by: 3600)
        #expect(runs.rest.isEmpty)

        machine.report(LoginState(session: .init(isActive: true, isLocked: true, isIdle: true)))
        await time.advance(by: 3600)
        #expect(runs.rest.isEmpty)
        machine.set(load: 0.1)
        await time.advance(by: 120)

        #expect(runs.rest == ["night"])
    }

    @Test func `The machine forbids everything while it sleeps`() async throws {
        try stage.submit(after: 60)
        await time.settle()
        machine.report()
        machine.report(LoginState(session: nil, isSleeping: true))
        await time.advance(by: 3600)
        #expect(runs.rest.isEmpty)

        machine.report(LoginState(session: nil, isSleeping: false))
        await time.advance(by: 61)

        #expect(runs.rest == [Stage.refresh])
    }

    @Test func `The machine does not count once the program reports itself`() async throws {
        try stage.submit()
        await time.settle()
        machine.report { $0.power = PowerState(isOnBattery: true, charge: 5) }
        await time.advance(by: 10)
        #expect(runs.rest.isEmpty)

        stage.application.host.setMachineConditions(UIApplication.Host.MachineConditions())
        await time.advance(by: 10)

        #expect(runs.rest == [Stage.refresh])
        #expect(machine.ends == 2)
        try stage.submit()
        machine.report { $0.power = PowerState(isOnBattery: true, charge: 5) }
        await time.advance(by: 86400)
        #expect(runs.rest == [Stage.refresh, Stage.refresh])
    }

    // MARK: Launched into the background

    @Test func `The machine is awaited before an application launched for it is suspended`() async {
        let launched = launch { try $0.submit() }

        await time.advance(by: 5)
        #expect(launched.log.lines == ["launched background"])
        machine.report()
        await time.advance(by: 1)

        #expect(launched.log.lines == ["launched background", "run", "suspended"])
    }

    @Test func `A machine that is against what is due suspends an application again`() async {
        let launched = launch { try $0.submit() }
        await time.settle()

        machine.report { $0.network.connectivity = .none }
        await time.settle()

        #expect(launched.log.lines == ["launched background", "suspended"])
    }

    @Test func `The machine is not awaited for what is due later`() async {
        let launched = launch { try $0.submit(after: 3600) }
        await time.settle()

        #expect(launched.log.lines == ["launched background", "suspended"])
    }

    @Test
    func `An application is not suspended before the machine was idle long enough to process`()
        async
    {
        let launched = launch {
            try $0.scheduler.submit(BGProcessingTaskRequest(identifier: Stage.refresh))
        }
        await time.settle()
        machine.report()
        await time.advance(by: 5)
        #expect(launched.log.lines == ["launched background"])

        await time.advance(by: 10)

        #expect(launched.log.lines == ["launched background", "run", "suspended"])
    }

    @Test func `The machine is not known until the login manager has answered, too`() async {
        machine.holdLogin()
        let launched = launch {
            try $0.scheduler.submit(BGProcessingTaskRequest(identifier: Stage.refresh))
        }
        await time.settle()
        machine.report()
        await time.advance(by: 60)
        #expect(launched.log.lines == ["launched background"])

        machine.report(
            LoginState(session: .init(isActive: true, isLocked: false, isIdle: false)))
        await time.advance(by: 1)

        #expect(launched.log.lines == ["launched background", "suspended"])
    }

    /// An application that asks for something when it launches, into the background.
    private func launch(_ request: @escaping (Stage) throws -> Void) -> Stage {
        let launched = Stage(time: time, environment: machine.environment(time.environment))
        let log = launched.log
        launched.register { task in
            log.add("run")
            task.setTaskCompleted(success: true)
        }
        launched.delegate.onLaunch = { [unowned launched] in
            #expect(throws: Never.self) { try request(launched) }
        }
        launched.application.host.launch(into: .background)
        return launched
    }
}
