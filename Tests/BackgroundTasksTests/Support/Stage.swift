import BackgroundTasks
import Synchronization
import UIKit
import UndersongAppHost
import UndersongBackground

/// An application with its system, and a log of what happens in it.
@MainActor final class Stage {
    nonisolated static let refresh = "org.example.refresh"

    let time: ManualTime
    let log = Log()
    let application: UIApplication
    let scheduler: BGTaskScheduler
    let delegate: Delegate

    /// Lines, from any thread.
    final class Log: Sendable {
        private let text = Mutex<[String]>([])

        var lines: [String] { text.withLock(\.self) }

        func add(_ line: String) { text.withLock { $0.append(line) } }
        func clear() { text.withLock { $0 = [] } }
    }

    /// An application that has declared `modes` and `identifiers`, and has not launched.
    init(
        modes: Set<BackgroundMode> = [.fetch, .processing],
        identifiers: Set<String> = [Stage.refresh], time: ManualTime = ManualTime(),
        environment: RefreshEnvironment? = nil
    ) {
        self.time = time
        let board = HostStateBroadcaster()
        let center = RefreshCenter(environment ?? time.environment, board: board)
        time.centers.append(center)
        application = UIApplication(
            center: NotificationCenter(), clock: time.clock, board: board, refresh: center)
        scheduler = BGTaskScheduler(center)
        delegate = Delegate(log)
        application.delegate = delegate
        let log = log
        application.host.declare(
            Capabilities(backgroundModes: modes, permittedIdentifiers: identifiers))
        application.host.onSuspension { log.add("suspended") }
        application.host.onOverstay { log.add("overstay \($0.joined(separator: ", "))") }
    }

    /// Adds the messages of the scheduler to the log.
    func showMessages() {
        let log = log
        application.host.onBackgroundTaskMessage { log.add("(\($0))") }
    }

    /// Registers a handler that is called on the main queue.
    func register(
        _ identifier: String = Stage.refresh, _ handler: @escaping @Sendable (BGTask) -> Void
    ) {
        let isRegistered = scheduler.register(
            forTaskWithIdentifier: identifier, using: .main, launchHandler: handler)
        precondition(isRegistered)
    }

    func submit(_ identifier: String = Stage.refresh, after seconds: Double? = nil) throws {
        let request = BGAppRefreshTaskRequest(identifier: identifier)
        request.earliestBeginDate = seconds.map { time.date + $0 }
        try scheduler.submit(request)
    }

    /// The identifiers of pending requests.
    func pending() async -> [String] {
        await scheduler.pendingTaskRequests().map(\.identifier)
    }

    @MainActor final class Delegate: UIResponder, UIApplicationDelegate {
        let log: Log
        var onLaunch: () -> Void = {}
        /// The body of a fetch.
        var onFetch: (@escaping @Sendable (UIBackgroundFetchResult) -> Void) -> Void = { handler in
            handler(.newData)
        }

        init(_ log: Log) { self.log = log }

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            log.add("launched \(application.applicationState)")
            onLaunch()
            return true
        }

        func application(
            _ application: UIApplication,
            performFetchWithCompletionHandler completionHandler:
                @escaping @Sendable (UIBackgroundFetchResult) -> Void
        ) {
            log.add("fetch \(application.applicationState)")
            onFetch(completionHandler)
        }

        func applicationDidBecomeActive(_ application: UIApplication) { log.add("active") }
        func applicationDidEnterBackground(_ application: UIApplication) { log.add("background") }
    }
}
