import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongPlayback

@testable import UndersongService

/// A client whose process is a child of the test's own, which waits for ever.
private final class Program: PlayerClient {
    private struct State {
        var pushes: [PushReceived] = []
        var wakes: [AppWoken] = []
    }

    let id = ClientID()
    let name: String? = "program"
    private let child: Child
    private let state = Mutex(State())

    init() throws {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        child = try Child("/bin/sleep", ["infinity"], [:], [null, null, null])
    }

    deinit { child.end() }

    var process: Int32? { child.process }
    var exitStatus: Int32? { child.status }
    var activity: ProcessCondition.Activity? { ProcessCondition(of: child.process)?.activity }
    var pushes: [PushReceived] { state.withLock(\.pushes) }
    var wakes: [AppWoken] { state.withLock(\.wakes) }

    func send(_ signal: Int32) { child.send(signal) }

    func runEnded(_ run: Int, _ end: SessionEnd) {}
    func taskIsExpiring(_ task: Int, timeRemaining: Double) {}
    func taskWasTerminated(_ task: Int) {}
    func receive(_ push: PushReceived) { state.withLock { $0.pushes.append(push) } }
    func appIsWoken(_ wake: AppWoken) { state.withLock { $0.wakes.append(wake) } }
}

@Suite(.timeLimit(.minutes(2))) struct `The apps of a service` {
    private static let identifier = "net.example.app"

    /// The events of apps.
    private final class Events: Sendable {
        private let events = Mutex<[AppEvent]>([])

        init(_ service: PlayerService) {
            service.observe { [weak self] event in
                guard case .app(let change) = event.kind else { return }
                self?.events.withLock { $0.append(change) }
            }
        }

        var all: [AppEvent] { events.withLock(\.self) }
        var phases: [AppEvent.Phase] { all.compactMap(\.phase.known) }
        var ends: [AppEnd] { all.compactMap(\.end) }
    }

    private let desk: Desk
    private let events: Events

    init() throws {
        desk = try Desk()
        events = Events(desk.service)
    }

    private func app(_ command: [String] = ["/bin/sleep", "infinity"]) -> App {
        App(identifier: Self.identifier, name: "App", command: command, folder: desk.folder.path)
    }

    private func status(_ service: PlayerService) async -> AppStatus? {
        await service.appList.apps.first { $0.app.identifier == Self.identifier }
    }

    /// Connects a program as the app, and puts it into the background with these needs.
    private func connect(
        _ program: Program, to service: PlayerService, needs: AppNeeds = AppNeeds()
    ) async throws {
        await service.connect(program)
        _ = try await service.connectApp(
            ConnectApp(app(), state: .active, source: "terminal"), of: program.id)
        await service.app(of: program.id, needs: needs)
        await service.app(of: program.id, entered: .background, source: "terminal")
    }

    private func suspensions(_ desk: Desk) async -> [AppSupervisor.Change] {
        await desk.store.records(AppSupervisor.Change.self, in: "apps").map(\.value).filter {
            if case .suspended = $0 { true } else { false }
        }
    }

    // MARK: Registering

    @Test func `An app that was installed is known to the next service`() async throws {
        let installed = try await desk.service.install(app())

        desk.kill()
        let later = try Desk(continuing: desk)

        #expect(installed.app == app())
        #expect(await later.service.appList.apps.map(\.app) == [app()])
        #expect(await status(later.service)?.state == .known(.notRunning))
    }

    @Test func `An app that the disk does not accept is not installed`() async throws {
        desk.kill()

        let error = await #expect(throws: ServiceError.self) {
            try await desk.service.install(app())
        }

        #expect(error?.code == .notPossible)
        #expect(error?.description.hasPrefix("cannot install net.example.app: ") == true)
        #expect(await desk.service.appList.apps.isEmpty)
    }

    @Test(arguments: [
        ("", "/bin/sh", "/", "An identifier has 1 to 200 of the characters"),
        ("a/b", "/bin/sh", "/", "An identifier has 1 to 200 of the characters"),
        ("..", "/bin/sh", "/", "An identifier has 1 to 200 of the characters"),
        (String(repeating: "a", count: 201), "/bin/sh", "/", "An identifier has 1 to 200"),
        ("a", "sh", "/", "The program is not an absolute path"),
        ("a", "/bin/sh", "tmp", "The working folder is not an absolute path"),
        ("a", "/nowhere/sh", "/", "/nowhere/sh: No such file or directory"),
        ("a", "/etc/passwd", "/", "/etc/passwd: Permission denied"),
        ("a", "/bin", "/", "/bin is a folder"),
        ("a", "/bin/sh", "/nowhere", "/nowhere: No such file or directory"),
        ("a", "/bin/sh", "/bin/sh", "/bin/sh is not a folder"),
        ("a", "/bin/s\u{0}", "/", "A word of the command has a null character"),
    ])
    func `An app that cannot be started is not installed`(
        identifier: String, program: String, folder: String, reason: String
    ) async throws {
        let app = App(identifier: identifier, name: "A", command: [program], folder: folder)

        let error = await #expect(throws: ServiceError.self) {
            try await desk.service.install(app)
        }

        #expect(error?.code == .invalidValue)
        #expect(error?.description.hasPrefix("cannot install \(identifier): \(reason)") == true)
        #expect(await desk.service.appList.apps.isEmpty)
    }

    @Test func `An app with the longest identifier is installed`() async throws {
        var app = app()
        app.identifier = "A-z_0." + String(repeating: "9", count: 194)

        let status = try await desk.service.install(app)

        #expect(status.app.identifier.utf8.count == 200)
    }

    @Test func `A program that connects becomes an app, in the state of its terminal`() async throws
    {
        let program = try Program()
        await desk.service.connect(program)

        let reply = try await desk.service.connectApp(
            ConnectApp(app(), state: .inactive, source: "terminal"), of: program.id)

        let status = try #require(await status(desk.service))
        #expect(reply.state == .inactive)
        #expect(reply.reasons == [])
        #expect(reply.budget == 30 && reply.warning == 5)
        #expect(status.state == .known(.inactive))
        #expect(status.process == program.process)
    }

    @Test(.rule("AP19"))
    func `The command of an installed app is its user's, also for the next service`() async throws {
        var installed = app(["/bin/sleep", "1"])
        _ = try await desk.service.install(installed)
        try await connect(Program(), to: desk.service)
        let first = await status(desk.service)?.app
        desk.kill()
        let later = try Desk(continuing: desk)
        var own = app()
        own.modes = [.fetch]
        let program = try Program()
        await later.service.connect(program)

        _ = try await later.service.connectApp(
            ConnectApp(own, state: .active, source: "terminal"), of: program.id)

        #expect(first == installed)
        installed.modes = [.fetch]
        #expect(await status(later.service)?.app == installed)
    }

    @Test func `A client without a process cannot become an app`() async throws {
        let listener = Listener()
        await desk.service.connect(listener)

        let error = await #expect(throws: ServiceError.self) {
            try await desk.service.connectApp(
                ConnectApp(app(), state: .active, source: "none"), of: listener.id)
        }

        #expect(
            error?.description == "cannot connect net.example.app: Its process is not known")
        #expect(await desk.service.appList.apps.isEmpty)
    }

    @Test func `An app that was removed is forgotten with its log`() async throws {
        _ = try await desk.service.install(app())
        let log = try await desk.service.appLog(of: Self.identifier)
        let hadLog = FileManager.default.fileExists(atPath: log)

        try await desk.service.removeApp(Self.identifier)

        #expect(hadLog)
        #expect(!FileManager.default.fileExists(atPath: log))
        #expect(await desk.service.appList.apps.isEmpty)
        #expect(await desk.store.records(AppSupervisor.Change.self, in: "apps").isEmpty)
        for attempt in [
            { try await desk.service.removeApp(Self.identifier) },
            { _ = try await desk.service.wakeApp(Self.identifier, for: .location) },
            { _ = try await desk.service.appLog(of: Self.identifier) },
            { _ = try await desk.service.change(Self.identifier, .opened(""), to: "open") },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: ServiceError.self) { try await attempt() }
            #expect(error?.code == .notFound)
        }
    }

    @Test func `An app whose program is gone is listed with that problem`() async throws {
        let path = desk.folder.path + "/program"
        try makeExecutable("#!/bin/sh\n", at: path)
        let installed = try await desk.service.install(app([path]))
        try FileManager.default.removeItem(atPath: path)

        let status = await status(desk.service)

        #expect(installed.problem == nil)
        #expect(status?.problem == "\(path): No such file or directory")
    }

    // MARK: Launching

    @Test func `An app is opened in its folder, and its output and its life are logged`()
        async throws
    {
        _ = try await desk.service.install(
            app(["/bin/sh", "-c", "pwd; [ -n \"$UNDERSONG_LAUNCH\" ] && echo token; exit 3"]))
        let log = try await desk.service.appLog(of: Self.identifier)

        _ = try await desk.service.change(Self.identifier, .opened(Self.identifier), to: "open")
        try await eventually { !events.ends.isEmpty }

        #expect(events.ends.map(\.status) == [3])
        var text = ""
        try await eventually {
            text = try String(contentsOfFile: log, encoding: .utf8)
            return text.contains("ended")
        }
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.contains { $0.hasSuffix(desk.folder.lastPathComponent) })
        #expect(lines.contains("token"))
        #expect(lines.filter { $0.contains(" undersong") }.count >= 3)
        let line = #/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d undersong( \[\d+\])?: .+/#
        #expect(
            lines.filter { $0.contains(" undersong") }.allSatisfy { $0.wholeMatch(of: line) != nil }
        )
    }

    @Test(.rule("AP13")) func `An app whose program is gone is not started, for that reason`()
        async throws
    {
        let path = desk.folder.path + "/program"
        try makeExecutable("#!/bin/sh\n", at: path)
        _ = try await desk.service.install(app([path]))
        try FileManager.default.removeItem(atPath: path)

        _ = try await desk.service.change(Self.identifier, .opened(Self.identifier), to: "open")

        try await eventually { !events.ends.isEmpty }
        #expect(events.ends.map(\.cause) == [.known(.notStarted)])
        #expect(events.ends.first?.reason == "\(path): No such file or directory")
    }

    @Test func `A long log is put aside at a launch`() async throws {
        _ = try await desk.service.install(app(["/bin/false"]))
        let log = try await desk.service.appLog(of: Self.identifier)
        try Data(count: AppLogs.limit).write(to: URL(filePath: log))

        _ = try await desk.service.change(Self.identifier, .opened(Self.identifier), to: "open")

        try await eventually { !events.ends.isEmpty }
        let sizes = try [log, log + ".1"].map {
            try #require(FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int)
        }
        #expect(sizes[0] < 1000)
        #expect(sizes[1] >= AppLogs.limit)
    }

    @Test(.rule("PU17")) func `A push launches an app that has registered once and does not run`()
        async throws
    {
        let mark = desk.folder.path + "/mark"
        var app = app(["/usr/bin/touch", mark])
        app.modes = [.remoteNotification]
        let program = try Program()
        await desk.service.connect(program)
        _ = try await desk.service.connectApp(
            ConnectApp(app, state: .active, source: "terminal"), of: program.id)
        await desk.service.registerForPushes(nil, client: program.id)
        program.send(SIGKILL)
        await desk.service.disconnect(program.id)

        let receipt = try await desk.service.send(
            SendPush("{\"aps\":{\"content-available\":1}}", topic: Self.identifier))

        #expect(receipt.reason == .known(.noProgram))
        try await eventually { FileManager.default.fileExists(atPath: mark) }
    }

    // MARK: Programs that job control has stopped

    @Test(.rule("AP1"))
    func `A program that job control has stopped runs for its task, and stops after it`()
        async throws
    {
        let program = try Program()
        await desk.service.connect(program)
        await desk.service.attach(program.id, state: .active, source: "test")
        let task = try #require(await desk.service.beginTask("upload", of: program.id))

        await desk.service.programWillStop(program.id)
        program.send(SIGSTOP)
        try await eventually { events.phases == [.woken] && program.activity == .running }
        await desk.service.programDidContinue(program.id)
        await desk.service.endTask(task, of: program.id)

        try await eventually { events.phases == [.woken, .suspended] }
        #expect(program.activity == .stopped)
    }

    @Test(.rule("AP3", "PU16"))
    func `A push for a program that somebody has stopped waits until that continues`()
        async throws
    {
        _ = try await desk.service.declare(.remoteNotification, isDeclared: true)
        let program = try Program()
        await desk.service.connect(program)
        await desk.service.registerForPushes(nil, client: program.id)
        program.send(SIGSTOP)
        try await eventually { program.activity == .stopped }

        let receipt = try await desk.service.send(SendPush("{\"aps\":{\"content-available\":1}}"))
        let (activity, pushes) = (program.activity, program.pushes)
        program.send(SIGCONT)
        try await eventually { program.activity == .running }
        await desk.service.programDidContinue(program.id)

        #expect(receipt.reason == .known(.programStopped))
        #expect(activity == .stopped)
        #expect(pushes.isEmpty)
        try await eventually { program.pushes.map(\.push) == [receipt.push] }
        #expect(program.pushes.map(\.attempt) == [1])
    }

    // MARK: Suspension

    @Test(.rule("AP5", "AP7"))
    func `An app without needs is suspended in the background, woken, and suspended again`()
        async throws
    {
        let program = try Program()
        try await connect(program, to: desk.service)
        try await eventually { program.activity == .stopped }
        let suspended = await status(desk.service)?.state
        let kept = await suspensions(desk).count

        let woken = try await desk.service.wakeApp(Self.identifier, for: .location)
        try await eventually { program.activity == .running && !program.wakes.isEmpty }
        var needs = AppNeeds()
        needs.wake = try #require(program.wakes.last?.wake)
        await desk.service.programDidContinue(program.id)
        await desk.service.app(of: program.id, needs: needs)

        try await eventually { program.activity == .stopped }
        #expect(suspended == .known(.suspended))
        #expect(kept == 1)
        #expect(woken.state == .known(.background))
        #expect(program.wakes.map(\.wake) == [1])
        #expect(program.wakes.map(\.reason) == [.location])
    }

    @Test(.rule("AP6")) func `An app is suspended only if that is known on the disk`() async throws
    {
        let program = try Program()
        await desk.service.connect(program)
        _ = try await desk.service.connectApp(
            ConnectApp(app(), state: .active, source: "terminal"), of: program.id)
        desk.kill()

        await desk.service.app(of: program.id, needs: AppNeeds())
        await desk.service.app(of: program.id, entered: .background, source: "terminal")

        try await eventually { events.phases.contains(.problem) }
        #expect(program.activity == .running)
        #expect(await status(desk.service)?.state == .known(.background))
    }

    @Test(.rule("AP6")) func `An app that was suspended by a service that was killed runs again`()
        async throws
    {
        let program = try Program()
        try await connect(program, to: desk.service)
        try await eventually { program.activity == .stopped }

        desk.kill()
        let later = try Desk(continuing: desk)

        try await eventually { program.activity == .running }
        _ = await later.service.appList
        #expect(await suspensions(later).isEmpty)
    }

    @Test func `A service that ends leaves no app suspended`() async throws {
        let program = try Program()
        try await connect(program, to: desk.service)
        try await eventually { program.activity == .stopped }

        await desk.service.end()

        try await eventually { program.activity == .running }
        var kept = await suspensions(desk)
        while !kept.isEmpty {
            await Task.yield()
            kept = await suspensions(desk)
        }
    }

    @Test(.rule("AP8"))
    func `An app that needs more time than there is in the background is ended`() async throws {
        let clock = ManualClock()
        let desk = try Desk(clock: clock)
        let events = Events(desk.service)
        let program = try Program()
        var needs = AppNeeds()
        needs.tasks = ["upload"]
        try await connect(program, to: desk.service, needs: needs)

        clock.advance(by: 31.9)
        let before = (await status(desk.service)?.state, program.exitStatus)
        clock.advance(by: 0.2)

        try await eventually { program.exitStatus == 128 + SIGKILL }
        await desk.service.disconnect(program.id)
        try await eventually { !events.ends.isEmpty }
        #expect(before == (.known(.background), nil))
        #expect(events.ends.map(\.cause) == [.known(.overstayed)])
        #expect(await status(desk.service)?.lastEnd?.cause == .known(.overstayed))
    }
}
