import Threads

/// The thread of a connection to a sound server. It does what others leave for it while it waits in
/// the connection's main loop, and runs one stream after the other.
final class ServerThread: @unchecked Sendable {
    // Unchecked: all but the list of work belongs to the thread.

    let connection: ServerConnection
    private let work = WorkList()
    private var bodies: [@Sendable () -> Void] = []
    private var isEnding = false

    init(_ configuration: PulseServer.Configuration) {
        connection = ServerConnection(configuration, doing: work)
    }

    /// Starts the thread. Once only.
    func start() { startThread(named: "sound-server", isUrgent: true) { self.loop() } }

    /// Leaves work with the connection for the thread. Any thread; it does not wait.
    func post(_ body: @escaping @Sendable (ServerConnection) -> Void) {
        work.post { [unowned self] in body(connection) }
    }

    /// Runs `body` after those that run, or wait to. Any thread; it does not wait.
    func run(_ body: @escaping @Sendable () -> Void) {
        work.post { [unowned self] in bodies.append(body) }
    }

    /// Ends the thread and the connection after what runs, or waits to. Nobody hears of the server any
    /// more.
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
                // Its descriptor goes with it.
                connection.loop.forgetWatched()
            }
        }
        connection.close()
    }
}
