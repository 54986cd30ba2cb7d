import UndersongControl

/// The events that a client receives, and how.
final class SocketSubscription: Sendable {
    /// A way to deliver events.
    enum Way: Sendable {
        /// As notices over the client's connection.
        case notices(ControlSubscriber)
        /// As lines to a descriptor sent by the client.
        case lines(EventWriter)
    }

    let way: Way
    /// The selected events.
    let selection: EventSelection

    init(_ way: Way, _ selection: EventSelection) {
        self.way = way
        self.selection = selection
    }

    /// True if events are written to a descriptor.
    var isWritten: Bool { if case .lines = way { true } else { false } }

    /// Calls `then` when all events taken so far are delivered.
    func whenWritten(_ then: @escaping @Sendable () -> Void) {
        if case .lines(let writer) = way { writer.whenWritten(then) } else { then() }
    }

    /// Stops writing.
    func end() {
        if case .lines(let writer) = way { writer.close() }
    }
}
