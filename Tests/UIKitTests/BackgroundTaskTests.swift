import Synchronization
import TestSupport
import Testing
import UIKit
import UndersongAppHost
import UndersongBackground

/// A clock that is advanced by hand.
@MainActor final class ManualClock: BackgroundTaskClock {
    private nonisolated let time = Mutex(0.0)
    private var due: (time: Double, body: @MainActor () -> Void)?

    nonisolated init() {}

    nonisolated var now: Double { time.withLock { $0 } }

    /// True if a call is pending.
    var isArmed: Bool { due != nil }

    func wake(at time: Double, _ body: @escaping @MainActor () -> Void) { due = (time, body) }

    func cancel() { due = nil }

    /// Advances the time by `seconds`, making pending calls at their time.
    func advance(by seconds: Double) {
        let end = now + seconds
        while let next = due, next.time <= end {
            due = nil
            time.withLock { $0 = next.time }
            next.body()
        }
        time.withLock { $0 = end }
    }
}

@MainActor @Suite struct `A background task` {
    private let clock = ManualClock()
    private let application: UIApplication
    private let log = Log()

    @MainActor private final class Log {
        var lines: [String] = []
    }

    init() {
        application = UIApplication(center: NotificationCenter(), clock: clock)
        let log = log
        application.host.onSuspension { log.lines.append("suspend") }
        application.host.onOverstay { log.lines.append("overstay \($0.joined(separator: ", "))") }
    }

    private func begin(_ name: String) -> UIBackgroundTaskIdentifier {
        let log = log
        return application.beginBackgroundTask(withName: name) {
            log.lines.append("\(name) expires")
        }
    }

    @Test(.rule("AP5"))
    func `An application is suspended after its handover, or when its time is over`() async {
        let board = HostStateBroadcaster()
        let application = UIApplication(center: NotificationCenter(), clock: clock, board: board)
        let log = log
        application.host.onSuspension { log.lines.append("suspend") }
        board.setHandover(isPending: true)

        application.host.enter(.background)
        #expect(log.lines == [])
        board.setHandover(isPending: false)
        await Task { @MainActor in }.value
        #expect(log.lines == ["suspend"])

        application.host.enter(.active)
        board.setHandover(isPending: true)
        application.host.enter(.background)
        await Task { @MainActor in }.value
        #expect(log.lines == ["suspend"])
        clock.advance(by: 30)
        await Task { @MainActor in }.value
        #expect(log.lines == ["suspend", "suspend"])
    }

    @Test(arguments: [true, false])
    func `A task has time in the background while the application plays there, if it may`(
        isDeclared: Bool
    ) async {
        let board = HostStateBroadcaster()
        let application = UIApplication(center: NotificationCenter(), clock: clock, board: board)
        if isDeclared {
            application.host.declare(Capabilities(backgroundModes: [.audio]))
        }
        let task = application.beginBackgroundTask()
        board.setSound(isPlaying: true)
        await Task { @MainActor in }.value

        application.host.enter(.background)
        clock.advance(by: 20)

        let remaining = application.backgroundTimeRemaining
        #expect(remaining == (isDeclared ? .greatestFiniteMagnitude : 10))
        board.setSound(isPlaying: false)
        await Task { @MainActor in }.value
        #expect(application.backgroundTimeRemaining == (isDeclared ? 30 : 10))
        application.endBackgroundTask(task)
    }

    @Test(.timeLimit(.minutes(5)))
    func `A notification for the main queue is posted though the main thread does not run it`()
        async
    {
        let center = NotificationCenter()
        let application = UIApplication(center: center, clock: clock, posting: .asOperation)
        let (posted, post) = AsyncStream.makeStream(of: String.self)
        let token = center.addObserver(
            forName: UIApplication.didEnterBackgroundNotification, object: application,
            queue: .main
        ) { _ in post.yield("in the background") }

        application.host.enter(.background)

        var text: String?
        for await posted in posted {
            text = posted
            break
        }
        #expect(text == "in the background")
        center.removeObserver(token)
    }

    @Test(.rule("E1")) func `A task has an identifier other than invalid, which is 0`() {
        let task = application.beginBackgroundTask()

        #expect(task != .invalid)
        #expect(UIBackgroundTaskIdentifier.invalid.rawValue == 0)
    }

    @Test(.rule("T66"))
    func `A task counts down in the background and expires once, near five seconds left`() {
        let task = begin("export")
        let inFront = application.backgroundTimeRemaining
        application.host.enter(.background)
        let atFirst = application.backgroundTimeRemaining

        clock.advance(by: 24.5)
        let before = log.lines
        clock.advance(by: 0.5)
        let remaining = application.backgroundTimeRemaining
        application.endBackgroundTask(task)
        clock.advance(by: 60)

        #expect(inFront == .greatestFiniteMagnitude)
        #expect(atFirst == 30)
        #expect(before == [])
        #expect(remaining == 5)
        #expect(log.lines == ["export expires", "suspend"])
    }

    @Test(.rule("T66")) func `A task is reported by name if it has not ended in time`() {
        _ = begin("export")
        _ = application.beginBackgroundTask()
        application.host.enter(.background)

        clock.advance(by: 60)

        #expect(log.lines == ["export expires", "overstay export, task 2"])
        #expect(application.backgroundTimeRemaining == 0)
    }

    @Test(.rule("T66", "E5")) func `A task may end in its handler, and then nothing is reported`() {
        let application = application
        let identifier = Mutex(UIBackgroundTaskIdentifier.invalid)
        let task = application.beginBackgroundTask {
            application.endBackgroundTask(identifier.withLock { $0 })
        }
        identifier.withLock { $0 = task }
        application.host.enter(.background)

        clock.advance(by: 60)

        #expect(log.lines == ["suspend"])
        #expect(!clock.isArmed)
    }

    @Test(.rule("T67")) func `A task needs an end for each begin`() {
        let first = begin("first")
        let second = begin("second")
        application.host.enter(.background)

        application.endBackgroundTask(first)
        application.endBackgroundTask(first)
        application.endBackgroundTask(.invalid)
        let afterOne = log.lines
        application.endBackgroundTask(second)

        #expect(afterOne == [])
        #expect(log.lines == ["suspend"])
        #expect(!clock.isArmed)
    }

    @Test(.rule("T68")) func `A task that expired and was not begun again gives no time`() {
        let task = begin("timer")
        application.host.enter(.background)
        clock.advance(by: 25)
        application.endBackgroundTask(task)
        application.host.enter(.active)

        application.host.enter(.background)

        #expect(log.lines == ["timer expires", "suspend", "suspend"])
        #expect(application.backgroundTimeRemaining == 0)
        #expect(begin("late") == .invalid)
    }

    @Test(.rule("T68")) func `A task gives time if it is begun again on becoming active`() {
        let task = begin("timer")
        application.host.enter(.background)
        clock.advance(by: 25)
        application.endBackgroundTask(task)
        application.host.enter(.active)
        _ = begin("timer")

        application.host.enter(.background)

        #expect(log.lines == ["timer expires", "suspend"])
        #expect(application.backgroundTimeRemaining == 30)
    }

    @Test(.rule("T69"))
    func `A task has the full budget each time the application leaves the foreground`() {
        _ = begin("timer")
        application.host.enter(.background)
        clock.advance(by: 20)
        application.host.enter(.active)
        clock.advance(by: 100)
        application.host.enter(.background)
        clock.advance(by: 24)
        let before = log.lines
        clock.advance(by: 1)

        #expect(before == [])
        #expect(log.lines == ["timer expires"])
    }

    @Test(.rule("A6")) func `A task may begin in didEnterBackground`() {
        let diary = Beginner()
        application.delegate = diary

        application.host.enter(.background)

        #expect(diary.task != .invalid)
        #expect(log.lines == [])
        #expect(clock.isArmed)
    }

    @Test(.rule("A11")) func `A task may be begun by an application launched into the background`()
    {
        let diary = Beginner()
        application.delegate = diary

        application.host.launch(into: .background)

        #expect(diary.task != .invalid)
        #expect(application.backgroundTimeRemaining == 30)
    }

    @Test(.rule("E3")) func `A task has the budget set by its host`() {
        application.host.setBackgroundBudget(180)
        _ = begin("timer")

        application.host.enter(.background)

        #expect(application.backgroundTimeRemaining == 180)
    }

    @Test(.rule("E2", "2.8"), .timeLimit(.minutes(5)))
    func `A task may begin and end on any thread`() async {
        let application = application
        let (suspensions, suspension) = AsyncStream.makeStream(of: Void.self)
        application.host.onSuspension { suspension.yield() }

        let task = await Task.detached { application.beginBackgroundTask(withName: "a") }.value
        application.host.enter(.background)
        await Task.detached { application.endBackgroundTask(task) }.value
        for await _ in suspensions { break }

        #expect(task != .invalid)
        #expect(!clock.isArmed)
    }

    @Test(.rule("E4"), .timeLimit(.minutes(5)))
    func `A task expires on the main actor, by the system's clock`() async {
        let application = UIApplication(
            center: NotificationCenter(), clock: .mainQueue, budget: 0.02, warning: 0.01)
        await withCheckedContinuation { continuation in
            _ = application.beginBackgroundTask { continuation.resume() }
            application.host.enter(.background)
        }

        #expect(application.backgroundTimeRemaining <= 0.01)
    }
}

/// Begins a task at the last possible moment.
@MainActor private final class Beginner: UIResponder, UIApplicationDelegate {
    var task = UIBackgroundTaskIdentifier.invalid

    func applicationDidEnterBackground(_ application: UIApplication) {
        task = application.beginBackgroundTask()
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        task = application.beginBackgroundTask()
        return true
    }
}
