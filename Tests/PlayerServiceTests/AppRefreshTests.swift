import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongPlayback

@testable import UndersongService

/// A program that registers for background tasks. Its process is a child that waits for ever, or one
/// that the service has launched.
private final class Worker: PlayerClient {
    private struct State {
        var launches: [RefreshRun] = []
        var times: [Double] = []
        var ends: [RefreshRun] = []
    }

    let id = ClientID()
    let name: String? = "worker"
    let process: Int32?
    private let child: Child?
    private let state = Mutex(State())

    init() throws {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        let child = try Child("/bin/sleep", ["infinity"], [:], [null, null, null])
        (self.child, process) = (child, child.process)
    }

    /// A program with a process of somebody else, or with none.
    init(process: Int32?) { (child, self.process) = (nil, process) }

    deinit { child?.end() }

    var launches: [RefreshRun] { state.withLock(\.launches) }
    var times: [Double] { state.withLock(\.times) }
    var ends: [RefreshRun] { state.withLock(\.ends) }

    func send(_ signal: Int32) { child?.send(signal) }

    func runEnded(_ run: Int, _ end: SessionEnd) {}
    func taskIsExpiring(_ task: Int, timeRemaining: Double) {}
    func taskWasTerminated(_ task: Int) {}

    func refreshIsLaunched(_ run: RefreshRun, timeRemaining: Double) {
        state.withLock { state in
            state.launches.append(run)
            state.times.append(timeRemaining)
        }
    }

    func refreshHasEnded(_ run: RefreshRun) { state.withLock { $0.ends.append(run) } }
}

@Suite(.timeLimit(.minutes(2))) struct `The background tasks of an app` {
    private static let identifier = "net.example.app"
    private static let task = "net.example.refresh"

    private let clock = ManualClock()
    private let desk: Desk
    private var service: PlayerService { desk.service }

    init() throws { desk = try Desk(clock: clock) }

    /// The file that a launched app writes: its process and the value of `UNDERSONG_LAUNCH`.
    private var launched: URL { desk.folder.appending(path: "launched") }

    private func app(
        _ identifier: String = identifier,
        _ command: String = "echo $$ $UNDERSONG_LAUNCH > new; mv new launched; exec sleep infinity"
    ) -> App {
        App(
            identifier: identifier, name: "App", command: ["/bin/sh", "-c", command],
            folder: desk.folder.path, modes: [.fetch], permitted: [Self.task])
    }

    @discardableResult
    private func connect(
        _ worker: Worker, _ app: App, to service: PlayerService,
        _ state: ApplicationState = .background, launch: String? = nil
    ) async throws -> ConnectApp.Reply {
        await service.connect(worker)
        return try await service.connectApp(
            ConnectApp(app, state: state, source: "terminal", launch: launch), of: worker.id)
    }

    /// Submits a request of an app that has registered, and ends the app.
    private func submitAndEnd(_ app: App, after seconds: Double) async throws {
        let worker = try Worker()
        try await connect(worker, app, to: service)
        try await service.registerRefresh(Self.task, worker.id)
        try await service.submit(
            RefreshRequest(
                Self.task, earliestBeginDate: clock.secondsSinceEpoch + seconds),
            by: worker.id)
        worker.send(SIGKILL)
        await service.disconnect(worker.id)
        while await state(of: app) != .notRunning { await Task.yield() }
    }

    private func state(of app: App) async -> AppState? {
        await service.appList.apps.first { $0.app.identifier == app.identifier }?.state.known
    }

    private func kept(_ app: String = identifier) async -> [RefreshScheduler.Change] {
        await desk.store.records(RefreshScheduler.Change.self, in: "refresh:" + app).map(\.value)
    }

    // MARK: Launches

    @Test func `A task of an app that does not run launches it, and it runs the task`()
        async throws
    {
        try await submitAndEnd(app(), after: 60)
        let file = launched

        clock.advance(by: 61)
        try await eventually { FileManager.default.fileExists(atPath: file.path) }
        let words = try String(contentsOf: file, encoding: .utf8)
            .split(whereSeparator: \.isWhitespace)
        let process = try #require(words.first.flatMap { Int32($0) })
        defer { kill(process, SIGKILL) }
        let worker = Worker(process: process)
        let reply = try await connect(
            worker, app(), to: service, launch: words.last.map(String.init))
        clock.advance(by: 4)
        try await service.registerRefresh(Self.task, worker.id)
        let run = try #require(worker.launches.first)
        try await service.completeRefresh(
            run.number, RefreshCompletion(.newData, new: 1), by: worker.id)
        let status = await service.refreshStatus(limit: 10, for: worker.id)

        #expect(reply.reasons == [.task(Self.task)])
        #expect(run.identifier == Self.task && run.cause == .schedule)
        #expect(worker.times.count == 1 && worker.times.allSatisfy { (25...26.01).contains($0) })
        #expect(worker.ends.map(\.result) == [.newData])
        #expect(status.runs.map(\.number) == [run.number])
        #expect(status.runs.first?.processorTime != nil)
        #expect(status.badge == 1)
        let own = await service.refreshStatus(limit: 10)
        #expect(own.badge == 0 && own.runs.isEmpty)
    }

    @Test func `A task of an app that ends before it has registered has failed`() async throws {
        let app = app(Self.identifier, "exit 3")
        try await submitAndEnd(app, after: 60)

        clock.advance(by: 61)
        while await run(of: app)?.result == nil { await Task.yield() }

        #expect(await run(of: app)?.result == .failed)
    }

    private func run(of app: App) async -> RefreshRun? {
        let runs = await kept(app.identifier).compactMap { change in
            if case .run(let run) = change { run } else { nil }
        }
        return runs.last
    }

    @Test func `Nothing launches an app that the user has closed`() async throws {
        try await submitAndEnd(app(), after: 60)
        _ = try await service.change(Self.identifier, .closed(Self.identifier), to: "end")

        clock.advance(by: 61)
        while await !obstacles.contains(.closed) { await Task.yield() }

        #expect(await service.refreshStatus(limit: 1).apps.map(\.app) == [Self.identifier])
        #expect(await run(of: app()) == nil)
        #expect(!FileManager.default.fileExists(atPath: launched.path))
    }

    private var obstacles: [RefreshObstacle.Name] {
        get async {
            await service.refreshStatus(limit: 1).apps.flatMap(\.obstacles)
                .compactMap(\.reason.known)
        }
    }

    // MARK: Several apps

    @Test(.rule("F8")) func `What is due in one app wakes the others, and numbers are unique`()
        async throws
    {
        let (first, second) = (try Worker(), try Worker())
        try await connect(first, app("net.example.one"), to: service)
        try await connect(second, app("net.example.two"), to: service)
        for worker in [first, second] {
            try await service.registerRefresh(Self.task, worker.id)
        }
        try await service.submit(RefreshRequest(Self.task), by: first.id)
        let run = try #require(first.launches.first)
        try await service.completeRefresh(run.number, RefreshCompletion(.noData), by: first.id)
        try await service.submit(RefreshRequest(Self.task), by: first.id)
        clock.advance(by: 1000)
        #expect(first.launches.count == 1)

        try await service.submit(RefreshRequest(Self.task), by: second.id)

        try await eventually { first.launches.count >= 2 }
        #expect(second.launches.count == 1)
        #expect(first.launches.last?.beganBoot == second.launches.last?.beganBoot)
        #expect(Set((first.launches + second.launches).map(\.number)).count == 3)
        let foreign = await #expect(throws: ServiceError.self) {
            try await service.completeRefresh(
                second.launches[0].number, RefreshCompletion(.done), by: first.id)
        }
        #expect(foreign?.code == .notFound)
    }

    @Test func `What an app has asked for is known to the next service, and to the app`()
        async throws
    {
        try await submitAndEnd(app(), after: 1_000_000)
        let setter = try Worker()
        try await connect(setter, app(), to: service)
        await service.setFetchInterval(.seconds(7200), by: setter.id)
        setter.send(SIGKILL)
        desk.kill()

        let later = try Desk(clock: clock, continuing: desk)
        let worker = try Worker()
        let reply = try await connect(worker, app(), to: later.service)
        let status = await later.service.refreshStatus(limit: 1, for: worker.id)
        let app = await later.service.appList.apps.first

        #expect(reply.requests.map(\.identifier) == [Self.task])
        #expect(reply.interval == .seconds(7200))
        #expect(Set(status.pending.map(\.identifier)) == [Self.task, "fetch"])
        #expect(status.pending.allSatisfy { $0.app == Self.identifier })
        #expect(app?.next != nil)
        #expect(await later.service.refreshStatus(limit: 1).pending.isEmpty)
    }

    @Test func `The requests and records of an app that is removed are forgotten`() async throws {
        try await submitAndEnd(app(), after: 1_000_000)
        let before = await kept()

        try await service.removeApp(Self.identifier)

        #expect(!before.isEmpty)
        #expect(await kept().isEmpty)
        #expect(await service.refreshStatus(limit: 1).apps.isEmpty)
    }

    // MARK: Clients that are stopped

    @Test func `A client that is stopped is passed over, and what only it handles is put off`()
        async throws
    {
        _ = try await service.declare(.fetch, isDeclared: true)
        _ = try await service.permit(Self.task, isPermitted: true)
        let (first, stopped) = (try Worker(), try Worker())
        for worker in [first, stopped] {
            await service.connect(worker)
            try await service.registerRefresh(Self.task, worker.id)
        }
        stopped.send(SIGSTOP)
        try await eventually {
            stopped.process.flatMap { ProcessCondition(of: $0)?.activity } == .stopped
        }

        try await service.submit(RefreshRequest(Self.task), by: first.id)
        let run = try #require(first.launches.first)
        try await service.completeRefresh(run.number, RefreshCompletion(.done), by: first.id)
        await service.disconnect(first.id)
        clock.advance(by: 1000)
        try await service.submit(
            RefreshRequest(
                Self.task, earliestBeginDate: clock.secondsSinceEpoch + 20_000), by: stopped.id)
        clock.advance(by: 20_001)
        while await !ownObstacles.contains(.stopped) { await Task.yield() }
        let runs = await service.refreshStatus(limit: 10).runs
        stopped.send(SIGCONT)
        try await eventually {
            stopped.process.flatMap { ProcessCondition(of: $0)?.activity } == .running
        }
        clock.advance(by: 301)
        try await eventually { !stopped.launches.isEmpty }

        #expect(runs.map(\.number) == [run.number])
        #expect(stopped.launches.count == 1)
    }

    private var ownObstacles: [RefreshObstacle.Name] {
        get async {
            await service.refreshStatus(limit: 1).pending.flatMap(\.obstacles)
                .compactMap(\.reason.known)
        }
    }

    // MARK: The host, and what a run costs

    @Test(.rule("F19")) func `A run lists the processor time that its client's process has spent`()
        async throws
    {
        _ = try await service.declare(.fetch, isDeclared: true)
        _ = try await service.permit(Self.task, isPermitted: true)
        let worker = Worker(process: getpid())
        await service.connect(worker)
        try await service.registerRefresh(Self.task, worker.id)
        let number = try await service.runRefresh(
            Self.task, .refresh, .command, for: worker.id)

        let (start, spent) = (ProcessorTime.own, 0.2)
        var sum = 0.0
        while ProcessorTime.own < start + spent { sum += sin(sum + 1) }
        try await service.completeRefresh(number, RefreshCompletion(.done), by: worker.id)

        let time = try #require(await service.refreshStatus(limit: 1).runs.first?.processorTime)
        #expect(sum.isFinite)
        // Its parts are counted in hundredths of a second.
        #expect(time >= spent - 0.05)
        #expect(time < 100)
    }

    @Test(.rule("K1")) func `A simulated fetch takes a host in front to the background meanwhile`()
        async throws
    {
        let identifier = RefreshFeature.fetchIdentifier
        _ = try await service.permit(identifier, isPermitted: true)
        let worker = Worker(process: nil)
        await service.connect(worker)
        await service.attach(worker.id, state: .active, source: "terminal")
        try await service.registerRefresh(identifier, worker.id)
        let before = await service.hostState.status

        let number = try await service.runRefresh(nil, .refresh, .simulate, for: worker.id)
        let during = await service.hostState.status
        try await service.completeRefresh(
            number, RefreshCompletion(.newData, new: 2), by: worker.id)
        while await service.hostState.status != before { await Task.yield() }

        #expect(before == HostStatus(state: .active, source: "terminal"))
        #expect(during == HostStatus(state: .background, source: "simulated fetch"))
        #expect(worker.launches.map(\.number) == [number])
        // The host was not opened again.
        #expect(await service.refreshStatus(limit: 1).badge == 2)

        let command = try await service.runRefresh(nil, .refresh, .command, for: worker.id)
        #expect(await service.hostState.status == before)
        try await service.completeRefresh(command, RefreshCompletion(.noData), by: worker.id)
    }
}
