import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongPlayback
import UndersongPodcasts

@testable import UndersongService

/// A client whose process is a child of the test's own.
private final class Program: PlayerClient {
    let id = ClientID()
    let name: String? = "program"
    private let child: Child
    private let received = Mutex<[NotificationAnswered]>([])

    init() throws {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        child = try Child("/bin/sleep", ["infinity"], [:], [null, null, null])
    }

    deinit { child.end() }

    var process: Int32? { child.process }
    var answers: [NotificationAnswered] { received.withLock(\.self) }

    func runEnded(_ run: Int, _ end: SessionEnd) {}
    func taskIsExpiring(_ task: Int, timeRemaining: Double) {}
    func taskWasTerminated(_ task: Int) {}
    func notificationIsAnswered(_ answer: NotificationAnswered) {
        received.withLock { $0.append(answer) }
    }
}

@Suite(.timeLimit(.minutes(2))) struct `The notifications of a service` {
    private static let identifier = "net.example.app"
    private static let url = "http://a/feed"

    private let notifier = MockNotifier()
    private let desk: Desk

    init() throws { desk = try Desk(notifier: notifier) }

    private var service: PlayerService { desk.service }

    /// A program that is connected as the app.
    private func connectedApp() async throws -> Program {
        let program = try Program()
        await service.connect(program)
        let app = App(
            identifier: Self.identifier, name: "The App",
            command: ["/bin/sh", "-c", "echo launched >> launches"],
            folder: desk.folder.path)
        _ = try await service.connectApp(
            ConnectApp(app, state: .active, source: "terminal"), of: program.id)
        return program
    }

    private func push(_ payload: String, topic: String? = nil, id: String? = nil) async throws {
        _ = try await service.send(SendPush(payload, topic: topic, id: id))
    }

    // MARK: Settings and permissions

    @Test(.rule("NB1"))
    func `What is turned on or off, allowed or forbidden is known to the next service`()
        async throws
    {
        _ = try await connectedApp()
        try await service.setNotifications(.item, isOn: true)
        try await service.setNotifications(.episode, isOn: false)
        try await service.authorizeNotifications(of: Self.identifier, false)
        let before = await service.notificationStatus

        desk.kill()
        let later = try Desk(notifier: MockNotifier(), continuing: desk)
        let after = await later.service.notificationStatus

        let expected = NotificationStatus(
            server: "mock 1", capabilities: ["actions", "body"], kinds: [.push, .download, .item],
            apps: [Self.identifier: .denied])
        #expect(before == expected)
        #expect(after == expected)
    }

    @Test func `A change that the disk does not accept is not made`() async throws {
        let program = try await connectedApp()
        desk.kill()

        await #expect(throws: ServiceError.self) {
            try await service.setNotifications(.item, isOn: true)
        }
        await #expect(throws: ServiceError.self) {
            try await service.requestNotifications(of: program.id)
        }

        #expect(
            await service.notificationStatus.kinds.map(\.word) == ["episode", "push", "download"])
        #expect(await service.notificationStatus.apps == [:])
    }

    @Test(.rule("NB2"))
    func `An app has to ask, and a user who has forbidden it is not asked again`()
        async throws
    {
        let program = try await connectedApp()
        let first = try await service.notificationPermission(of: program.id)
        let asked = try await service.requestNotifications(of: program.id)
        try await service.setBadge(2, of: program.id)
        let later = try await service.notificationPermission(of: program.id)
        try await service.authorizeNotifications(of: Self.identifier, false)
        let again = try await service.requestNotifications(of: program.id)

        #expect(first == NotificationPermission(.notDetermined, badge: 0))
        #expect(asked == NotificationPermission(.authorized, badge: 0))
        #expect(later == NotificationPermission(.authorized, badge: 2))
        #expect(again == NotificationPermission(.denied, badge: 0))
    }

    @Test func `Nobody allows an app that is not there, and only apps notify`() async throws {
        let program = try Program()
        await service.connect(program)

        let unknown = await #expect(throws: ServiceError.self) {
            try await service.authorizeNotifications(of: "net.example.none", true)
        }
        let other = await #expect(throws: ServiceError.self) {
            try await service.add(UserNotification("a", title: "T"), of: program.id)
        }

        #expect(
            unknown?.description
                == "cannot allow notifications of net.example.none: There is no such app")
        #expect(other?.description == "cannot show the notification a: The program is not an app")
    }

    @Test func `Without a server it is known why nothing is shown`() async throws {
        let program = try await connectedApp()
        _ = try await service.requestNotifications(of: program.id)
        notifier.fail("no notification server is running")

        let status = await service.notificationStatus
        let error = await #expect(throws: ServiceError.self) {
            try await service.add(UserNotification("a", title: "T"), of: program.id)
        }

        #expect(status.server == nil)
        #expect(status.problem == "no notification server is running")
        #expect(
            error?.description
                == "cannot show the notification a: No notification server is running")
    }

    // MARK: Apps

    @Test func `An app's notification has its title, is listed, and is removed`() async throws {
        let program = try await connectedApp()
        let content = UserNotification("a", title: "T", body: "B")
        let early = await #expect(throws: ServiceError.self) {
            try await service.add(content, of: program.id)
        }
        _ = try await service.requestNotifications(of: program.id)

        try await service.add(content, of: program.id)
        let listed = try await service.notifications(of: program.id)
        try await service.removeNotifications(["a"], of: program.id)

        let key = NotificationKey(owner: Self.identifier, identifier: "a")
        #expect(
            early?.description == "cannot show the notification a: The user has not allowed it")
        #expect(notifier.shown == [DesktopNotification(key, application: "The App", content)])
        #expect(listed == [content])
        #expect(notifier.closed == [key])
        #expect(try await service.notifications(of: program.id) == [])
    }

    @Test(.rule("NB2"))
    func `An app's badge is kept, and gone with its permission`() async throws {
        let program = try await connectedApp()
        await #expect(throws: ServiceError.self) {
            try await service.setBadge(3, of: program.id)
        }
        _ = try await service.requestNotifications(of: program.id)
        try await service.setBadge(3, of: program.id)
        let set = await service.notificationStatus.badges

        desk.kill()
        let later = try Desk(notifier: MockNotifier(), continuing: desk)
        let kept = await later.service.notificationStatus.badges
        try await later.service.authorizeNotifications(of: Self.identifier, false)

        #expect(set == [Self.identifier: 3])
        #expect(kept == [Self.identifier: 3])
        #expect(await later.service.notificationStatus.badges == [:])
    }

    @Test func `An app that runs gets the answer of the user, and another program does not`()
        async throws
    {
        let program = try await connectedApp()
        let other = try Program()
        await service.connect(other)
        _ = try await service.requestNotifications(of: program.id)
        try await service.add(UserNotification("a", title: "T"), of: program.id)

        notifier.click(Self.identifier, action: "later")

        try await eventually { !program.answers.isEmpty }
        #expect(program.answers == [NotificationAnswered("a", action: "later")])
        #expect(other.answers == [])
    }

    @Test(.rule("NB5"))
    func `An app that does not run is launched, and has its answer once it is connected`()
        async throws
    {
        var program: Program? = try await connectedApp()
        _ = try await service.requestNotifications(of: try #require(program).id)
        try await service.add(UserNotification("a", title: "T"), of: try #require(program).id)
        await service.disconnect(try #require(program).id)
        program = nil
        let launches = desk.folder.appending(path: "launches").path

        notifier.click(Self.identifier, action: "later")
        try await eventually { FileManager.default.fileExists(atPath: launches) }
        let later = try await connectedApp()

        try await eventually { !later.answers.isEmpty }
        #expect(later.answers == [NotificationAnswered("a", action: "later")])
    }

    @Test(.rule("NB5"))
    func `A service stays while a click may have to reach an app`() async throws {
        let program = try await connectedApp()
        _ = try await service.requestNotifications(of: program.id)
        let before = await isNeeded
        try await service.add(UserNotification("a", title: "T"), of: program.id)
        let shown = await isNeeded
        let key = NotificationKey(owner: Self.identifier, identifier: "a")
        notifier.report(.closed(key, isDismissed: false))

        while await isNeeded { await Task.yield() }
        #expect(!before)
        #expect(shown)
    }

    private var isNeeded: Bool {
        get async { await service.isNeededForNotifications }
    }

    @Test func `An app that is removed has no permission left`() async throws {
        let program = try await connectedApp()
        _ = try await service.requestNotifications(of: program.id)
        try await service.setBadge(3, of: program.id)
        let kept = desk.folder.appending(path: "notifications")
        try FileManager.default.createDirectory(at: kept, withIntermediateDirectories: true)
        for name in [Self.identifier, Self.identifier + ".damaged", "net.example.other"] {
            try Data("kept".utf8).write(to: kept.appending(path: name))
        }

        try await service.removeApp(Self.identifier)

        let status = await service.notificationStatus
        #expect(status.apps == [:])
        #expect(status.badges == [:])
        #expect(
            await desk.store.records(NotificationBoard.Change.self, in: "notifications").isEmpty)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: kept.path) == ["net.example.other"])
    }

    // MARK: Pushes

    @Test(.rule("NB7"))
    func `An alert push to the service is shown once, and sets its badge`() async throws {
        let payload = #"{"aps":{"alert":{"title":"T","body":"B"},"badge":4}}"#
        try await push(payload, id: "x")
        try await push(payload, id: "x")
        try await push(#"{"aps":{"content-available":1}}"#)

        try await eventually { notifier.badges.last == 4 }
        while await service.status.badge != 4 { await Task.yield() }
        #expect(notifier.titles == ["T"])
        #expect(notifier.shown.first?.application == "Undersong")
        #expect(await service.notificationStatus.badges == [NotificationKey.service: 4])
    }

    @Test(.rule("NB7"))
    func `The badge is gone when the service is opened`() async throws {
        try await push(#"{"aps":{"badge":4}}"#)
        try await eventually { notifier.badges.last == 4 }
        let listener = Listener()

        await service.connect(listener)
        await service.attach(listener.id, state: .active, source: "test")

        try await eventually { notifier.badges.last == 0 }
        #expect(await service.status.badge == nil)
    }

    @Test(.rule("NB3"))
    func `An alert push to an app needs its permission, and is shown while it is not in front`()
        async throws
    {
        let program = try await connectedApp()
        let payload = #"{"aps":{"alert":"Hello","badge":2}}"#
        await service.app(of: program.id, entered: .background, source: "test")
        try await push(payload, topic: Self.identifier)
        let forbidden = notifier.titles
        _ = try await service.requestNotifications(of: program.id)
        try await push(payload, topic: Self.identifier)
        try await eventually { !notifier.shown.isEmpty }
        await service.app(of: program.id, entered: .active, source: "test")
        try await push(payload, topic: Self.identifier)
        let badges = await service.notificationStatus.badges

        #expect(forbidden == [])
        #expect(notifier.titles == ["The App"])
        #expect(notifier.shown.first?.content.body == "Hello")
        #expect(badges == [Self.identifier: 2])
    }

    @Test func `A topic that floods is collapsed`() async throws {
        for number in 1...25 {
            try await push(#"{"aps":{"alert":"Hello \#(number)"}}"#, topic: "news")
        }

        try await eventually { notifier.titles.count == 11 }
        #expect(notifier.titles.prefix(10).allSatisfy { $0 == "news" })
        #expect(notifier.titles.last == "1 more notification")
    }

    // MARK: Podcasts and items

    @Test(.rule("NB1"))
    func `A new episode is shown, and then its download, but not those of a new feed`()
        async throws
    {
        desk.network.answer(Self.url) { _ in FeedResponse("a", etag: "\"1\"") }
        let podcasts = try await desk.podcasts
        var policy = Feed.Policy()
        policy.auto = .none
        _ = try await podcasts.add(Self.url, policy)
        desk.network.answer(Self.url) { _ in FeedResponse("b", "a", etag: "\"2\"") }
        _ = try await podcasts.refresh(nil, .command, within: 60)
        try await eventually { !notifier.shown.isEmpty }
        let new = notifier.shown.map(\.content)

        // Its button downloads it.
        notifier.click(NotificationKey.service, action: "download")
        try await eventually { desk.network.orders.map(\.title) == ["b"] }
        try await eventually { desk.network.isFollowed }
        desk.network.end(1, .finished)

        try await eventually { notifier.shown.count == 2 }
        #expect(new.map(\.title) == ["The Podcast"])
        #expect(new.map(\.body) == ["b"])
        #expect(notifier.shown.map(\.content.title) == ["The Podcast", "b"])
        #expect(Set(notifier.shown.map(\.key)).count == 1)
    }

    @Test(.rule("NB1"))
    func `An item is shown only if that is asked for`() async throws {
        _ = try await service.declare(.audio, isDeclared: true)
        _ = try await service.play(
            Play(files: Files([Desk.song, Desk.song])), for: ClientID())
        while await service.status.status != .playing { await Task.yield() }
        let plain = notifier.titles
        _ = try await service.play(
            Play(files: Files([Desk.song, Desk.song]), notify: true), for: ClientID())

        try await eventually { !notifier.shown.isEmpty }
        #expect(plain == [])
        #expect(notifier.shown.first?.key.identifier == "item")
        #expect(notifier.shown.first?.content.actions.map(\.title) == ["Pause", "Next"])
    }

    @Test func `A button of an item's notification pauses it`() async throws {
        let notifier = MockNotifier()
        let desk = try Desk(notifier: notifier, notifiesItems: true)
        _ = try await desk.service.declare(.audio, isDeclared: true)
        _ = try await desk.service.play(Play(files: Files([Desk.song])), for: ClientID())
        try await eventually { !notifier.shown.isEmpty }

        notifier.click(NotificationKey.service, action: "pause")

        while await desk.service.status.wantsPlayback { await Task.yield() }
    }

    @Test func `A service that ends has its notifier end`() async {
        _ = await service.notificationStatus

        await service.end()

        #expect(notifier.hasEnded)
    }

    @Test(.rule("NB8")) func `A service that shows nothing makes no notifier until it has to`()
        async throws
    {
        let made = Atomic(0)
        let notifier = MockNotifier()
        let desk = try Desk(makeNotifier: {
            made.add(1, ordering: .relaxed)
            return notifier
        })
        _ = try await desk.service.play(Play(files: Files([Desk.song])), for: ClientID())
        let before = made.load(ordering: .relaxed)

        _ = try await desk.service.send(SendPush(#"{"aps":{"alert":"B"}}"#))
        try await eventually { notifier.titles.count == 1 }
        _ = await desk.service.notificationStatus

        #expect(before == 0)
        #expect(made.load(ordering: .relaxed) == 1)
    }

    @Test(.rule("NB8")) func `A service that is kept off the session bus says so`() async throws {
        let desk = try Desk()

        #expect(
            await desk.service.notificationStatus.problem
                == "this service is kept off the session bus")
    }
}

extension PlayerService {
    /// True if the process must not exit because of notifications.
    fileprivate var isNeededForNotifications: Bool {
        feature(NotificationsFeature.self).isNeeded
    }
}
