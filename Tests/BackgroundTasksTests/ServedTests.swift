import BackgroundTasks
import Synchronization
import TestSupport
import Testing
import UIKit
import UndersongAppHost
import UndersongBackground
import UndersongBase
import UndersongControl

/// An application whose background tasks a mock of the service schedules.
@MainActor @Suite struct `Background tasks that the service schedules` {
    private let stage = Stage()
    private let service: MockService
    private let connection: AppConnection

    init() throws {
        service = try MockService(
            ConnectApp.Reply(
                state: .background, interval: .minimum,
                requests: [RefreshRequest(Stage.refresh)]))
        let app = App(
            identifier: "org.example.app", name: "Example", command: ["/usr/bin/example"],
            folder: "/", modes: [.fetch, .processing], permitted: [Stage.refresh])
        connection = AppConnection(
            app, in: .background, source: "none", launch: nil,
            refresh: stage.time.centers[0], to: service.location, clock: SystemClock())
    }

    private var center: RefreshCenter { stage.time.centers[0] }

    private func begin() throws {
        center.serve(by: connection)
        let center = center
        try connection.begin { news, number in
            switch news {
            case .refreshLaunch(let launch): center.begin(launch.run, by: number)
            case .refreshExpiring(let task): center.expire(task.task, by: number)
            case .refreshEnded(let end): center.end(end.run, by: number)
            default: break
            }
        }
    }

    private func run(_ number: Int, _ identifier: String = Stage.refresh) -> RefreshLaunch {
        let isFetch = identifier == RefreshScheduler.fetchIdentifier
        return RefreshLaunch(
            RefreshRun(
                number: number, identifier: identifier, kind: isFetch ? .fetch : .refresh,
                cause: .schedule, began: 0, beganBoot: 0), timeRemaining: 30)
    }

    /// Waits until the service has got `line`, while the main queue runs.
    private func wait(for line: String) async throws {
        try await wait("the service gets '\(line)'") { service.lines.contains(line) }
    }

    private func wait(_ what: String, _ condition: () -> Bool) async throws {
        let deadline = SystemClock().now + Int64(patience * 1e9)
        while !condition() {
            guard SystemClock().now < deadline else {
                throw Overdue("\(what) after \(service.lines), \(stage.log.lines)")
            }
            await stage.time.settle()
        }
    }

    @Test func `It learns the handlers at the launch, and begins what it has kept`() async throws {
        try begin()
        defer { connection.end() }
        let log = stage.log
        stage.register { task in
            log.add("refresh")
            task.setTaskCompleted(success: true)
        }
        stage.application.host.launch(into: .background)

        // Nothing begins by itself, although all of it is due.
        await stage.time.advance(by: 30 * 86400)
        #expect(stage.log.lines == ["launched background", "suspended"])
        #expect(await stage.pending() == [Stage.refresh])
        try await wait(for: "register \(Stage.refresh)")
        try await wait(for: "register fetch")

        service.notify(run(41))
        try await wait(for: "complete 41 done")
        #expect(stage.log.lines.contains("refresh"))
        #expect(await stage.pending() == [])

        service.notify(run(42, RefreshScheduler.fetchIdentifier))
        try await wait(for: "complete 42 newData")
        #expect(stage.log.lines.contains("fetch background"))
    }

    @Test func `It gets what is accepted here, and what it refuses is not pending`() async throws {
        try begin()
        defer { connection.end() }
        stage.application.host.launch(into: .active)

        try stage.submit()
        stage.scheduler.cancel(taskRequestWithIdentifier: Stage.refresh)
        stage.application.setMinimumBackgroundFetchInterval(3600)
        #expect(throws: (any Error).self) { try stage.submit("org.example.other") }

        let changes = service.lines.filter { !$0.hasPrefix("register") }
        #expect(
            changes.dropFirst() == [
                "submit \(Stage.refresh)", "cancel \(Stage.refresh)", "interval 3600.0",
            ])

        service.refuse(ControlError(.notPossible, "cannot submit: It is off"))
        #expect(throws: (any Error).self) { try stage.submit() }
        #expect(await stage.pending() == [])
    }

    @Test func `What it has not confirmed is repeated to the next service`() async throws {
        try begin()
        defer { connection.end() }
        stage.register { _ in }
        stage.application.host.launch(into: .active)
        try await wait(for: "register fetch")
        try await wait(for: "register \(Stage.refresh)")
        service.kill()
        try await wait("the connection ends") { !connection.isOpen }
        service.setReply(ConnectApp.Reply(state: .active))

        try stage.submit()
        #expect(!service.lines.contains("submit \(Stage.refresh)"))
        try service.begin()

        try await wait(for: "submit \(Stage.refresh)")
        try await wait("it has registered twice") {
            service.lines.count { $0 == "register \(Stage.refresh)" } == 2
        }
        await stage.time.settle()
        #expect(await stage.pending() == [Stage.refresh])
    }

    @Test func `A run expires when it says so`() async throws {
        try begin()
        defer { connection.end() }
        let log = stage.log
        let tasks = Mutex<[BGTask]>([])
        stage.register { task in
            task.expirationHandler = {
                log.add("expires")
                task.setTaskCompleted(success: false)
            }
            log.add("refresh")
            tasks.withLock { $0.append(task) }
        }
        stage.application.host.launch(into: .background)
        service.notify(run(5))
        try await wait("the task begins") { log.lines.contains("refresh") }

        service.notify(RefreshExpiring(task: 5, timeRemaining: 5))

        try await wait(for: "complete 5 failed")
        #expect(log.lines.contains("expires"))
    }

    @Test func `A launch that nobody handles fails`() async throws {
        try begin()
        defer { connection.end() }
        stage.application.host.launch(into: .background)

        service.notify(run(9, "org.example.unknown"))

        try await wait(for: "complete 9 failed")
    }
}
