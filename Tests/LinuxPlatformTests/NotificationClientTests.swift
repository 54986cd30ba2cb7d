import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongLinuxPlatform

/// A client of a notification server on a bus of its own.
private final class NotificationStage: Sendable {
    private struct State {
        var events: [NotifierEvent] = []
        /// The problems by the identifiers of notifications; "" for none.
        var results: [String: String] = [:]
        var servers: [Result<NotificationServer, NotifierProblem>] = []
    }

    let mock: MockProgram
    let client: NotificationClient
    private let state = Mutex(State())

    init(clock: any HostClock = SystemClock(), _ commands: String...) throws {
        mock = try MockProgram("mock-notifications")
        for command in commands { try mock.send(command) }
        client = NotificationClient(
            bus: BusService(.at(mock.address), clock: SystemClock()), clock: clock)
        client.begin { [weak self] event in
            self?.state.withLock { $0.events.append(event) }
        }
    }

    var events: [NotifierEvent] { state.withLock(\.events) }
    var servers: [Result<NotificationServer, NotifierProblem>] { state.withLock(\.servers) }

    func result(_ identifier: String) -> String? { state.withLock { $0.results[identifier] } }

    static func key(_ identifier: String) -> NotificationKey {
        NotificationKey(owner: "net.example.app", identifier: identifier)
    }

    func show(_ content: UserNotification) {
        let notification = DesktopNotification(
            Self.key(content.identifier), application: "App", content)
        client.show(notification) { [weak self] problem in
            self?.state.withLock { $0.results[content.identifier] = problem?.reason ?? "" }
        }
    }

    /// Shows a notification, and returns when the server has it or it has failed.
    func showNow(_ identifier: String) throws {
        show(UserNotification(identifier, title: "T"))
        try waitUntil { result(identifier) != nil }
    }

    func find() {
        client.findServer { [weak self] server in
            self?.state.withLock { $0.servers.append(server) }
        }
    }

    /// The next line of the server's that begins with this word.
    func line(_ word: String) throws -> String {
        while true {
            let line = try mock.lines.next()
            if line.hasPrefix(word) { return line }
        }
    }
}

@Suite(.blockingThreads, .serialized, .timeLimit(.minutes(2)))
struct `A client of notification servers` {
    @Test func `A server's name, version and capabilities are found`() throws {
        let stage = try NotificationStage("start actions body")
        stage.find()
        try waitUntil { !stage.servers.isEmpty }
        stage.client.end()

        let server = NotificationServer(name: "mock 1.0", capabilities: ["actions", "body"])
        #expect(stage.servers == [.success(server)])
    }

    @Test func `A notification has its text escaped and its buttons where the server has them`()
        throws
    {
        let stage = try NotificationStage("start")
        var content = UserNotification(
            "a", title: "A <b>\u{0}title\nin two", subtitle: "Tom & Jerry", body: "<i>1</i>\n2",
            hasSound: true)
        content.actions = [UserNotification.Action("later", title: "Later")]
        stage.show(content)
        let line = try stage.line("notify")
        try waitUntil { stage.result("a") != nil }
        stage.client.end()

        #expect(
            line == "notify [\"App\", 0, \"A <b>title in two\", "
                + "\"Tom &amp; Jerry\\n&lt;i&gt;1&lt;/i&gt;\\n2\", "
                + "[\"default\", \"Open\", \"action:later\", \"Later\"], true, "
                + "\"net.undersong.undersong\"]")
        #expect(stage.result("a") == "")
    }

    @Test(.rule("NB6"))
    func `A server without a body, markup and buttons gets all in the title`() throws {
        let stage = try NotificationStage("start none")
        var content = UserNotification("a", title: "T", subtitle: "S", body: "B & C")
        content.actions = [UserNotification.Action("later", title: "Later")]
        stage.show(content)
        let line = try stage.line("notify")
        stage.client.end()

        #expect(
            line == "notify [\"App\", 0, \"T: S: B & C\", \"\", [], false, "
                + "\"net.undersong.undersong\"]")
    }

    @Test func `A text of a server without markup is not escaped, and a long one is cut`() throws {
        let stage = try NotificationStage("start body")
        stage.show(
            UserNotification("a", title: "T", body: "<&>" + String(repeating: "x", count: 9000)))
        let line = try stage.line("notify")
        stage.client.end()

        #expect(line.contains("\"<&>xxx"))
        #expect(line.contains("x…\""))
        #expect(line.utf8.count < 4200)
    }

    @Test func `A notification replaces the one with its identifier`() throws {
        let stage = try NotificationStage("start")
        for identifier in ["a", "b", "a"] {
            try stage.showNow(identifier)
            stage.forget(identifier)
        }
        let old = try (1...3).map { _ in try stage.line("notify") }
        stage.client.end()

        #expect(old.map { $0.hasPrefix("notify [\"App\", 0,") } == [true, true, false])
        #expect(old[2].hasPrefix("notify [\"App\", 1,"))
    }

    @Test func `A click, a button and a dismissal are reported, and a click has its token`() throws
    {
        let stage = try NotificationStage("start")
        for identifier in ["a", "b", "c", "d"] { try stage.showNow(identifier) }
        try stage.mock.send("click 1 default token")
        try stage.mock.send("click 2 action:later")
        try stage.mock.send("click 2 other")
        try stage.mock.send("click 77")
        try stage.mock.send("close 3 2")
        try stage.mock.send("close 4 1")
        try waitUntil { stage.events.count == 4 }
        stage.client.end()

        #expect(
            stage.events == [
                .answered(NotificationStage.key("a"), action: nil, token: "token"),
                .answered(NotificationStage.key("b"), action: "later", token: nil),
                .closed(NotificationStage.key("c"), isDismissed: true),
                .closed(NotificationStage.key("d"), isDismissed: false),
            ])
    }

    @Test func `A click that another program reports is none`() throws {
        let stage = try NotificationStage("start")
        try stage.showNow("a")
        try stage.mock.send("forge 1 all")
        // One of these is the client's connection.
        for number in 0...9 { try stage.mock.send("forge 1 :1.\(number)") }
        try stage.mock.send("close 1 2")
        try waitUntil { !stage.events.isEmpty }
        stage.client.end()

        #expect(stage.events == [.closed(NotificationStage.key("a"), isDismissed: true)])
    }

    @Test func `A notification is closed, also one whose call is not answered yet`() throws {
        let stage = try NotificationStage("start")
        try stage.showNow("a")
        stage.client.close(NotificationStage.key("a"))
        let first = try stage.line("close")
        try stage.mock.send("hang")
        stage.show(UserNotification("b", title: "T"))
        _ = try stage.line("notify")
        stage.client.close(NotificationStage.key("b"))
        try stage.mock.send("wake")
        let second = try stage.line("close")
        stage.client.end()

        #expect(first == "close 1")
        #expect(second == "close 2")
    }

    // MARK: Servers that do not do what they should

    @Test(.rule("NB6"))
    func `Without a server a notification fails at once, and the next one finds one`() throws {
        let stage = try NotificationStage()
        try stage.showNow("a")
        let problem = stage.result("a")
        try stage.mock.send("start")
        try stage.showNow("b")
        stage.client.end()

        #expect(problem == "no notification server is running")
        #expect(stage.result("b") == "")
    }

    @Test(.rule("NB8"))
    func `Without a bus the first search fails after a moment, and later ones at once`() throws {
        let clock = ManualClock()
        let client = NotificationClient(
            bus: BusService(.at("unix:path=/nowhere/bus"), clock: SystemClock()), clock: clock)
        let problems = Mutex<[NotifierProblem]>([])
        func find() {
            client.findServer { result in
                if case .failure(let problem) = result { problems.withLock { $0.append(problem) } }
            }
        }
        find()
        clock.advance(by: NotificationClient.searchPatience - 0.01)
        let early = problems.withLock(\.self)
        clock.advance(by: 0.02)
        let late = problems.withLock(\.self)
        find()
        let later = problems.withLock(\.self)
        // Any number of them leaves room for a notification.
        for _ in 1...100 { find() }
        let reason = Mutex<String?>(nil)
        client.show(
            DesktopNotification(
                NotificationStage.key("a"), application: "App", UserNotification("a", title: "T"))
        ) { problem in reason.withLock { $0 = problem?.reason } }
        clock.advance(by: NotificationClient.patience + 1)
        client.end()

        let problem = NotifierProblem("there is no session bus")
        #expect(reason.withLock(\.self) == problem.reason)
        #expect(early == [])
        #expect(late == [problem])
        #expect(later == [problem, problem])
    }

    @Test(.rule("NB6"))
    func `A server that hangs is given up, and what it shows later is closed`() throws {
        let clock = ManualClock()
        let stage = try NotificationStage(clock: clock, "start")
        try stage.showNow("a")
        try stage.mock.send("hang")
        stage.show(UserNotification("b", title: "T"))
        for _ in 1...2 { _ = try stage.line("notify") }
        clock.advance(by: NotificationClient.patience + 1)
        let problem = stage.result("b")
        try stage.mock.send("wake")
        let closed = try stage.line("close")
        try stage.showNow("c")
        stage.client.end()

        #expect(problem == "the notification server does not answer")
        #expect(closed == "close 2")
        #expect(stage.result("c") == "")
    }

    @Test func `A server that hangs from the start is asked again`() throws {
        let clock = ManualClock()
        let stage = try NotificationStage(clock: clock, "hang", "start")
        stage.find()
        try waitUntil { clock.dueTimes.count == 1 }
        // Connected, it waits for the server rather than for the bus.
        while stage.servers.isEmpty || stage.servers.last == Self.noBus {
            clock.advance(by: NotificationClient.patience + 1)
            if stage.servers.last == Self.noBus { stage.find() }
        }
        let given = stage.servers.last
        try stage.mock.send("wake")
        try stage.showNow("a")
        stage.client.end()

        #expect(
            given == .failure(NotifierProblem("the notification server does not answer")))
        #expect(stage.result("a") == "")
    }

    @Test(.rule("NB8"))
    func `A server that has not answered is reported at once, until it answers`() throws {
        let clock = ManualClock()
        let stage = try NotificationStage(clock: clock, "hang", "start")
        stage.show(UserNotification("a", title: "T"))
        while stage.result("a") != "the notification server does not answer" {
            clock.advance(by: NotificationClient.patience + 1)
            if stage.result("a") == "there is no session bus" {
                stage.forget("a")
                stage.show(UserNotification("a", title: "T"))
            }
        }
        stage.find()
        let atOnce = stage.servers
        try stage.mock.send("wake")
        while (try? stage.servers.last?.get()) == nil { stage.find() }
        stage.client.end()

        #expect(
            atOnce == [.failure(NotifierProblem("the notification server does not answer"))])
    }

    private static let noBus = Result<NotificationServer, NotifierProblem>.failure(
        NotifierProblem("there is no session bus"))

    @Test(.rule("NB6"))
    func `A server that ends has lost all, and one that returns is used`() throws {
        let stage = try NotificationStage("start")
        try stage.showNow("a")
        try stage.mock.send("hang")
        stage.show(UserNotification("b", title: "T"))
        for _ in 1...2 { _ = try stage.line("notify") }
        try stage.mock.send("stop")
        try waitUntil { stage.result("b") != nil && !stage.events.isEmpty }
        try stage.mock.send("wake")
        try stage.mock.send("start body")
        try stage.showNow("c")
        let line = try stage.line("notify")
        stage.client.end()

        #expect(stage.result("b") == "the notification server has ended")
        #expect(stage.events == [.lost])
        #expect(line.hasPrefix("notify [\"App\", 0, \"T\", \"\", [],"))
    }

    @Test func `More notifications than a server takes are refused`() throws {
        let clock = ManualClock()
        let stage = try NotificationStage(clock: clock, "start")
        try stage.showNow("a")
        try stage.mock.send("hang")
        for number in 1...65 { stage.show(UserNotification("n\(number)", title: "T")) }
        let problem = stage.result("n65")
        stage.client.end()

        #expect(problem == "too many notifications wait for the notification server")
        #expect(stage.result("n64") == "the service is ending")
    }

    // MARK: The badge

    @Test(.rule("NB7"))
    func `The badge is shown to docks, also to one that starts later`() throws {
        let stage = try NotificationStage()
        stage.client.setBadge(3)
        let first = try stage.line("badge")
        try stage.mock.send("dock")
        let again = try stage.line("badge")
        stage.client.setBadge(0)
        let none = try stage.line("badge")
        stage.client.end()

        let uri = "application://net.undersong.undersong.desktop"
        #expect(first == "badge \(uri) 3 True")
        #expect(again == "badge \(uri) 3 True")
        #expect(none == "badge \(uri) 0 False")
    }
}

extension NotificationStage {
    /// Waits for the result of a notification again.
    func forget(_ identifier: String) {
        state.withLock { $0.results[identifier] = nil }
    }
}
