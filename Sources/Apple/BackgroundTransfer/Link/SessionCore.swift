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
/// What waits for the process happens on `queue`, one thing after the other. Nothing on it waits for
/// the delegate's queue, so the delegate may call everything.
final class SessionCore: Sendable {
    /// Seconds before another attempt to connect, each time.
    static let delays = [0, 0.1, 0.2, 0.5, 1, 2]
    /// Attempts while another process has the session, which may be about to end.
    static let attemptsInUse = 4
    /// Nanoseconds after which a connection has lasted.
    static let steadyTime: Int64 = 10_000_000_000

    /// What is known of a task beside what it shows.
    struct Entry {
        let task: URLSessionTask
        /// The call that adds it; nil if the session had it already.
        var call: AddSessionTask?
        /// Why it cannot be transferred at all.
        var failure: URLError?
        /// What it is doing there.
        var remote = SessionTaskStatus.State.suspended
        /// Whether it was begun in the background.
        var isBackground = false
        var isKeeping = false
        /// Who waits for resume data.
        var keepers: [@Sendable (Data?) -> Void] = []
        /// What was reported last.
        var received: Int64 = 0
        var sent: Int64 = 0
        var origin: Int64?
    }

    struct State {
        var delegate: (any URLSessionDelegate)?
        var session: URLSession?
        var label: String?
        /// When the connection became the session's; nil while there is none, or it is not yet.
        var joinTime: Int64?
        /// The attempts to connect since a connection has lasted.
        var attempts = 0
        var hasOpened = false
        var nextTask = 1
        var entries: [Int: Entry] = [:]
        /// Whether an event is asked for or delivered.
        var isDelivering = false
        /// Whether there may be another.
        var hasMore = false
        /// Events that were delivered, and perhaps not acknowledged.
        var delivered: Set<DeliveredEvent> = []
        var isFinishing = false
        /// Why it is invalid, if it is.
        var ending: URLError?
        var isInvalid = false
    }

    /// Identifies an event.
    struct DeliveredEvent: Hashable {
        let task: Int
        let phase: SessionTaskEvent.Phase
    }

    let options: SessionOptions
    let delegateQueue: OperationQueue
    let queue: DispatchQueue
    let link: ControlLink
    let state: Mutex<State>
    let opening = DispatchGroup()
    let board: BackgroundSessionBoard
    let isInBackground = Mutex(false)

    var identifier: String { options.identifier }

    init(
        _ options: SessionOptions, _ delegate: any URLSessionDelegate, _ queue: OperationQueue,
        _ board: BackgroundSessionBoard
    ) {
        self.options = options
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
        host.read { [weak self] in self?.take($0) }
        board.add(identifier) { [weak self] in
            guard let self else { return }
            queue.async { self.pump() }
        }
        link.open(handlers)
    }

    // MARK: The application

    /// Whether events have to wait until the application has been notified (J11).
    var isHeld: Bool {
        isInBackground.withLock(\.self) && !board.isAnnounced(identifier)
            && !state.withLock(\.isFinishing)
    }

    func take(_ notice: HostStateBroadcaster.Notice) {
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
