import Foundation
import Synchronization
import TestSupport
import UndersongAppHost
import UndersongBackground
import UndersongBase
import UndersongControl
import UserNotifications

/// An app whose notifications a mock of the service shows, and whose time is advanced by hand.
@MainActor final class NotificationBench {
    final class Log: Sendable {
        private let text = Mutex<[String]>([])

        var lines: [String] { text.withLock(\.self) }
        func add(_ line: String) { text.withLock { $0.append(line) } }
    }

    @MainActor final class Delegate: NSObject, UNUserNotificationCenterDelegate {
        let log: Log
        var options: UNNotificationPresentationOptions = [.banner, .sound, .badge]
        /// The user information of the last response.
        var userInfo: [AnyHashable: Any] = [:]

        init(_ log: Log) { self.log = log }

        func userNotificationCenter(
            _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
            withCompletionHandler completionHandler:
                @escaping (UNNotificationPresentationOptions) -> Void
        ) {
            log.add("presents \(notification.request.identifier)")
            completionHandler(options)
            // A mistake, which has no effect.
            completionHandler([.banner])
        }

        func userNotificationCenter(
            _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
            withCompletionHandler completionHandler: @escaping () -> Void
        ) {
            let content = response.notification.request.content
            userInfo = content.userInfo
            log.add("answer \(response.actionIdentifier) to '\(content.title)'")
            completionHandler()
        }
    }

    nonisolated static let app = App(
        identifier: "org.example.app", name: "Example", command: ["/usr/bin/example"], folder: "/")

    let service: MockService
    let clock: ManualClock
    let log = Log()
    let link = NotificationLink()
    let states = HostStateBroadcaster()
    let center: UNUserNotificationCenter
    let delegate: Delegate
    private let connection: AppConnection

    /// An app in `state` with `service`, which allows it to notify.
    init(
        in state: ApplicationState = .background, service: MockService? = nil,
        clock: ManualClock = ManualClock()
    ) throws {
        let service = try service ?? MockService(ConnectApp.Reply(state: state))
        self.service = service
        self.clock = clock
        service.permission = .authorized
        center = UNUserNotificationCenter(
            link, states: states, clock: clock, alarm: { HostAlarm(clock, $0) })
        delegate = Delegate(log)
        center.delegate = delegate
        connection = AppConnection(
            Self.app, in: state, source: "none", launch: nil,
            refresh: RefreshCenter(board: states), to: service.location, clock: SystemClock())
        let (log, link) = (log, link)
        link.setReport { log.add("(\($0))") }
        enter(state)
    }

    /// Connects to the service as an app's entrance does.
    func begin() throws {
        let (log, link) = (log, link)
        try connection.begin { news, _ in
            switch news {
            case .connected: link.reconnect()
            case .lost: log.add("lost")
            case .notificationAnswered(let answer): link.receive(answer) { log.add("handled") }
            case .state, .woken, .terminating, .refreshLaunch, .refreshExpiring, .refreshEnded,
                .push, .pushToken:
                break
            }
        }
        link.serve(
            by: NotificationLink.Service(
                connection, app: Self.app, file: service.folder + "/state/notifications/app"))
    }

    func end() { connection.end() }

    func enter(_ state: ApplicationState) {
        states.post(
            HostStateBroadcaster.Notice(
                applicationState: state, capabilities: Capabilities(backgroundModes: [])))
    }

    /// The date by the clock.
    var date: Date { Date(timeIntervalSince1970: clock.secondsSinceEpoch) }

    func content(
        _ title: String, _ change: (UNMutableNotificationContent) -> Void = { _ in }
    ) -> UNMutableNotificationContent {
        let content = UNMutableNotificationContent()
        content.title = title
        change(content)
        return content
    }

    func add(
        _ identifier: String, _ title: String = "Title", after seconds: Double? = nil,
        repeats: Bool = false
    ) async throws {
        let trigger = seconds.map {
            UNTimeIntervalNotificationTrigger(timeInterval: $0, repeats: repeats)
        }
        try await center.add(
            UNNotificationRequest(
                identifier: identifier, content: content(title), trigger: trigger))
    }

    func pending() async -> [String] {
        await center.pendingNotificationRequests().map(\.identifier)
    }

    /// Advances the time: what is due is handed to the main queue when this returns.
    func advance(by seconds: Double) {
        clock.advance(by: seconds)
        center.settle()
    }

    /// Waits until a notification with this title is the last that is shown.
    func waitForTitle(_ title: String) async throws {
        try await waitUntil("'\(title)' is shown after \(service.lines)") {
            service.shown.last?.title == title
        }
    }

    func waitForLog(_ line: String) async throws {
        try await waitUntil("'\(line)' comes after \(log.lines)") { log.lines.contains(line) }
    }

    func waitUntil(
        _ what: @autoclosure () -> String, _ condition: () async -> Bool
    ) async throws {
        let deadline = SystemClock().now + Int64(patience * 1e9)
        while await !condition() {
            guard SystemClock().now < deadline else { throw Overdue(what()) }
            await withCheckedContinuation { continuation in
                DispatchQueue.main.asyncAfter(deadline: .now() + 0.005) { continuation.resume() }
            }
        }
    }
}
