import Synchronization
import UndersongAudioSession
import UndersongBase
import UndersongControl

/// The socket as a front end of the player: translates calls on the wire, listed by `WireMethod`,
/// to use cases, and events and results to messages. Runs on the session's executor.
actor ControlFrontEnd {
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe player.executor.asUnownedSerialExecutor()
    }

    /// The maximum number of descriptors written to at the same time: each may block a thread.
    static let writerLimit = 16

    nonisolated let player: PlayerService
    nonisolated let feed: EventFeed
    let sessionName: String
    private let socket: ControlSocket
    /// True if the socket stays when the service ends, because systemd listens on it.
    private let keepsSocket: Bool
    /// True if the socket was removed because no client was connected: it may be another's now.
    private nonisolated let hasLeft = Atomic(false)
    /// Ends the process.
    let shutDown: @Sendable () -> Void
    var clients: [Int: SocketClient] = [:]
    private nonisolated let server: ControlServer

    /// Creates a front end that, once started, serves `player` to clients of `listener`, and to those who
    /// come to the `stateFolder`, if it has that and can listen there.
    init(
        _ player: PlayerService, sessionName: String, runtimeFolder: String, listener: Int32,
        keepsSocket: Bool, stateFolder: String?, clock: any HostClock,
        shutDown: @escaping @Sendable () -> Void
    ) {
        let handler = RequestHandler()
        self.player = player
        self.sessionName = sessionName
        self.keepsSocket = keepsSocket
        self.shutDown = shutDown
        let entrance = stateFolder.map(StateEntrance.init)
        let socket = ControlSocket(
            session: sessionName, runtimeFolder: runtimeFolder, entrance: entrance)
        self.socket = socket
        server = ControlServer(
            listener: listener,
            entrance: entrance.flatMap { entrance in
                (try? entrance.listen()).map { listener in
                    ControlServer.Entrance(listener: listener) {
                        keepsSocket ? nil : socket.restore()
                    }
                }
            }, handler: handler, clock: clock)
        feed = EventFeed(server)
        handler.open(self)
    }

    /// Delivers events to subscribers from now on. Must be called before the player starts, so that
    /// the end of a run is reported after its last event.
    nonisolated func observe() {
        let feed = feed
        player.observe { feed.receive($0) }
    }

    /// Starts serving.
    nonisolated func start() { server.start() }

    /// Leaves the state to another service.
    nonisolated func leaveState() { socket.entrance?.remove() }

    /// Removes the session's socket, unless it is kept, sends what is waiting for at most this many seconds, and
    /// closes all connections.
    nonisolated func stop(within seconds: Double) {
        if !keepsSocket, !hasLeft.load(ordering: .acquiring) {
            socket.remove()
        }
        server.stop(within: seconds)
    }

    /// Stops if no client is connected, and then calls `whenStopped`.
    nonisolated func stopIfUnused(whenStopped: @escaping @Sendable () -> Void) {
        server.stopIfUnused(socket, keepsSocket: keepsSocket) { [self] hasStopped in
            guard hasStopped else { return }
            hasLeft.store(true, ordering: .releasing)
            whenStopped()
        }
    }

    // MARK: Clients

    fileprivate func opened(_ connection: ControlConnection) async {
        let client = SocketClient(connection, feed: feed)
        clients[connection.id] = client
        await player.connect(client)
    }

    fileprivate func closed(_ connection: ControlConnection) async {
        guard let client = clients.removeValue(forKey: connection.id) else { return }
        for subscription in client.leave() { await end(subscription) }
        await player.disconnect(client.id)
    }

    func end(_ subscription: SocketSubscription) async {
        feed.remove(subscription)
        subscription.end()
        await player.unsubscribe(subscription.selection)
    }

    /// Handles a request. Each one is completed before the client's next one is handled.
    fileprivate func answer(
        _ request: ControlRequest, from connection: ControlConnection
    ) async throws(ControlError) -> ControlReply {
        guard let client = clients[connection.id] else { return ControlReply(Nothing()) }
        guard let method = WireMethod.named[request.method] else {
            throw ControlError(
                .methodNotFound, "cannot call \(request.method): There is no such method")
        }
        return try await method.answer(self, request, client)
    }
}

/// Passes clients and requests from the wire thread to the front end.
private final class RequestHandler: ControlHandler {
    /// Nil until the front end has been created.
    private let frontEnd = Mutex<ControlFrontEnd?>(nil)

    func open(_ frontEnd: ControlFrontEnd) { self.frontEnd.withLock { $0 = frontEnd } }

    private func post(_ work: @escaping @Sendable (isolated ControlFrontEnd) async -> Void) {
        guard let frontEnd = frontEnd.withLock({ $0 }) else { return }
        Task(executorPreference: frontEnd.player.executor) { await work(frontEnd) }
    }

    func opened(_ connection: ControlConnection) {
        post { await $0.opened(connection) }
    }

    func handle(
        _ request: ControlRequest, from connection: ControlConnection,
        reply: @escaping @Sendable (Result<ControlReply, ControlError>) -> Void
    ) {
        post { frontEnd in
            do throws(ControlError) {
                reply(.success(try await frontEnd.answer(request, from: connection)))
            } catch {
                reply(.failure(error))
            }
        }
    }

    func closed(_ connection: ControlConnection) {
        post { await $0.closed(connection) }
    }
}
