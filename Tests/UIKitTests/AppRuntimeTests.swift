import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongAppHost
import UndersongBackground
import UndersongBase
import UndersongControl

@testable import UndersongUIKit

/// An application under a runtime, whose service is a mock.
@MainActor final class AppBench {
    final class Log: Sendable {
        private let text = Mutex<[String]>([])

        var lines: [String] { text.withLock(\.self) }
        func add(_ line: String) { text.withLock { $0.append(line) } }
    }

    @MainActor final class Delegate: UIResponder, UIApplicationDelegate {
        let log: Log
        var onLaunch: () -> Void = {}
        var onBackground: () -> Void = {}
        var answersPushes = true
        /// The handlers of pushes that are not answered.
        var held: [@Sendable (UIBackgroundFetchResult) -> Void] = []

        init(_ log: Log) { self.log = log }

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            let options = (launchOptions ?? [:]).keys.map(\.rawValue).sorted()
            log.add("launched \(application.applicationState) \(options.joined(separator: " "))")
            onLaunch()
            return true
        }

        func applicationDidBecomeActive(_ application: UIApplication) { log.add("active") }
        func applicationDidEnterBackground(_ application: UIApplication) {
            log.add("background")
            onBackground()
        }
        func applicationWillTerminate(_ application: UIApplication) { log.add("terminates") }

        func application(
            _ application: UIApplication,
            didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
        ) { log.add("token \(deviceToken.count)") }

        func application(
            _ application: UIApplication,
            didReceiveRemoteNotification userInfo: [AnyHashable: Any],
            fetchCompletionHandler completionHandler:
                @escaping @Sendable (UIBackgroundFetchResult) -> Void
        ) {
            log.add("push \(application.applicationState)")
            if answersPushes { completionHandler(.newData) } else { held.append(completionHandler) }
        }

        func application(
            _ application: UIApplication,
            handleEventsForBackgroundURLSession identifier: String,
            completionHandler: @escaping @Sendable () -> Void
        ) {
            log.add("events \(identifier)")
            completionHandler()
        }
    }

    let service: MockService
    let clock = ManualClock()
    let board = HostStateBroadcaster()
    let log = Log()
    let application: UIApplication
    let delegate: Delegate
    private let runtime: AppRuntime

    nonisolated static let app = App(
        identifier: "org.example.app", name: "Example", command: ["/usr/bin/example"],
        folder: "/", modes: [.remoteNotification, .audio])

    init(_ reply: ConnectApp.Reply) throws {
        service = try MockService(reply)
        application = UIApplication(
            center: NotificationCenter(), clock: clock, board: board,
            refresh: RefreshCenter(board: board))
        application.host.declare(AppBench.app.capabilities)
        delegate = Delegate(log)
        application.delegate = delegate
        let log = log
        application.host.onBackgroundTaskMessage { log.add("(\($0))") }
        runtime = AppRuntime(
            application,
            AppRuntime.Surroundings(
                Self.app, launch: "token", location: service.location,
                undersong: "/usr/bin/undersong"),
            terminal: JobTerminal(isWanted: false), leave: { log.add("leaves with \($0)") })
    }

    func start() { runtime.start() }

    func end() { runtime.end() }

    /// Waits until the service has got `line`, while the main queue runs.
    func waitForService(_ line: String) async throws {
        try await waitUntil("the service gets '\(line)' after \(service.lines)") {
            service.lines.contains(line)
        }
    }

    func waitForLog(_ line: String) async throws {
        try await waitUntil("'\(line)' comes after \(log.lines)") { log.lines.contains(line) }
    }

    func waitUntil(
        _ what: @autoclosure () -> String, _ condition: () -> Bool
    ) async throws {
        let deadline = SystemClock().now + Int64(patience * 1e9)
        while !condition() {
            guard SystemClock().now < deadline else { throw Overdue(what()) }
            await withCheckedContinuation { continuation in
                DispatchQueue.main.asyncAfter(deadline: .now() + 0.005) { continuation.resume() }
            }
        }
    }
}

private let silent = "{\"aps\":{\"content-available\":1}}"

private func push(_ number: Int) throws -> PushReceived {
    PushReceived(
        Push(
            number: number, identifier: "id", topic: AppBench.app.identifier,
            payload: try PushPayload(Array(silent.utf8))))
}

@MainActor @Suite struct `An application under a runtime` {
    @Test func `It launches into the state that the service says, and reports its needs`()
        async throws
    {
        let bench = try AppBench(ConnectApp.Reply(state: .active))
        defer { bench.end() }

        bench.start()

        #expect(bench.log.lines == ["launched inactive ", "active"])
        #expect(bench.service.app == AppBench.app)
        try await bench.waitForService("needs 0: ")
        #expect(bench.service.lines.first == "connect org.example.app active none")
        #expect(
            AppLaunch.command(for: .transfers("org.example.session")) == [
                "/usr/bin/undersong", "app", "wake", "org.example.app", "--events",
                "org.example.session",
            ])
        #expect(AppLaunch.command(for: .location)?.last == "--location")
        #expect(AppLaunch.command(for: .user) == nil)
    }

    @Test func `It is launched into the background for what the service names`() async throws {
        let reply = ConnectApp.Reply(
            state: .background, reasons: [.location, .transfers("s"), .push("org.example.app")])
        let bench = try AppBench(reply)
        defer { bench.end() }
        bench.service.setPush(try push(7))
        let application = bench.application
        bench.delegate.onLaunch = { application.registerForRemoteNotifications() }

        bench.start()

        #expect(
            bench.log.lines == [
                "launched background UIApplicationLaunchOptionsLocationKey "
                    + "UIApplicationLaunchOptionsRemoteNotificationKey",
                "events s", "push background",
            ])
        try await bench.waitForService("push.answer 7 newData")
        try await bench.waitForLog("token 32")
    }

    @Test func `What it needs in the background is reported when it has taken its steps there`()
        async throws
    {
        let bench = try AppBench(ConnectApp.Reply(state: .active, budget: 20, warning: 4))
        defer { bench.end() }
        let application = bench.application
        var task = UIBackgroundTaskIdentifier.invalid
        bench.delegate.onBackground = {
            task = application.beginBackgroundTask(withName: "save")
        }
        bench.start()

        bench.service.notify(AppStateChanged(.background))
        try await bench.waitForService("needs 0: save")
        #expect(application.backgroundTimeRemaining == 20)
        bench.clock.advance(by: 5)
        #expect(application.backgroundTimeRemaining == 15)
        application.endBackgroundTask(task)
        bench.board.setSound(isPlaying: true)
        try await bench.waitForService("needs 0: audio")
        #expect(application.backgroundTimeRemaining == .greatestFiniteMagnitude)
        bench.board.setSound(isPlaying: false)
        bench.board.setLocations(areReceived: true)
        try await bench.waitForService("needs 0: location")
    }

    @Test func `A wake is acknowledged when what it brings has begun`() async throws {
        let bench = try AppBench(ConnectApp.Reply(state: .background))
        defer { bench.end() }
        bench.start()
        #expect(bench.application.backgroundTimeRemaining == 0)
        let reasons = Mutex<[AppReason]>([])
        let finish = Mutex<(@Sendable () -> Void)?>(nil)
        bench.board.readWakes { reason, done in
            reasons.withLock { $0.append(reason) }
            finish.withLock { $0 = done }
        }

        bench.service.notify(AppWoken(wake: 3, reason: .location))

        try await bench.waitForService("needs 3: wake")
        #expect(bench.application.backgroundTimeRemaining == 30)
        #expect(reasons.withLock(\.self) == [.location])
        #expect(!bench.service.lines.contains("needs 3: "))
        finish.withLock(\.self)?()
        try await bench.waitForService("needs 3: ")
        #expect(bench.application.backgroundTimeRemaining == 0)
    }

    @Test func `Handlers whose time has passed while it was stopped come first on a wake`()
        async throws
    {
        let bench = try AppBench(ConnectApp.Reply(state: .background, reasons: []))
        defer { bench.end() }
        let log = bench.log
        let application = bench.application
        bench.delegate.onLaunch = {
            _ = application.beginBackgroundTask(withName: "save") { log.add("expires") }
        }
        bench.start()
        // No timer rings in a process that is stopped.
        bench.clock.cancel()
        bench.clock.advance(by: 60)
        #expect(application.backgroundTimeRemaining == 0)

        bench.service.notify(AppWoken(wake: 1, reason: .transfers("s")))

        try await bench.waitForLog("events s")
        #expect(log.lines == ["launched background ", "expires", "events s"])
    }

    @Test func `A push that comes again while it is handled is not handled twice`() async throws {
        let bench = try AppBench(ConnectApp.Reply(state: .background))
        defer { bench.end() }
        let application = bench.application
        bench.delegate.onLaunch = { application.registerForRemoteNotifications() }
        bench.start()
        try await bench.waitForService("push.register org.example.app")

        bench.delegate.answersPushes = false
        bench.service.notify(try push(1))
        bench.service.notify(try push(1))
        try await bench.waitForLog("push background")
        try await bench.waitForService("needs 0: remote notification")
        bench.delegate.answersPushes = true
        bench.service.notify(try push(2))
        try await bench.waitForService("push.answer 2 newData")
        for handler in bench.delegate.held { handler(.noData) }

        try await bench.waitForService("push.answer 1 noData")
        #expect(bench.log.lines.count { $0 == "push background" } == 2)
    }

    @Test(.rule("UN6")) func `The badge is the service's, and set there`() async throws {
        let bench = try AppBench(ConnectApp.Reply(state: .active))
        defer { bench.end() }
        bench.start()
        bench.service.badges = [AppBench.app.identifier: 2, "org.example.other": 9]
        #expect(bench.application.applicationIconBadgeNumber == 2)

        bench.application.applicationIconBadgeNumber = 4
        #expect(bench.application.applicationIconBadgeNumber == 4)
        try await bench.waitForService("badge 4")
        bench.application.applicationIconBadgeNumber = -1
        try await bench.waitForService("badge 0")
        #expect(bench.service.badges[AppBench.app.identifier] == 0)
    }

    @Test(.rule("UN6")) func `A badge that a service was too far away for is set when it is back`()
        async throws
    {
        let bench = try AppBench(ConnectApp.Reply(state: .active))
        defer { bench.end() }
        bench.start()
        bench.service.kill()
        try await bench.waitForLog("(the service has gone away; this program waits for it)")

        bench.application.applicationIconBadgeNumber = 3
        #expect(bench.application.applicationIconBadgeNumber == 3)
        try await bench.waitUntil("the badge is reported after \(bench.log.lines)") {
            bench.log.lines.contains { $0.hasPrefix("(the badge is not set: ") }
        }
        try bench.service.begin()

        try await bench.waitForService("badge 3")
    }

    @Test(.rule("UN6")) func `A badge that the service refuses is not the badge`() async throws {
        let bench = try AppBench(ConnectApp.Reply(state: .active))
        defer { bench.end() }
        bench.start()
        bench.service.refuseNotifications(ControlError(.notPossible, "It is forbidden"))

        bench.application.applicationIconBadgeNumber = 3

        try await bench.waitForLog("(the badge is not set: It is forbidden)")
        #expect(bench.application.applicationIconBadgeNumber == 0)
    }

    @Test(.rule("UN5")) func `It runs in the background until an answer of the user is handled`()
        async throws
    {
        let bench = try AppBench(ConnectApp.Reply(state: .background))
        defer { bench.end() }
        let finish = Mutex<(@Sendable () -> Void)?>(nil)
        let log = bench.log
        bench.application.notifications.read(
            NotificationLink.Reader(
                connected: { _ in },
                answered: { answer, done in
                    log.add("answer \(answer.identifier)")
                    finish.withLock { $0 = done }
                }))
        bench.start()

        bench.service.notify(NotificationAnswered("a"))

        try await bench.waitForLog("answer a")
        try await bench.waitForService("needs 0: notification")
        let count = bench.service.lines.count
        finish.withLock(\.self)?()
        try await bench.waitUntil("it may be suspended") {
            bench.service.lines.dropFirst(count).contains("needs 0: ")
        }
    }

    @Test func `The user closes it`() async throws {
        let bench = try AppBench(ConnectApp.Reply(state: .active))
        defer { bench.end() }
        bench.start()

        bench.service.notify(AppTerminating(timeRemaining: 5))

        try await bench.waitForLog("leaves with 0")
        #expect(bench.log.lines.suffix(2) == ["terminates", "leaves with 0"])
    }

    @Test func `Without a service it follows its terminal, and says so once`() async throws {
        let bench = try AppBench(ConnectApp.Reply(state: .background))
        bench.service.kill()
        let application = bench.application
        bench.delegate.onLaunch = { application.registerForRemoteNotifications() }

        bench.start()

        #expect(bench.log.lines.prefix(2) == ["launched inactive ", "active"])
        #expect(bench.log.lines.count { $0.hasPrefix("(there is no service: ") } == 1)
        #expect(!application.isRegisteredForRemoteNotifications)
    }

    @Test(.rule("AP6")) func `A service that was killed knows it again, its state and its needs`()
        async throws
    {
        let bench = try AppBench(ConnectApp.Reply(state: .background))
        defer { bench.end() }
        let application = bench.application
        bench.delegate.onLaunch = {
            application.registerForRemoteNotifications()
            _ = application.beginBackgroundTask(withName: "save")
        }
        bench.start()
        try await bench.waitForLog("token 32")

        bench.service.kill()
        try await bench.waitForLog("(the service has gone away; this program waits for it)")
        // What it had sent may have arrived only after the token.
        let count = bench.service.lines.count
        try bench.service.begin()

        try await bench.waitUntil("it registers again") {
            bench.service.lines.dropFirst(count).contains("push.register org.example.app")
        }
        let later = bench.service.lines.dropFirst(count)
        #expect(later.first == "connect org.example.app background none")
        #expect(later.contains("needs 0: save"))
    }
}

@MainActor @Suite struct `The entrance of a program` {
    class Template: UIResponder, UIApplicationDelegate {
        var window: String? = "none"
    }

    class OwnInitializer: UIResponder, UIApplicationDelegate {
        let number: Int

        override init() {
            number = 7
            super.init()
        }
    }

    class Plain: NSObject, UIApplicationDelegate {
        let list = [1, 2, 3]
    }

    @Test func `It makes the delegate by the initializer of its class`() {
        #expect((Entrance.make(Template.self) as? Template)?.window == "none")
        #expect((Entrance.make(OwnInitializer.self) as? OwnInitializer)?.number == 7)
        #expect((Entrance.make(Plain.self) as? Plain)?.list == [1, 2, 3])
    }
}

@MainActor @Suite struct `The scene phase` {
    private let application = UIApplication(center: NotificationCenter(), clock: ManualClock())

    @Test func `It is ordered as SwiftUI's`() {
        #expect(ScenePhase.allCases.sorted() == [.background, .inactive, .active])
    }

    @Test func `A sequence has the current phase and all that follow`() async {
        application.host.launch(into: .background)
        var phases = application.scenePhases.makeAsyncIterator()

        application.host.enter(.active)
        application.host.enter(.background)

        var seen: [ScenePhase] = []
        for _ in 0..<5 {
            if let phase = await phases.next() { seen.append(phase) }
        }
        #expect(seen == [.background, .inactive, .active, .inactive, .background])
        #expect(application.scenePhase == .background)
    }
}
