import UndersongBase

/// The thread of a connection to a sound server. It performs posted work while it waits in the
/// connection's main loop, and runs streams one after another.
final class ServerThread: @unchecked Sendable {
    // Unchecked: everything but the list of work belongs to the thread.

    let connection: ServerConnection
    private let work = WorkList()
    private var bodies: [@Sendable () -> Void] = []
    private var isEnding = false

    init(_ configuration: PulseServer.Configuration) {
        connection = ServerConnection(configuration, doing: work)
    }

    /// Starts the thread. To be called once only.
    func start() { startThread(named: "sound-server", isUrgent: true) { self.loop() } }

    /// Posts work with the connection for the thread. Any thread; does not wait.
    func post(_ body: @escaping @Sendable (ServerConnection) -> Void) {
        work.post { [unowned self] in body(connection) }
    }

    /// Runs `body` after all earlier ones. Any thread; does not wait.
    func run(_ body: @escaping @Sendable () -> Void) {
        work.post { [unowned self] in bodies.append(body) }
    }

    /// Ends the thread and the connection after all earlier work. Nothing is reported about the
    /// server any more.
    func end() {
        work.post { [unowned self] in
            connection.listener?.end()
            isEnding = true
        }
    }

    private func loop() {
        while !isEnding || !bodies.isEmpty {
            if bodies.isEmpty {
                connection.loop.iterate(until: nil)
            } else {
                bodies.removeFirst()()
                // The descriptor is about to be closed.
                connection.loop.forgetWatched()
            }
        }
        connection.close()
    }
}
