import AudioSession
import Control
import Playback
import Synchronization

/// Hands the session's events on to all subscriptions, without making the thread wait where they
/// happen. The line of an event is made once, for as many as want it.
final class EventFeed: Sendable {
    /// So many get a notice at once; more are left to the wire's own thread.
    private static let promptCount = 4

    private let subscriptions = Mutex<[SocketSubscription]>([])
    private let encoders = EventEncoders()
    private let server: ControlServer

    /// Makes a feed for the clients of `server`.
    init(_ server: ControlServer) { self.server = server }

    /// Takes an event in, on the thread where it happened; one at a time.
    func take(_ event: SessionEvent) {
        hand(event, to: subscriptions.withLock { $0 })
    }

    /// Hands `subscription` alone an event that greets it.
    func greet(_ subscription: SocketSubscription, with event: SessionEvent) {
        hand(event, to: [subscription])
    }

    /// Hands events on to `subscription` from now on.
    func add(_ subscription: SocketSubscription) {
        subscriptions.withLock { $0.append(subscription) }
    }

    /// Hands it no more.
    func remove(_ subscription: SocketSubscription) {
        subscriptions.withLock { $0.removeAll { $0 === subscription } }
    }

    private func hand(_ event: SessionEvent, to subscriptions: [SocketSubscription]) {
        var subscribers: [ControlSubscriber] = []
        for subscription in subscriptions where subscription.selection.wants(event) {
            switch subscription.way {
            case .lines(let writer): writer.take(event)
            case .notices(let subscriber): subscribers.append(subscriber)
            }
        }
        guard !subscribers.isEmpty else { return }
        let object = encoders.object(for: event)
        let isDroppable = event.isPeriodic
        guard subscribers.count <= Self.promptCount else {
            return server.deliver(object, to: subscribers, isDroppable: isDroppable)
        }
        for subscriber in subscribers {
            subscriber.connection.deliver(
                object, subscription: subscriber.subscription, isDroppable: isDroppable)
        }
    }
}

/// An encoder for each watch, since one remembers the last line that it made.
private final class EventEncoders: Sendable {
    private let encoders = Mutex<[WatchID?: EventLineEncoder]>([:])

    /// The JSON object of an event, without a line feed; empty when it cannot be made.
    func object(for event: SessionEvent) -> [UInt8] {
        let encoder = encoders.withLock { encoders in
            if let encoder = encoders[event.watch] { return encoder }
            let encoder = EventLineEncoder()
            encoders[event.watch] = encoder
            return encoder
        }
        return (try? encoder.line(for: event))?.dropLast() ?? []
    }
}

extension SessionEvent {
    /// Whether another one like it comes soon, so that a slow reader can do without.
    fileprivate var isPeriodic: Bool {
        if case .time(isExact: false) = kind { true } else { false }
    }
}
