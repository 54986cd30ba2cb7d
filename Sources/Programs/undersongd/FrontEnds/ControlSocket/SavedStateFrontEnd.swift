import Glibc
import Synchronization
import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongLinuxPlatform
import UndersongPlayback
import UndersongStore

/// Answers clients while another process has the session's state: reads what that has saved, and
/// refuses whatever would change it. It never plays.
final class SavedStateFrontEnd: ControlHandler {
    private struct State {
        var clients = 0
        var timer: HostTimer?
        var isOver = false
        /// True if the socket was removed because no client was connected: it may be another's now.
        var hasLeft = false
        /// Greetings that wait until it is known whether the process is about to end.
        var greetings: [Greeting] = []
        /// A process that was waited for and did not end.
        var staying: Int32?
    }

    /// The reply to a client that has greeted, which is sent once.
    private final class Greeting: Sendable {
        private let reply: Mutex<Reply?>

        init(_ reply: @escaping Reply) { self.reply = Mutex(reply) }

        func send(_ result: Result<ControlReply, ControlError>) {
            reply.withLock { $0.take() }?(result)
        }
    }

    private typealias Reply = @Sendable (Result<ControlReply, ControlError>) -> Void

    /// The seconds to wait for the end of a process that does not answer.
    private static let patience = 2.0

    private let folder: String
    private let sessionName: String
    private let socket: ControlSocket
    private let keepsSocket: Bool
    private let idleSeconds: Double?
    private let clock: any HostClock
    private let shutDown: @Sendable () -> Void
    private let state = Mutex(State())
    private let server = Mutex<ControlServer?>(nil)
    private let watchdog = Mutex<SystemdWatchdog?>(nil)

    /// Creates a front end for the state in `folder`, which the process `staying` is known to keep.
    /// `shutDown` ends this process: when a client asks for it, or none was connected for `idleSeconds`.
    init(
        folder: String, staying: Int32?, sessionName: String, runtimeFolder: String,
        keepsSocket: Bool, idleSeconds: Double?, clock: any HostClock,
        shutDown: @escaping @Sendable () -> Void
    ) {
        self.folder = folder
        self.sessionName = sessionName
        socket = ControlSocket(session: sessionName, runtimeFolder: runtimeFolder)
        self.keepsSocket = keepsSocket
        self.idleSeconds = idleSeconds
        self.clock = clock
        self.shutDown = shutDown
        state.withLock { $0.staying = staying }
    }

    /// Starts serving at `listener`, which is closed at the end.
    func start(listener: Int32) {
        let server = ControlServer(listener: listener, handler: self, clock: clock)
        self.server.withLock { $0 = server }
        server.start()
        watchdog.withLock { $0 = SystemdWatchdog { isAlive in isAlive() } }
        considerLeaving()
    }

    /// Stops serving for good, and removes the session's socket, unless it is kept.
    func end() {
        if !keepsSocket, !state.withLock(\.hasLeft) {
            socket.remove()
        }
        stop()
    }

    /// Stops serving, after sending what is waiting. The socket stays, for the service that follows.
    func stop() {
        let (timer, greetings) = state.withLock { state in
            state.isOver = true
            defer { state.greetings = [] }
            return (state.timer, state.greetings)
        }
        timer?.cancel()
        // These clients greet the service that follows.
        for greeting in greetings { greeting.send(.failure(Self.gone)) }
        watchdog.withLock { $0 = nil }
        server.withLock { $0.take() }?.stop(within: 0.3)
    }

    // MARK: Clients

    func opened(_ connection: ControlConnection) {
        let timer = state.withLock { state in
            state.clients += 1
            return state.timer.take()
        }
        timer?.cancel()
    }

    func closed(_ connection: ControlConnection) {
        let isLast = state.withLock { state in
            state.clients -= 1
            return state.clients == 0 && !state.isOver
        }
        if isLast { considerLeaving() }
    }

    private func considerLeaving() {
        guard let idleSeconds else { return }
        let timer = clock.wake(after: idleSeconds, leeway: 100_000_000) { [weak self] in
            self?.leaveIfIdle()
        }
        state.withLock { $0.timer = timer }
    }

    private func leaveIfIdle() {
        server.withLock { $0 }?.stopIfUnused(socket, keepsSocket: keepsSocket) {
            [self] hasStopped in
            guard hasStopped else { return }
            state.withLock { $0.hasLeft = true }
            shutDown()
        }
    }

    // MARK: Requests

    func handle(
        _ request: ControlRequest, from connection: ControlConnection,
        reply: @escaping @Sendable (Result<ControlReply, ControlError>) -> Void
    ) {
        if request.method == Hello.method { return greet(Greeting(reply)) }
        do throws(ControlError) {
            reply(.success(try answer(request)))
        } catch {
            reply(.failure(error))
        }
        if request.method == Shutdown.method { shutDown() }
    }

    private static let gone = ControlError(
        .unavailable, "cannot reach the service: It has gone away")

    /// Answers who has the state: at once if that process answers too, or else when it has not ended
    /// after a while. If it ends, the service that follows answers.
    private func greet(_ greeting: Greeting) {
        let holder = holder
        let (isOver, isStaying) = state.withLock { state in
            let isStaying = state.staying == holder
            if !state.isOver, !isStaying { state.greetings.append(greeting) }
            return (state.isOver, isStaying)
        }
        if isOver { return greeting.send(.failure(Self.gone)) }
        if isStaying { return greeting.send(.success(hello)) }
        startThread(named: "entrance") { [self] in
            if ServiceStarter.answers(at: StateEntrance(folder: folder)) { send(greeting) }
        }
        _ = clock.wake(after: Self.patience, leeway: 50_000_000) { [self] in
            state.withLock { $0.staying = holder }
            send(greeting)
        }
    }

    private func send(_ greeting: Greeting) {
        state.withLock { state in state.greetings.removeAll { $0 === greeting } }
        greeting.send(.success(hello))
    }

    private var hello: ControlReply {
        var reply = Hello.Reply(
            protocol: ControlProtocol.version, version: AudioSession.version,
            session: sessionName, process: getpid())
        reply.heldBy = holder
        return ControlReply(reply)
    }

    /// The process that has the state; 0 if it is not known.
    private var holder: Int32 { Int32(clamping: StateLock.holder(in: folder) ?? 0) }

    private func answer(_ request: ControlRequest) throws(ControlError) -> ControlReply {
        switch request.method {
        case GetStatus.method: return ControlReply(status(try saved()))
        case GetSettings.method: return ControlReply(Settings(try saved().record.settings))
        case ListQueue.method:
            let call = try request.decode(ListQueue.self)
            return ControlReply(
                list(try saved(), from: call.offset ?? 0, call.limit ?? QueueList.limit))
        case Shutdown.method: return ControlReply(Nothing())
        default: break
        }
        throw ControlError(.notPossible, "\(who); nothing was changed")
    }

    private var who: String {
        let process = holder == 0 ? "" : " (process \(holder))"
        return "another service\(process) has the queue of the session \(sessionName)"
    }

    private func saved() throws(ControlError) -> SavedState {
        guard let saved = SavedState(in: folder) else {
            throw ControlError(.notPossible, "\(who), which cannot be read in \(folder)")
        }
        return saved
    }

    private func status(_ saved: SavedState) -> PlayerStatus {
        let record = saved.record
        let place = record.order.current.flatMap { record.order.ids.firstIndex(of: $0) }
        let item = saved.items(CollectionOfOne(record.order.current).compactMap(\.self)).first
        var status = PlayerStatus(
            status: .paused, reason: nil, wantsPlayback: record.wantsPlayback,
            item: item.map { ListedItem($0, at: place ?? 0) },
            place: place ?? record.order.ids.count, count: record.order.ids.count,
            position: WireTime(record.position), settings: Settings(record.settings),
            host: .background, hostSource: "no client")
        status.suspended = true
        status.heldBy = holder
        return status
    }

    private func list(_ saved: SavedState, from offset: Int, _ limit: Int) -> QueueList {
        let order = saved.record.order
        let page = order.ids.dropFirst(max(0, offset)).prefix(min(max(0, limit), QueueList.limit))
        let items = saved.items(page)
        return QueueList(
            items: items.map { item in
                ListedItem(item, at: order.ids.firstIndex(of: item.id) ?? 0)
            }, current: order.current?.number, offset: max(0, offset), count: order.ids.count)
    }
}
