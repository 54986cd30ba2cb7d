import Dispatch
import Foundation
import Synchronization
import UndersongAppHost
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongLinuxPlatform

/// Delivers the notifications of this process's app when they are due: keeps them in a file, asks the
/// delegate in the foreground, and has the service show them. Any thread may use it.
final class NotificationDesk: Sendable {
    /// The clock of this process.
    static let clock: any HostClock = SystemClock()

    /// Reports the end of a request; nil for success.
    typealias Completion = @Sendable (UNError?) -> Void
    /// Asks how to present a notification in the foreground.
    typealias Presenter =
        @Sendable (
            NotificationRecord, @escaping @Sendable (UNNotificationPresentationOptions) -> Void
        ) -> Void
    /// Passes on an answer of the user with the identifier of its action.
    typealias Responder =
        @Sendable (NotificationRecord, _ action: String, @escaping @Sendable () -> Void) -> Void

    private struct State {
        var isInForeground = true
        var categories: Set<UNNotificationCategory> = []
        var file: RecordFile<NotificationPlan.Memory>?
        var presenter: Presenter = { _, answer in answer([]) }
        var responder: Responder = { _, _, done in done() }
    }

    private let link: NotificationLink
    private let clock: any HostClock
    private let state = Mutex(State())
    /// Waits for what was asked for before completions are called.
    private let completions = DispatchQueue(label: "notifications, completions")
    /// Set once, before anything else can use it. Its effects wait for nothing but the disk.
    private nonisolated(unsafe) var madeShell: QueueShell<NotificationPlan>?

    init(
        _ link: NotificationLink, states: HostStateBroadcaster, clock: any HostClock,
        alarm: @escaping (@escaping @Sendable () -> Void) -> any Alarm
    ) {
        self.link = link
        self.clock = clock
        unsafe madeShell = QueueShell(
            NotificationPlan(), label: "notifications", now: { clock.secondsSinceEpoch },
            alarm: alarm, perform: { [weak self] in self?.perform($0) })
        states.read { [weak self] notice in
            self?.state.withLock { $0.isInForeground = notice.applicationState != .background }
        }
    }

    /// Begins to deliver and to pass on answers.
    func begin(presenter: @escaping Presenter, responder: @escaping Responder) {
        state.withLock { ($0.presenter, $0.responder) = (presenter, responder) }
        link.read(
            NotificationLink.Reader(
                connected: { [weak self] in self?.connect($0) },
                answered: { [weak self] in self?.receive($0, $1) }))
    }

    private var shell: QueueShell<NotificationPlan> {
        guard let shell = unsafe madeShell else { preconditionFailure("it is made at once") }
        return shell
    }

    /// Returns when all that was asked for so far has been handled.
    func settle() { shell.settle() }

    // MARK: Permission

    func askPermission(
        _ completion: @escaping @Sendable (Result<UNAuthorizationStatus, UNError>) -> Void
    ) {
        link.send(RequestNotifications()) { completion(Self.status($0)) }
    }

    func readPermission(
        _ completion: @escaping @Sendable (Result<UNAuthorizationStatus, UNError>) -> Void
    ) {
        link.send(GetNotificationPermission()) { completion(Self.status($0)) }
    }

    private static func status(
        _ result: Result<NotificationPermission, ControlError>
    ) -> Result<UNAuthorizationStatus, UNError> {
        result.map { UNAuthorizationStatus($0) }.mapError { UNError($0) }
    }

    // MARK: Requests

    /// The requests that have not been delivered.
    var pending: [NotificationRecord] {
        let memory = shell.read(\.memory)
        let known = Set(memory.pending.map(\.identifier))
        return memory.due.filter { !known.contains($0.identifier) } + memory.pending
    }

    /// The time of a request that is made now.
    var now: Double { clock.secondsSinceEpoch }

    /// Has a request delivered when it is due. `completion` is called when it is kept, or shown if it has
    /// no trigger.
    func add(_ record: NotificationRecord, _ completion: @escaping Completion) {
        readPermission { [self] result in
            switch result {
            case .success(.authorized), .success(.provisional), .success(.ephemeral):
                addAllowed(record, completion)
            case .success(.denied):
                completion(Self.refusal("the user does not allow \(name) to notify"))
            case .success(.notDetermined):
                completion(Self.refusal("\(name) has not asked for the permission to notify"))
            case .failure(let error):
                // A service that is away shows it when it is there again.
                guard link.isServed, record.trigger != nil else { return completion(error) }
                addAllowed(record, completion)
            }
        }
    }

    private var name: String { link.appName ?? "this program" }

    private static func refusal(_ reason: String) -> UNError {
        UNError(.notificationsNotAllowed, reason: reason)
    }

    private func addAllowed(_ record: NotificationRecord, _ completion: @escaping Completion) {
        shell.post(.add(record))
        guard record.trigger == nil else { return complete(completion, nil) }
        deliver(record) { [self] result in
            switch result {
            case .success(let isShown):
                shell.post(.delivered(record, isShown: isShown))
                complete(completion, nil)
            case .failure(let error): completion(error)
            }
        }
    }

    /// Calls `completion` when all inputs so far are handled.
    private func complete(_ completion: @escaping Completion, _ error: UNError?) {
        completions.async { [self] in
            shell.settle()
            completion(error)
        }
    }

    func removePending(_ identifiers: [String]?) { shell.handle(.removePending(identifiers)) }

    // MARK: Delivered notifications

    /// Calls `completion` with the notifications that the server still shows; none without a service.
    func readDelivered(_ completion: @escaping @Sendable ([NotificationRecord]) -> Void) {
        link.send(GetNotifications()) { [self] result in
            switch result {
            case .success(let shown):
                let known = shell.machine.memory.delivered
                completion(
                    shown.notifications.map { notification in
                        known.last { $0.identifier == notification.identifier }
                            ?? NotificationRecord(notification, date: now)
                    })
            case .failure(let error):
                link.report("cannot list the notifications: \(error.message)")
                completion([])
            }
        }
    }

    func removeDelivered(_ identifiers: [String]?) {
        shell.post(.removeDelivered(identifiers))
        link.send(RemoveNotifications(identifiers)) { [link] result in
            if case .failure(let error) = result {
                link.report("cannot remove notifications: \(error.message)")
            }
        }
    }

    var categories: Set<UNNotificationCategory> {
        get { state.withLock(\.categories) }
        set { state.withLock { $0.categories = newValue } }
    }

    func setBadge(_ number: Int, _ completion: @escaping Completion) {
        link.setBadge(number) { result in
            switch result {
            case .success: completion(nil)
            case .failure(let error): completion(UNError(error))
            }
        }
    }

    // MARK: The service

    private func connect(_ service: NotificationLink.Service) {
        if let path = service.file {
            let file = RecordFile<NotificationPlan.Memory>(path)
            let isNew = state.withLock { state in
                defer { state.file = file }
                return state.file == nil
            }
            if isNew {
                let (memory, damage) = file.load()
                if let damage { link.report(damage) }
                shell.post(.restored(memory ?? NotificationPlan.Memory()))
            }
        }
        shell.post(.connected)
    }

    private func receive(
        _ answer: NotificationAnswered, _ done: @escaping @Sendable () -> Void
    ) {
        let known = shell.read(\.memory.delivered).last { $0.identifier == answer.identifier }
        let record =
            known
            ?? NotificationRecord(
                identifier: answer.identifier, content: ContentRecord(), date: now)
        shell.post(.removeDelivered([answer.identifier]))
        if answer.isDismissed {
            let category = category(of: record)
            guard category?.options.contains(.customDismissAction) == true else { return done() }
        }
        let (responder, action) = (
            state.withLock(\.responder),
            answer.isDismissed
                ? UNNotificationDismissActionIdentifier
                : answer.action ?? UNNotificationDefaultActionIdentifier
        )
        responder(record, action, done)
    }

    private func category(of record: NotificationRecord) -> UNNotificationCategory? {
        categories.first { $0.identifier == record.content.categoryIdentifier }
    }

    // MARK: Delivery

    private func perform(_ effects: [NotificationPlan.Effect]) {
        for effect in effects {
            switch effect {
            case .keep(let memory): keep(memory)
            case .deliver(let record): deliverDue(record)
            }
        }
    }

    private func keep(_ memory: NotificationPlan.Memory) {
        guard let file = state.withLock(\.file) else { return }
        let folder = Folder.make(Folder.path(of: file.path))
        let code = folder == 0 ? file.save(memory) : folder
        guard code != 0 else { return }
        link.report("cannot keep notifications in \(file.path): \(SystemError(code).reason)")
    }

    /// Delivers a request whose trigger is met. One that cannot be shown because the service is away
    /// waits for it.
    private func deliverDue(_ record: NotificationRecord) {
        deliver(record) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let isShown): shell.post(.delivered(record, isShown: isShown))
            case .failure(let error) where error.isPassing:
                shell.post(.putOff(record.identifier))
                // It may have come back before this.
                if link.isOpen { shell.post(.connected) }
            case .failure(let error):
                shell.post(.delivered(record, isShown: false))
                link.report(
                    "the notification \(record.identifier) is not shown: "
                        + error.localizedDescription)
            }
        }
    }

    /// Presents a notification. The result, on any thread, is true if it is shown.
    private func deliver(
        _ record: NotificationRecord,
        _ completion: @escaping @Sendable (Result<Bool, UNError>) -> Void
    ) {
        // The main queue knows the state, also while the application launches on it.
        DispatchQueue.main.async { [self] in
            let (isInForeground, presenter) = state.withLock { ($0.isInForeground, $0.presenter) }
            guard isInForeground else { return show(record, .all, completion) }
            presenter(record) { [self] in show(record, $0, completion) }
        }
    }

    private func show(
        _ record: NotificationRecord, _ options: UNNotificationPresentationOptions,
        _ completion: @escaping @Sendable (Result<Bool, UNError>) -> Void
    ) {
        guard options.isShown, record.content.hasText else {
            guard options.contains(.badge), let badge = record.content.badge else {
                return completion(.success(false))
            }
            return link.setBadge(badge) { result in
                completion(result.map { _ in false }.mapError { UNError($0) })
            }
        }
        let notification = record.notification(
            of: link.appName, options, actions: category(of: record)?.buttons ?? [])
        link.send(AddNotification(notification)) {
            completion($0.map { _ in true }.mapError { UNError($0) })
        }
    }
}
