import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongAppHost
import UndersongBackground

@testable import UndersongUIKit

/// A clock that a test moves; it never calls back by itself.
@MainActor private final class StoppedClock: BackgroundTaskClock {
    nonisolated let time = Mutex(0.0)
    private var pending: (time: Double, body: @MainActor () -> Void)?

    nonisolated var now: Double { time.withLock { $0 } }
    func wake(at time: Double, _ body: @escaping @MainActor () -> Void) { pending = (time, body) }
    func cancel() { pending = nil }

    func advance(to time: Double) {
        self.time.withLock { $0 = time }
        while let pending, pending.time <= time {
            self.pending = nil
            pending.body()
        }
    }
}

/// Records what the delegate of an application is told. A delegate conforms itself: what a base
/// class lacks when it conforms, a subclass cannot add.
@MainActor private class Recorder: NSObject {
    var calls: [String] = []
    var options: [UIApplication.LaunchOptionsKey: Any]?
    var registers = true

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        calls.append("launched in \(application.applicationState)")
        options = launchOptions
        if registers { application.registerForRemoteNotifications() }
        return true
    }

    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) { calls.append("token \(deviceToken.count)") }

    func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) { calls.append("error") }

    func applicationDidBecomeActive(_ application: UIApplication) { calls.append("active") }
}

/// Has none of the methods that receive pushes.
private final class PlainRecorder: Recorder, UIApplicationDelegate {}

/// Has the method with a handler, and the old one.
private final class HandlerRecorder: Recorder, UIApplicationDelegate {
    var handlers: [(UIBackgroundFetchResult) -> Void] = []
    var userInfo: [AnyHashable: Any] = [:]

    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler:
            @escaping @Sendable (UIBackgroundFetchResult) ->
            Void
    ) {
        calls.append("push in \(application.applicationState)")
        self.userInfo = userInfo
        handlers.append(completionHandler)
    }

    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) { calls.append("old") }
}

/// Has the asynchronous method.
private final class AsyncRecorder: Recorder, UIApplicationDelegate {
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        calls.append("push")
        return .newData
    }
}

/// Has the old method only.
private final class OldRecorder: Recorder, UIApplicationDelegate {
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) { calls.append("old") }
}

/// The results of pushes.
private final class Results: Sendable {
    let list = Mutex<[UIBackgroundFetchResult]>([])
    let (results, result) = AsyncStream.makeStream(of: UIBackgroundFetchResult.self)

    var all: [UIBackgroundFetchResult] { list.withLock { $0 } }

    var take: @Sendable (UIBackgroundFetchResult) -> Void {
        { [self] value in
            list.withLock { $0.append(value) }
            result.yield(value)
        }
    }

    func next() async -> UIBackgroundFetchResult? { await results.first { _ in true } }
}

private let silent = Data("{\"aps\":{\"content-available\":1},\"content-id\":42}".utf8)

@MainActor @Suite struct `Remote notifications of an application` {
    private let clock = StoppedClock()
    private let application: UIApplication
    private let results = Results()

    init() {
        application = UIApplication(center: NotificationCenter(), clock: clock)
        application.host.declare(Capabilities(backgroundModes: [.remoteNotification]))
    }

    /// Waits for the turns of the main queue so far.
    private func turn() async {
        await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
    }

    @Test func `Remote notifications need registration, which leads to a token each time`() async {
        let delegate = PlainRecorder()
        application.delegate = delegate

        application.registerForRemoteNotifications()
        await turn()
        let before = (delegate.calls, application.isRegisteredForRemoteNotifications)
        application.host.answerRegistration(with: .success(Data(count: 32)))
        let atOnce = delegate.calls
        await turn()
        application.registerForRemoteNotifications()
        await turn()

        #expect(before == ([], false))
        #expect(atOnce == [])
        #expect(delegate.calls == ["token 32", "token 32"])
        #expect(application.isRegisteredForRemoteNotifications)
    }

    @Test func `A registration that fails leads to an error`() async {
        let delegate = PlainRecorder()
        application.delegate = delegate
        application.host.answerRegistration(with: .failure(CancellationError()))

        application.registerForRemoteNotifications()
        await turn()

        #expect(delegate.calls == ["error"])
        #expect(!application.isRegisteredForRemoteNotifications)
    }

    @Test func `Remote notifications do not come before registering, nor after unregistering`()
        throws
    {
        let delegate = HandlerRecorder()
        application.delegate = delegate

        let before = try application.host.receiveRemoteNotification(silent)
        application.registerForRemoteNotifications()
        application.unregisterForRemoteNotifications()
        let after = try application.host.receiveRemoteNotification(silent)

        #expect(!before && !after)
        #expect(delegate.calls == [])
    }

    @Test func `Remote notifications go to the method with a handler, and not to the old one`()
        throws
    {
        let delegate = HandlerRecorder()
        application.delegate = delegate
        application.registerForRemoteNotifications()

        let isTaken = try application.host.receiveRemoteNotification(
            silent, completion: results.take)
        delegate.handlers[0](.noData)

        #expect(isTaken)
        #expect(delegate.calls == ["push in active"])
        #expect(delegate.userInfo["content-id"] as? Int == 42)
        #expect(results.all == [.noData])
    }

    @Test func `Remote notifications go to the asynchronous method`() async throws {
        let delegate = AsyncRecorder()
        application.delegate = delegate
        application.registerForRemoteNotifications()

        try application.host.receiveRemoteNotification(silent, completion: results.take)

        #expect(await results.next() == .newData)
        #expect(delegate.calls == ["push"])
    }

    @Test func `Remote notifications go to the old method in the foreground only`() async throws {
        let delegate = OldRecorder()
        application.delegate = delegate
        application.registerForRemoteNotifications()

        try application.host.receiveRemoteNotification(silent, completion: results.take)
        let first = await results.next()
        let inFront = delegate.calls
        application.host.enter(.background)
        try application.host.receiveRemoteNotification(silent, completion: results.take)
        let second = await results.next()

        #expect(first == .noData && second == .noData)
        #expect(inFront == ["old"])
        #expect(delegate.calls == ["old"])
    }

    @Test func `A remote notification wakes the application, which is suspended afterwards`() throws
    {
        let delegate = HandlerRecorder()
        application.delegate = delegate
        application.registerForRemoteNotifications()
        var suspensions = 0
        application.host.onSuspension { suspensions += 1 }
        application.host.enter(.background)
        clock.advance(to: 1000)

        try application.host.receiveRemoteNotification(silent, completion: results.take)
        let (time, before) = (application.backgroundTimeRemaining, suspensions)
        delegate.handlers[0](.newData)

        #expect(time == 30)
        #expect(before == 1)
        #expect(suspensions == 2)
        #expect(application.backgroundTimeRemaining == 0)
    }

    @Test(.rule("H1"), arguments: ["0", "\"1\"", "true"])
    func `A remote notification does not wake the application without the number 1`(value: String)
        throws
    {
        let delegate = HandlerRecorder()
        application.delegate = delegate
        application.registerForRemoteNotifications()
        application.host.enter(.background)

        let payload = Data("{\"aps\":{\"content-available\":\(value)}}".utf8)

        #expect(try !application.host.receiveRemoteNotification(payload))
        application.host.enter(.active)
        #expect(try application.host.receiveRemoteNotification(payload))
    }

    @Test(.rule("PU6"))
    func `A remote notification does not wake the application without the mode`() throws {
        let delegate = HandlerRecorder()
        application.delegate = delegate
        application.host.declare(Capabilities(backgroundModes: [.audio]))
        application.registerForRemoteNotifications()
        application.host.enter(.background)

        #expect(try !application.host.receiveRemoteNotification(silent))
        #expect(delegate.calls == [])
    }

    @Test(.rule("PU7"))
    func `A remote notification launches into the background, and comes once after launching`()
        throws
    {
        let delegate = HandlerRecorder()
        application.delegate = delegate
        var suspensions = 0
        application.host.onSuspension { suspensions += 1 }

        try application.host.launch(forRemoteNotification: silent, completion: results.take)
        let before = suspensions
        delegate.handlers[0](.newData)

        #expect(delegate.calls == ["launched in background", "push in background"])
        let userInfo = delegate.options?[.remoteNotification] as? [AnyHashable: Any]
        #expect(userInfo?["content-id"] as? Int == 42)
        #expect(before == 0 && suspensions == 1)
        #expect(results.all == [.newData])
    }

    @Test func `The old method is not called in an application launched for a notification`()
        async throws
    {
        let delegate = OldRecorder()
        application.delegate = delegate

        try application.host.launch(forRemoteNotification: silent, completion: results.take)

        #expect(await results.next() == .noData)
        #expect(delegate.calls == ["launched in background"])
    }

    @Test(.rule("H3"))
    func `A remote notification fails without an answer in time, and ignores a later one`() throws {
        let delegate = HandlerRecorder()
        application.delegate = delegate
        application.registerForRemoteNotifications()
        var overstays: [String] = []
        application.host.onOverstay { overstays += $0 }
        application.host.enter(.background)

        try application.host.receiveRemoteNotification(silent, completion: results.take)
        clock.advance(to: 24.9)
        let before = results.all
        clock.advance(to: 25)
        clock.advance(to: 30)
        delegate.handlers[0](.newData)
        try application.host.receiveRemoteNotification(silent, completion: results.take)
        delegate.handlers[1](.newData)
        delegate.handlers[1](.failed)

        #expect(before == [])
        #expect(overstays == ["remote notification"])
        #expect(results.all == [.failed, .newData])
    }

    @Test(.rule("H2")) func `A remote notification has all values in the user info`() throws {
        let delegate = HandlerRecorder()
        application.delegate = delegate
        application.registerForRemoteNotifications()
        let text = """
            {"aps":{"content-available":1},"a":9007199254740993,"b":1e400,"c":[1.5,null,true,{}],
            "😀":"\\ud83d\\ude00"}
            """

        try application.host.receiveRemoteNotification(Data(text.utf8))

        let info = delegate.userInfo
        #expect(info["a"] as? Int == 9_007_199_254_740_993)
        #expect(info["b"] as? String == "1e400")
        let list = info["c"] as? [Any]
        #expect(list?.count == 4)
        #expect(list?[0] as? Double == 1.5)
        #expect(list?[1] is NSNull)
        #expect(list?[2] as? Bool == true)
        #expect((list?[3] as? [AnyHashable: Any])?.isEmpty == true)
        #expect(info["😀"] as? String == "😀")
    }

    @Test(.rule("H2"))
    func `A remote notification with a wrong payload is refused with the reason`() {
        let long = Data("{\"aps\":{},\"x\":\"\(String(repeating: "x", count: 4096))\"}".utf8)

        #expect(throws: UIApplication.Host.PayloadError.self) {
            try application.host.receiveRemoteNotification(Data("[]".utf8))
        }
        #expect(throws: UIApplication.Host.PayloadError.self) {
            try application.host.launch(forRemoteNotification: long)
        }
    }

    @Test func `Remote notifications have Apple's numbers for results`() {
        #expect(UIBackgroundFetchResult.newData.rawValue == 0)
        #expect(UIBackgroundFetchResult.noData.rawValue == 1)
        #expect(UIBackgroundFetchResult.failed.rawValue == 2)
    }
}
