import Synchronization
package import UndersongBackground
package import UndersongBase
package import UndersongControl

/// The notifications of this process's app, which `UIKit` and `UserNotifications` share: the way to the
/// service that shows them, the badge, and the answers of the user. Any thread may use it.
package final class NotificationLink: Sendable {
    /// Makes calls, and learns of answers, for `UserNotifications`.
    package struct Reader: Sendable {
        /// There is a connection to the service: called for the first one and each later one, and at
        /// once if there is one.
        package var connected: @Sendable (Service) -> Void
        /// The user has answered a notification. It calls `done` once, on any thread.
        package var answered:
            @Sendable (NotificationAnswered, _ done: @escaping @Sendable () -> Void) -> Void

        package init(
            connected: @escaping @Sendable (Service) -> Void,
            answered:
                @escaping @Sendable (NotificationAnswered, _ done: @escaping @Sendable () -> Void)
                -> Void
        ) {
            self.connected = connected
            self.answered = answered
        }
    }

    /// A service that knows this process as an app.
    package struct Service: Sendable {
        package var connection: AppConnection
        package var app: App
        /// The file in which notifications of the app are kept; nil if no folder is known.
        package var file: String?

        package init(_ connection: AppConnection, app: App, file: String?) {
            self.connection = connection
            self.app = app
            self.file = file
        }
    }

    /// The link of this process.
    package static let shared = NotificationLink()

    private struct State {
        var service: Service?
        /// The reason why there is no service.
        var problem = "This program is not an app of it"
        var reader: Reader?
        /// The answers for which there was no reader.
        var answers: [NotificationAnswered] = []
        /// The last known badge.
        var badge = 0
        /// The badge that the service has not confirmed.
        var unconfirmed: Int?
        /// Counts the badges that were set.
        var lastChange = 0
        var report: @Sendable (String) -> Void = { _ in }
    }

    private let state = Mutex(State())

    package init() {}

    // MARK: The application

    /// Uses a service that knows this process as an app, from now on.
    package func serve(by service: Service) {
        let reader = state.withLock { state in
            state.service = service
            return state.reader
        }
        reader?.connected(service)
    }

    /// Notes that there is no service, and why.
    package func endService(_ error: ControlError) {
        state.withLock { ($0.service, $0.problem) = (nil, error.message) }
    }

    /// The service was lost, and is there again.
    package func reconnect() {
        let (service, reader, badge) = state.withLock { ($0.service, $0.reader, $0.unconfirmed) }
        if let badge { setBadge(badge) { _ in } }
        if let service { reader?.connected(service) }
    }

    /// Passes an answer of the user to the reader, or keeps it until there is one. Calls `done` once, on
    /// any thread, when the app has handled it.
    package func receive(
        _ answer: NotificationAnswered, _ done: @escaping @Sendable () -> Void
    ) {
        let reader = state.withLock { state in
            if state.reader == nil { state.answers.append(answer) }
            return state.reader
        }
        guard let reader else { return done() }
        reader.answered(answer, done)
    }

    /// Reports by `report`, on any thread, what could not be done and has no caller to be reported to.
    package func setReport(_ report: @escaping @Sendable (String) -> Void) {
        state.withLock { $0.report = report }
    }

    // MARK: Notifications

    /// Sets the reader, which gets what has waited for it.
    package func read(_ reader: Reader) {
        let (service, answers) = state.withLock { state in
            defer { state.answers = [] }
            state.reader = reader
            return (state.service, state.answers)
        }
        if let service { reader.connected(service) }
        for answer in answers { reader.answered(answer) {} }
    }

    /// True if a service knows this process as an app, although it may be away at present.
    package var isServed: Bool { state.withLock { $0.service != nil } }

    /// True while there is a connection to the service.
    package var isOpen: Bool { state.withLock(\.service)?.connection.isOpen ?? false }

    /// The name of the app; nil if no service knows it.
    package var appName: String? { state.withLock { $0.service?.app.name } }

    /// Reports what could not be done and has no caller to be reported to.
    package func report(_ message: String) { state.withLock(\.report)(message) }

    /// Makes a call without waiting. The result goes to `completion`, on any thread.
    package func send<Call: ControlCall>(
        _ call: Call, _ completion: @escaping @Sendable (Result<Call.Reply, ControlError>) -> Void
    ) {
        let (service, problem) = state.withLock { ($0.service, $0.problem) }
        guard let service else {
            let error = ControlError(.unavailable, "cannot reach the service: \(problem)")
            return completion(.failure(error))
        }
        service.connection.send(call, completion)
    }

    // MARK: The badge

    /// The app's badge; 0 for none. Asks the service, which also sets it by itself for a notification,
    /// and is the last known one while there is no service. Not on the threads of the connection.
    package var badge: Int {
        let (service, unconfirmed) = state.withLock { ($0.service, $0.unconfirmed) }
        if let unconfirmed { return unconfirmed }
        if let answer = try? service?.connection.call(GetNotificationPermission()) {
            state.withLock { $0.badge = answer.badge }
        }
        return state.withLock(\.badge)
    }

    /// Sets the app's badge; 0 for none. A service that is away gets it when it is there again, which is
    /// an error nevertheless. The result goes to `completion`, on any thread.
    package func setBadge(
        _ number: Int, _ completion: @escaping @Sendable (Result<Nothing, ControlError>) -> Void
    ) {
        let change = state.withLock { state in
            state.lastChange += 1
            state.badge = number
            state.unconfirmed = state.service == nil ? nil : number
            return state.lastChange
        }
        send(SetBadge(number)) { [self] result in
            state.withLock { state in
                guard state.lastChange == change else { return }
                switch result {
                case .success: state.unconfirmed = nil
                case .failure(let error) where error.code == .unavailable: break
                case .failure: state.unconfirmed = nil
                }
            }
            completion(result)
        }
    }
}
