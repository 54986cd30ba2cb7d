import Synchronization
import UndersongBackground
import UndersongControl
import UndersongPlayback

/// Delivers the session's events to all subscriptions without blocking the thread where they
/// happen. The line of an event is encoded once for all of them.
final class EventFeed: Sendable {
    /// The number of subscribers that get a notice at once; more are left to the wire thread.
    private static let promptCount = 4

    private let subscriptions = Mutex<[SocketSubscription]>([])
    private let server: ControlServer

    /// Creates a feed for the clients of `server`.
    init(_ server: ControlServer) { self.server = server }

    /// Handles an event on the thread where it happened; one at a time.
    func receive(_ event: PlayerEvent) {
        hand(event, to: subscriptions.withLock { $0 })
    }

    /// Sends an event to `subscription` only.
    func sendSnapshot(_ subscription: SocketSubscription, with event: PlayerEvent) {
        hand(event, to: [subscription])
    }

    /// Adds a subscription.
    func add(_ subscription: SocketSubscription) {
        subscriptions.withLock { $0.append(subscription) }
    }

    /// Removes a subscription.
    func remove(_ subscription: SocketSubscription) {
        subscriptions.withLock { $0.removeAll { $0 === subscription } }
    }

    private func hand(_ event: PlayerEvent, to subscriptions: [SocketSubscription]) {
        var subscribers: [ControlSubscriber] = []
        for subscription in subscriptions where subscription.selection.wants(event) {
            switch subscription.way {
            case .lines(let writer): writer.receive(event)
            case .notices(let subscriber): subscribers.append(subscriber)
            }
        }
        guard !subscribers.isEmpty else { return }
        let object = (try? EventLine.object(event)) ?? []
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

extension PlayerEvent {
    /// True if a similar event follows soon, so that a slow reader can do without this one.
    fileprivate var isPeriodic: Bool {
        if case .time(isExact: false) = kind { true } else { false }
    }
}
