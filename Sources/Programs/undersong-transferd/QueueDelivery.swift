import Dispatch
import UndersongControl
import UndersongPlayback
import UndersongTransfers

/// Asks the session's player to take finished files into its queue, as any client does. Starts the
/// player's service if it is not running.
///
/// Files are sent one after the other, so that those that finish together are queued in that order.
final class QueueDelivery: Sendable {
    /// The sockets of the service that has the queue.
    private let socket: ControlSocket
    /// The program to start; nil where systemd listens for it.
    private let program: ServiceStarter.Program?
    let deliveries = DispatchQueue(label: "undersong.queue")

    /// `program` is the path of the service's program; nil if only systemd may start it.
    init(to socket: ControlSocket, program: String?) {
        self.socket = socket
        self.program = program.map { path in
            ServiceStarter.Program(
                path: path,
                arguments: [
                    "serve", "--session", socket.session, "--listen-fd", "3", "--on-demand",
                ])
        }
    }

    /// Sends a placement. `answer` is called once, on a thread of this object's.
    func send(
        _ path: String, _ placement: QueuePlacement,
        _ answer: @escaping @Sendable (QueueAnswer) -> Void
    ) {
        deliveries.async { [self] in answer(deliver(path, placement)) }
    }

    private func deliver(_ path: String, _ placement: QueuePlacement) -> QueueAnswer {
        let files = Files([path])
        do throws(ControlError) {
            let client = try connect()
            let reply =
                switch placement.place {
                case .end: try client.call(AddToQueue(files, key: placement.key))
                case .next: try client.call(InsertIntoQueue(files, after: nil, key: placement.key))
                }
            // Without a problem, it was added before.
            guard reply.addedCount == 0, let problem = reply.problems.first else { return .joined }
            return .refused(problem)
        } catch {
            return Self.isFinal(error) ? .refused(error.message) : .unavailable(error.message)
        }
    }

    func connect() throws(ControlError) -> ControlClient {
        let name = "undersong-transferd"
        guard let program else {
            return try ServiceStarter.connect(to: socket, name: name)
        }
        return try ServiceStarter.connect(to: socket, program: program, name: name)
    }

    /// True if the same request cannot succeed later.
    static func isFinal(_ error: ControlError) -> Bool {
        [.invalidParams, .invalidRequest, .methodNotFound, .notFound].contains(error.code)
    }
}
