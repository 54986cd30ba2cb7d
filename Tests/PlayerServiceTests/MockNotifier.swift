import Synchronization
import UndersongBackground

/// A notification server without a desktop, which records what it is to show.
final class MockNotifier: UserNotifier {
    private struct State {
        var handler: (@Sendable (NotifierEvent) -> Void)?
        var shown: [DesktopNotification] = []
        var closed: [NotificationKey] = []
        var badges: [Int] = []
        var problem: NotifierProblem?
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// All that was shown, in order.
    var shown: [DesktopNotification] { state.withLock(\.shown) }
    var titles: [String] { shown.map(\.content.title) }
    var closed: [NotificationKey] { state.withLock(\.closed) }
    var badges: [Int] { state.withLock(\.badges) }
    var hasEnded: Bool { state.withLock(\.hasEnded) }

    /// Shows nothing from now on, for this reason, or all again.
    func fail(_ reason: String?) {
        state.withLock { $0.problem = reason.map { NotifierProblem($0) } }
    }

    func report(_ event: NotifierEvent) { state.withLock(\.handler)?(event) }

    /// Clicks the notification of an owner that was shown last, or a button of it.
    func click(_ owner: String, action: String? = nil) {
        guard let key = shown.last(where: { $0.key.owner == owner })?.key else { return }
        report(.answered(key, action: action, token: nil))
    }

    func begin(_ handler: @escaping @Sendable (NotifierEvent) -> Void) {
        state.withLock { $0.handler = handler }
    }

    func findServer(
        _ answer: @escaping @Sendable (Result<NotificationServer, NotifierProblem>) -> Void
    ) {
        let problem = state.withLock(\.problem)
        let server = NotificationServer(name: "mock 1", capabilities: ["actions", "body"])
        answer(problem.map { .failure($0) } ?? .success(server))
    }

    func show(
        _ notification: DesktopNotification,
        _ answer: @escaping @Sendable (NotifierProblem?) -> Void
    ) {
        let problem = state.withLock { state in
            if state.problem == nil { state.shown.append(notification) }
            return state.problem
        }
        answer(problem)
    }

    func close(_ key: NotificationKey) { state.withLock { $0.closed.append(key) } }
    func setBadge(_ number: Int) { state.withLock { $0.badges.append(number) } }
    func end() { state.withLock { $0.hasEnded = true } }
}
