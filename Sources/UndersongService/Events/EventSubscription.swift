import AudioSession
import Control
import Playback

/// What one client is told of, and by which way.
final class EventSubscription: Sendable {
    /// Where its events go.
    enum Way: Sendable {
        /// As notices over the client's own connection.
        case notices(ControlSubscriber)
        /// As lines to a descriptor that the client has sent.
        case lines(EventWriter)
    }

    let way: Way
    /// The session's watches whose times are wanted.
    let watches: [WatchID]
    /// The kinds that are wanted; nil: all.
    private let kinds: Set<String>?

    init(_ way: Way, kinds: Set<String>?, watches: [WatchID]) {
        self.way = way
        self.kinds = kinds
        self.watches = watches
    }

    /// Whether its events are written to a descriptor.
    var isWritten: Bool { if case .lines = way { true } else { false } }

    /// Whether the client wants to be told of `event`.
    func wants(_ event: SessionEvent) -> Bool {
        if let watch = event.watch, !watches.contains(watch) { return false }
        return kinds?.contains(event.kind.name) ?? true
    }

    /// Calls `then` when everything that was taken in has been handed on.
    func whenWritten(_ then: @escaping @Sendable () -> Void) {
        if case .lines(let writer) = way { writer.whenWritten(then) } else { then() }
    }

    /// Writes nothing more.
    func end() {
        if case .lines(let writer) = way { writer.close() }
    }
}
