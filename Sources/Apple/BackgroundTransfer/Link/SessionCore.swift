import Dispatch
import Foundation
import Synchronization
import UndersongAppHost
import UndersongBackground
import UndersongControl
import UndersongTransferClient
import UndersongTransfers

/// A session's side of the connection to `undersong-transferd`: it repeats what that has not got
/// when it was killed, and passes events on one by one.
///
/// Work that waits for the process is done on `queue`, in order. Nothing on it waits for
/// the delegate's queue, so the delegate may call everything.
final class SessionCore: TaskOwner {
    /// Seconds before another attempt to connect, each time.
    static let delays = [0, 0.1, 0.2, 0.5, 1, 2]
    /// Attempts while another process has the session, which may be about to end.
    static let attemptsInUse = 4
    /// Nanoseconds after which a connection has lasted.
    static let steadyTime: Int64 = 10_000_000_000

    /// The session's knowledge of a task beyond what the task shows.
    struct Entry {
        let task: URLSessionTask
        /// The call that adds it; nil if the session had it already.
        var call: AddSessionTask?
        /// The reason it cannot be transferred at all.
        var failure: URLError?
        /// The state in the transfer process.
        var remote = SessionTaskStatus.State.suspended
        /// True if it was begun in the background.
        var isBackground = false
        var isKeeping = false
        /// The handlers that wait for resume data.
        var keepers: [@Sendable (Data?) -> Void] = []
        /// The question that was not answered yet, the number of the last one that the delegate was
        /// asked, and the answer to that.
        var question: SessionQuestion?
        var askedQuestion = 0
        var answer: AnswerSessionTask?
        /// The number of bytes that was reported last.
        var received: Int64 = 0
        var sent: Int64 = 0
        var origin: Int64?
    }

    struct State {
        var delegate: (any URLSessionDelegate)?
        var session: URLSession?
        var label: String?
        /// The time at which the connection became the session's; nil while there is none, or it is
        /// still opening.
        var joinTime: Int64?
        /// The attempts to connect since a connection has lasted.
        var attempts = 0
        var hasOpened = false
        var nextTask = 1
        var entries: [Int: Entry] = [:]
        /// True if an event is asked for or delivered.
        var isDelivering = false
        /// True if there may be another.
        var hasMore = false
        /// Events that were delivered, and perhaps not acknowledged.
        var delivered: Set<DeliveredEvent> = []
        /// The number of questions that the delegate has not answered.
        var questions = 0
        var isFinishing = false
        /// The reason it is invalid, if it is.
        var ending: URLError?
        var isInvalid = false
    }

    /// Identifies an event.
    struct DeliveredEvent: Hashable {
        let task: Int
        let phase: SessionTaskEvent.Phase
    }

    let options: SessionOptions
    let identifier: String
    let credentials = CredentialStore()
    let delegateQueue: OperationQueue
    let queue: DispatchQueue
    let link: ControlLink
    let state: Mutex<State>
    let opening = DispatchGroup()
    let board: BackgroundSessionBoard
    let isInBackground = Mutex(false)

    init(
        _ options: SessionOptions, _ identifier: String, _ delegate: any URLSessionDelegate,
        _ queue: OperationQueue,
        _ board: BackgroundSessionBoard
    ) {
        self.options = options
        self.identifier = identifier
        self.board = board
        delegateQueue = queue
        state = Mutex(State(delegate: delegate))
        self.queue = DispatchQueue(label: "background session")
        link = ControlLink(
            options.transferService.location, name: "background session", clock: options.clock,
            queue: self.queue)
    }

    /// The connection's client; nil while there is none.
    var client: ControlClient? { link.connection?.client }

    var delegate: (any URLSessionDelegate)? { state.withLock(\.delegate) }

    var label: String? {
        get { state.withLock(\.label) }
        set { state.withLock { $0.label = newValue } }
    }

    func start(_ session: URLSession, _ host: HostStateBroadcaster) {
        state.withLock { $0.session = session }
        opening.enter()
        host.read { [weak self] in self?.handle($0) }
        board.add(identifier) { [weak self] in
            guard let self else { return }
            queue.async { self.pump() }
        }
        link.open(handlers)
    }

    // MARK: The application

    /// True if events have to wait until the application has been notified (J11).
    var isHeld: Bool {
        isInBackground.withLock(\.self) && !board.isNotified(identifier)
            && !state.withLock(\.isFinishing)
    }

    func handle(_ notice: HostStateBroadcaster.Notice) {
        let isBackground = notice.applicationState == .background
        let wasBackground = isInBackground.withLock { value in
            defer { value = isBackground }
            return value
        }
        guard wasBackground, !isBackground else { return }
        queue.async {
            self.client?.send(ForegroundSession(session: self.identifier))
            self.pump()
        }
    }
}

extension SessionCore.Entry {
    var number: Int { task.taskIdentifier }
}

extension SessionCore {
    // MARK: The connection

    var handlers: ControlLink.Handlers {
        ControlLink.Handlers(
            opened: { connection throws(ControlError) in
                let call = OpenSession(session: self.identifier, launch: self.options.launch)
                let reply = try connection.client.call(call)
                self.state.withLock { $0.joinTime = self.options.clock.now }
                self.rejoin(reply)
            },
            notice: { message, connection in
                self.link.perform(on: connection) { _ in self.handle(message) }
            },
            ended: { error, _ in self.delay(after: error) })
    }

    /// The seconds until another attempt; nil if the session is invalid, since it was refused or tried
    /// often enough. A process that ends again and again may be of use in between: it is started for
    /// ever.
    func delay(after error: ControlError) -> Double? {
        let now = options.clock.now
        let delay = state.withLock { state -> Double? in
            if let time = state.joinTime, now - time >= Self.steadyTime { state.attempts = 0 }
            defer { state.attempts += 1 }
            if state.joinTime.take() != nil {
                return Self.delays[min(state.attempts, Self.delays.count - 1)]
            }
            guard error.code != .invalidParams else { return nil }
            let most = error.code == .inUse ? Self.attemptsInUse : Self.delays.count
            return state.attempts < most ? Self.delays[state.attempts] : nil
        }
        if delay == nil { invalidate(with: TransferErrors.error(for: error)) }
        return delay
    }

    func rejoin(_ reply: OpenSession.Reply) {
        let isFirst = state.withLock { state in
            defer { state.hasOpened = true }
            state.nextTask = max(state.nextTask, reply.nextTask)
            return !state.hasOpened
        }
        var known: Set<Int> = []
        for status in reply.tasks {
            known.insert(status.task)
            let isOver = state.withLock {
                $0.delivered.contains(DeliveredEvent(task: status.task, phase: .end))
            }
            if !isOver { adopt(status) }
        }
        let entries = state.withLock { $0.entries.values.sorted { $0.number < $1.number } }
        for entry in entries where entry.failure == nil {
            if !known.contains(entry.number) { sendAdd(entry) }
            repeatRequests(entry)
        }
        if isFirst { opening.leave() }
        pump()
    }

    /// Repeats what the process may not have got before it was lost.
    func repeatRequests(_ entry: Entry) {
        if let answer = entry.answer, answer.question == entry.question?.number {
            client?.send(answer)
        }
        switch entry.task.state {
        case .running where entry.remote == .suspended: sendResume(entry)
        case .suspended where entry.remote == .running: sendSuspend(entry.number)
        case .canceling where entry.remote == .suspended || entry.remote == .running:
            sendCancel(entry.number)
        default: break
        }
    }

    /// Takes over a task that the session has.
    @discardableResult
    func adopt(_ status: SessionTaskStatus) -> URLSessionTask {
        if let entry = state.withLock({ $0.entries[status.task] }) {
            update(entry.task, status)
            return entry.task
        }
        var request = URLRequest(
            url: status.request.flatMap { URL(string: $0.url) } ?? URL(fileURLWithPath: "/"))
        request.httpMethod = status.request?.method
        request.fields = status.request?.fields ?? []
        let task =
            status.request?.body == nil
            ? URLSessionDownloadTask(status.task, request, core: self)
            : URLSessionUploadTask(status.task, request, core: self)
        task.values.withLock { values in
            values.label = status.description
            values.state = status.state == .suspended ? .suspended : .running
        }
        var entry = Entry(task: task)
        entry.received = status.received
        entry.sent = status.sent ?? 0
        entry.origin = status.origin
        state.withLock { $0.entries[status.task] = entry }
        update(task, status)
        return task
    }

    func update(_ task: URLSessionTask, _ status: SessionTaskStatus) {
        state.withLock { state in
            state.entries[status.task]?.remote = status.state
            state.entries[status.task]?.question = status.question
        }
        task.update(status)
    }

    // MARK: The end

    /// Becomes invalid if that is wanted and all tasks are over.
    func finishIfDone() {
        guard let client else { return }
        let isDone = state.withLock { state in
            guard state.isFinishing, state.entries.isEmpty, !state.isDelivering, !state.isInvalid
            else { return false }
            state.isInvalid = true
            return true
        }
        guard isDone else { return }
        board.remove(identifier)
        client.send(CloseSession(session: identifier)) { _ in
            self.link.close()
            self.becomeInvalid(nil)
        }
    }

    /// The session cannot be used: all tasks fail.
    func invalidate(with error: URLError) {
        let (tasks, wasOpened) = state.withLock { state in
            defer {
                state.isInvalid = true
                state.isFinishing = true
                state.ending = error
                state.hasOpened = true
            }
            return (
                state.entries.values.sorted { $0.number < $1.number }.map(\.task), state.hasOpened
            )
        }
        link.close()
        board.remove(identifier)
        for task in tasks { end(task, error) }
        becomeInvalid(error)
        if !wasOpened { opening.leave() }
    }

    func becomeInvalid(_ error: URLError?) {
        callDelegate { session, delegate in
            delegate.urlSession(session, didBecomeInvalidWithError: error)
        }
        // Tasks that are made of a session that could not be used report that they fail.
        guard error == nil else { return }
        delegateQueue.addOperation {
            self.state.withLock { state in
                state.delegate = nil
                state.session = nil
            }
        }
    }
}
