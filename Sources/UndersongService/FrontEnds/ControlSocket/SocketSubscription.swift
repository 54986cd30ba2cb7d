import AudioSession
import Control
import PlayerService

/// Which events one client gets, and by which way.
final class SocketSubscription: Sendable {
    /// Where its events go.
    enum Way: Sendable {
        /// As notices over the client's own connection.
        case notices(ControlSubscriber)
        /// As lines to a descriptor that the client has sent.
        case lines(EventWriter)
    }

    let way: Way
    /// The events that are wanted.
    let selection: EventSelection

    init(_ way: Way, _ selection: EventSelection) {
        self.way = way
        self.selection = selection
    }

    /// Whether its events are written to a descriptor.
    var isWritten: Bool { if case .lines = way { true } else { false } }

    /// Calls `then` when everything that was taken in has been handed on.
    func whenWritten(_ then: @escaping @Sendable () -> Void) {
        if case .lines(let writer) = way { writer.whenWritten(then) } else { then() }
    }

    /// Writes nothing more.
    func end() {
        if case .lines(let writer) = way { writer.close() }
    }
}
