internal import Foundation
internal import Synchronization
package import UndersongBackground
package import UndersongBase
package import UndersongControl

/// A mock of `undersongd` in a runtime folder of its own, for apps: it answers all that they ask, and
/// records it.
package final class MockService: ControlHandler {
    /// A request in the words of a test: the method, and what matters of the parameters.
    package typealias Line = String

    private struct State {
        var server: ControlServer?
        var connection: ControlConnection?
        var reply: ConnectApp.Reply
        var refusal: ControlError?
        var lines: [Line] = []
        var app: App?
        /// Sent after registering for pushes.
        var push: PushReceived?
        var permission = NotificationAuthorization.notDetermined
        /// The notifications that are shown, in order.
        var shown: [UserNotification] = []
        var badges: [String: Int] = [:]
        var notificationRefusal: ControlError?

        var permissionAndBadge: NotificationPermission {
            let badge = app.flatMap { badges[$0.identifier] }
            return NotificationPermission(permission, badge: badge ?? 0)
        }
    }

    /// The token of 32 bytes.
    package static let token = String(repeating: "0f", count: 32)

    /// The runtime folder.
    package let folder: String
    private let state: Mutex<State>

    /// Starts it. An app that connects gets `reply`.
    package init(_ reply: ConnectApp.Reply) throws {
        state = Mutex(State(reply: reply))
        folder = "/tmp/mock-service-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        try begin()
    }

    /// The way to it, which does not start anything.
    package var location: ServiceLocation {
        var location = ServiceLocation(
            ControlSocket(session: "default", runtimeFolder: folder), searchPath: nil)
        location.startsProgram = false
        return location
    }

    /// Listens, again after `kill`.
    package func begin() throws {
        let listener = try location.socket.listen()
        let server = ControlServer(listener: listener, handler: self, clock: SystemClock())
        state.withLock { $0.server = server }
        server.start()
    }

    /// Ends it with all connections.
    package func kill() { state.withLock { $0.server.take() }?.stop(within: 0) }

    deinit {
        kill()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The requests so far, in order.
    package var lines: [Line] { state.withLock(\.lines) }

    /// The last app that has connected.
    package var app: App? { state.withLock(\.app) }

    /// Refuses what changes background tasks from now on, unless this is nil.
    package func refuse(_ error: ControlError?) { state.withLock { $0.refusal = error } }

    /// Sets the answer of later connections.
    package func setReply(_ reply: ConnectApp.Reply) { state.withLock { $0.reply = reply } }

    /// Gives a push to the app when it registers.
    package func setPush(_ push: PushReceived) { state.withLock { $0.push = push } }

    /// The permission of the app to notify the user.
    package var permission: NotificationAuthorization {
        get { state.withLock(\.permission) }
        set { state.withLock { $0.permission = newValue } }
    }

    /// The notifications that are shown, in order.
    package var shown: [UserNotification] {
        get { state.withLock(\.shown) }
        set { state.withLock { $0.shown = newValue } }
    }

    /// The badges by the identifiers of apps.
    package var badges: [String: Int] {
        get { state.withLock(\.badges) }
        set { state.withLock { $0.badges = newValue } }
    }

    /// Refuses to show notifications and badges from now on, unless this is nil.
    package func refuseNotifications(_ error: ControlError?) {
        state.withLock { $0.notificationRefusal = error }
    }

    package func notify(_ notice: some ControlNotice) {
        state.withLock(\.connection)?.notify(notice)
    }

    package func opened(_ connection: ControlConnection) {}

    package func closed(_ connection: ControlConnection) {}

    package func handle(
        _ request: ControlRequest, from connection: ControlConnection,
        reply: @escaping @Sendable (Result<ControlReply, ControlError>) -> Void
    ) {
        do throws(ControlError) {
            let answer = try answer(request, connection)
            reply(.success(answer))
            let push = state.withLock { state in
                request.method == RegisterForPushes.method ? state.push.take() : nil
            }
            if let push { connection.notify(push) }
        } catch {
            reply(.failure(error))
        }
    }

    private func answer(
        _ request: ControlRequest, _ connection: ControlConnection
    ) throws(ControlError) -> ControlReply {
        switch request.method {
        case ConnectApp.method:
            let call = try request.decode(ConnectApp.self)
            note("connect \(call.app.identifier) \(call.state.name) \(call.source)")
            return state.withLock { state in
                (state.connection, state.app) = (connection, call.app)
                return ControlReply(state.reply)
            }
        case EnterAppState.method:
            note("enter \(try request.decode(EnterAppState.self).state.name)")
        case ReportAppNeeds.method:
            let needs = try request.decode(ReportAppNeeds.self).needs
            let others = (needs.audio ? ["audio"] : []) + (needs.location ? ["location"] : [])
            note("needs \(needs.wake): " + (needs.tasks + others).joined(separator: ", "))
        case RegisterForPushes.method:
            let topics = try request.decode(RegisterForPushes.self).topics ?? []
            note("push.register " + topics.joined(separator: " "))
            return ControlReply(PushToken(Self.token))
        case AnswerPush.method:
            let answer = try request.decode(AnswerPush.self)
            note("push.answer \(answer.push) \(answer.result)")
        case RegisterRefresh.method:
            return status("register \(try request.decode(RegisterRefresh.self).identifier)")
        case SubmitRefresh.method:
            let identifier = try request.decode(SubmitRefresh.self).request.identifier
            return try change("submit \(identifier)")
        case CancelRefresh.method:
            let identifier = try request.decode(CancelRefresh.self).identifier
            return try change("cancel \(identifier ?? "all")")
        case SetFetchInterval.method:
            let interval = try request.decode(SetFetchInterval.self).interval
            return try change("interval \(interval.word)")
        case CompleteRefresh.method:
            let call = try request.decode(CompleteRefresh.self)
            return status("complete \(call.task) \(call.completion.result)")
        case Hello.method:
            return ControlReply(
                Hello.Reply(
                    protocol: ControlProtocol.version, version: "0.1.0", session: "default",
                    process: getpid()))
        case let method where method.hasPrefix("notification."):
            return try answerNotifications(request)
        default: note(request.method)
        }
        return ControlReply(Nothing())
    }

    private func answerNotifications(
        _ request: ControlRequest
    ) throws(ControlError) -> ControlReply {
        let refusal = state.withLock(\.notificationRefusal)
        switch request.method {
        case RequestNotifications.method:
            note(request.method)
            return state.withLock { state in
                if state.permission == .notDetermined { state.permission = .authorized }
                return ControlReply(state.permissionAndBadge)
            }
        case GetNotificationPermission.method:
            return ControlReply(state.withLock(\.permissionAndBadge))
        case GetNotifications.method: return ControlReply(DeliveredNotifications(shown))
        case AddNotification.method:
            let new = try request.decode(AddNotification.self).notification
            note("show \(new.identifier)")
            if let refusal { throw refusal }
            state.withLock { state in
                state.shown.removeAll { $0.identifier == new.identifier }
                state.shown.append(new)
                if let badge = new.badge, let app = state.app {
                    state.badges[app.identifier] = badge
                }
            }
        case RemoveNotifications.method:
            let identifiers = try request.decode(RemoveNotifications.self).identifiers
            note("remove " + (identifiers?.joined(separator: " ") ?? "all"))
            state.withLock { state in
                state.shown.removeAll { identifiers?.contains($0.identifier) ?? true }
            }
        case SetBadge.method:
            let number = try request.decode(SetBadge.self).number
            note("badge \(number)")
            if let refusal { throw refusal }
            state.withLock { state in
                if let app = state.app { state.badges[app.identifier] = number }
            }
        default: note(request.method)
        }
        return ControlReply(Nothing())
    }

    private func note(_ line: Line) { state.withLock { $0.lines.append(line) } }

    private func change(_ line: Line) throws(ControlError) -> ControlReply {
        let refusal = state.withLock(\.refusal)
        if let refusal { throw refusal }
        return status(line)
    }

    private func status(_ line: Line) -> ControlReply {
        note(line)
        return ControlReply(
            RefreshStatus(
                RefreshScheduler(seed: 1), at: ScheduleTime(boot: 0, wall: 0), limit: 0,
                fallbacks: []))
    }
}
