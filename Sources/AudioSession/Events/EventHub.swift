import Playback
import Synchronization

/// Numbers every event, joins it with the snapshot under one lock, and hands it to the subscribers
/// in order. Any thread may publish.
final class EventHub: Sendable {
    /// Takes an event. It is called under the hub's lock: it must not block or publish.
    typealias Subscriber = @Sendable (SessionEvent) -> Void

    /// Holds a subscriber as it is: an array by itself would put another function around it.
    fileprivate struct Subscription {
        let take: Subscriber
    }

    fileprivate struct State {
        /// The last event, of which the next one is made in place.
        var event = SessionEvent()
        var hasEnded = false
        var subscriptions: [Subscription] = []
    }

    private let state = Mutex(State())

    func subscribe(_ subscriber: @escaping Subscriber) {
        state.withLock { $0.subscriptions.append(Subscription(take: subscriber)) }
    }

    /// Tells `subscriber` alone events of `kinds`, and then calls `then` before any other event
    /// happens. Neither may block or publish.
    func greet(
        with kinds: [SessionEvent.Kind], at hostTime: Int64, _ subscriber: Subscriber,
        then: () -> Void
    ) {
        state.withLock { state in
            for kind in kinds {
                state.number(kind, at: hostTime, watch: nil)
                subscriber(state.event)
            }
            then()
        }
    }

    /// Publishes the status as of `hostTime`, where it is not the one that was published last.
    func publish(_ status: TimeControlStatus, at hostTime: Int64) {
        state.withLock { state in
            guard state.event.snapshot.status != status else { return }
            state.event.snapshot.status = status
            state.publish(.state, at: hostTime, watch: nil)
        }
    }

    /// Publishes `kind` as of `hostTime`, after `change` has brought the snapshot up to date.
    func publish(
        _ kind: SessionEvent.Kind, at hostTime: Int64, watch: WatchID? = nil,
        change: @Sendable (inout SessionEvent.Snapshot) -> Void = { _ in }
    ) {
        state.withLock { state in
            change(&state.event.snapshot)
            state.publish(kind, at: hostTime, watch: watch)
        }
    }
}

extension EventHub.State {
    /// Makes the next event of the last one and hands it out, unless the last was the end.
    fileprivate mutating func publish(
        _ kind: SessionEvent.Kind, at hostTime: Int64, watch: WatchID?
    ) {
        guard !hasEnded else { return }
        if case .end = kind { hasEnded = true }
        number(kind, at: hostTime, watch: watch)
        for subscription in subscriptions { subscription.take(event) }
    }

    /// Makes the next event of the last one.
    fileprivate mutating func number(
        _ kind: SessionEvent.Kind, at hostTime: Int64, watch: WatchID?
    ) {
        event.sequence += 1
        event.hostTime = max(event.hostTime, hostTime)
        event.kind = kind
        event.watch = watch
    }
}
