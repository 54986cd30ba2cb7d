import Synchronization
import UndersongBackground
import UndersongPlayback

/// Numbers every event, combines it with the state of the player under one lock, and passes it to the
/// subscribers in order. Any thread may publish.
final class EventHub: Sendable {
    /// Receives an event. Called under the hub's lock: it must not block or publish.
    typealias Subscriber = @Sendable (PlayerEvent) -> Void

    /// Wraps a closure, which an array would otherwise wrap in another one.
    fileprivate struct Subscription {
        let receive: Subscriber
    }

    fileprivate struct State {
        /// The last event, updated in place to make the next one.
        var event = PlayerEvent()
        var hasEnded = false
        var subscriptions: [Subscription] = []
    }

    private let state = Mutex(State())

    func subscribe(_ subscriber: @escaping Subscriber) {
        state.withLock { $0.subscriptions.append(Subscription(receive: subscriber)) }
    }

    /// Sends events of `kinds` to `subscriber` only, and then calls `then` before any other event
    /// happens. Neither may block or publish.
    func sendSnapshot(
        with kinds: [PlayerEvent.Kind], at hostTime: Int64, _ subscriber: Subscriber,
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

    /// Publishes the status as of `hostTime`, if it differs from the last one published.
    func publish(_ status: TimeControlStatus, at hostTime: Int64) {
        state.withLock { state in
            var head = state.event.head
            head.enter(status)
            guard head != state.event.head else { return }
            state.event.head = head
            state.publish(.state, at: hostTime, watch: nil)
        }
    }

    /// Publishes `kind` as of `hostTime`, after `change` has updated the head.
    func publish(
        _ kind: PlayerEvent.Kind, at hostTime: Int64, watch: WatchID? = nil,
        change: @Sendable (inout PlayerEvent.Head) -> Void = { _ in }
    ) {
        state.withLock { state in
            change(&state.event.head)
            state.publish(kind, at: hostTime, watch: watch)
        }
    }
}

extension EventHub.State {
    /// Makes the next event from the last one and delivers it, unless the last one was the end.
    fileprivate mutating func publish(
        _ kind: PlayerEvent.Kind, at hostTime: Int64, watch: WatchID?
    ) {
        guard !hasEnded else { return }
        if case .end = kind { hasEnded = true }
        number(kind, at: hostTime, watch: watch)
        for subscription in subscriptions { subscription.receive(event) }
    }

    /// Makes the next event from the last one.
    fileprivate mutating func number(
        _ kind: PlayerEvent.Kind, at hostTime: Int64, watch: WatchID?
    ) {
        event.head.sequence += 1
        event.head.hostTime = max(event.head.hostTime, hostTime)
        event.kind = kind
        event.watch = watch
    }
}
