public import OpenCombine
import Synchronization
public import UndersongAVFoundation

extension NSKeyValueObservation.Observable {
    /// Publishes the values of `keyPath`, as `observe(_:options:changeHandler:)` reports them: on the
    /// thread that sets them, the main queue for what playback changes. The current value comes
    /// first, unless `options` lack `initial`. A subscriber that demands fewer values than there are
    /// gets the newest when it demands one again. The subscription retains this object.
    public func publisher<Value>(
        for keyPath: KeyPath<Self, Value>,
        options: NSKeyValueObservingOptions = [.initial, .new]
    ) -> KeyValueObservingPublisher<Self, Value> {
        KeyValueObservingPublisher(object: self, keyPath: keyPath, options: options)
    }
}

/// Publishes the values of a key path of an object; Apple's
/// `NSObject.KeyValueObservingPublisher`. It never fails and never finishes.
public struct KeyValueObservingPublisher<Object: NSKeyValueObservation.Observable, Value>:
    Publisher, Equatable
{
    /// A value at the key path.
    public typealias Output = Value
    /// The failure of the publisher, which never fails.
    public typealias Failure = Never

    /// The observed object.
    public let object: Object
    /// The path to the value.
    public let keyPath: KeyPath<Object, Value>
    /// The options; `initial` publishes the current value first.
    public let options: NSKeyValueObservingOptions

    /// Makes a publisher of the values at `keyPath` of `object`.
    public init(
        object: Object, keyPath: KeyPath<Object, Value>, options: NSKeyValueObservingOptions
    ) {
        self.object = object
        self.keyPath = keyPath
        self.options = options
    }

    /// Returns true if both publish the same values of the same object.
    public static func == (first: Self, second: Self) -> Bool {
        first.object === second.object && first.keyPath == second.keyPath
            && first.options == second.options
    }

    /// Gives `subscriber` a subscription.
    public func receive<Downstream: Subscriber>(
        subscriber: Downstream
    ) where Downstream.Input == Value, Downstream.Failure == Never {
        let subscription = Subscription(self, subscriber)
        subscriber.receive(subscription: subscription)
        subscription.begin(self)
    }

    /// Passes values on as far as they are demanded.
    ///
    /// Unchecked because subscribers and values may be of any type: the state is accessed under the
    /// lock, and the subscriber is called without it, one call after the other.
    private final class Subscription<Downstream: Subscriber>: OpenCombine.Subscription,
        @unchecked Sendable
    where Downstream.Input == Value, Downstream.Failure == Never {
        private struct State {
            var object: Object?
            var downstream: Downstream?
            var observation: NSKeyValueObservation?
            var demand = Subscribers.Demand.none
            /// True if there is a value that was not demanded.
            var isBehind = false
            var isSending = false
        }

        private let keyPath: KeyPath<Object, Value>
        private let lock = NSLock()
        private var state: State

        init(_ publisher: KeyValueObservingPublisher, _ downstream: Downstream) {
            keyPath = publisher.keyPath
            state = State(object: publisher.object, downstream: downstream)
        }

        func begin(_ publisher: KeyValueObservingPublisher) {
            let observation = publisher.object.observe(
                keyPath, options: publisher.options.intersection(.initial)
            ) { [weak self] _, _ in self?.changed() }
            let isCancelled = lock.withLock {
                guard state.downstream != nil else { return true }
                state.observation = observation
                return false
            }
            if isCancelled { observation.invalidate() }
        }

        func request(_ demand: Subscribers.Demand) {
            lock.withLock { state.demand += demand }
            send()
        }

        func cancel() {
            let observation = lock.withLock {
                defer { state = State() }
                return state.observation
            }
            observation?.invalidate()
        }

        private func changed() {
            lock.withLock { state.isBehind = true }
            send()
        }

        /// Sends the newest value, and again while there is a newer one. A change during a call of
        /// the subscriber, by it or by another thread, is sent after that call.
        private func send() {
            while let (object, downstream) = next() {
                let more = downstream.receive(object[keyPath: keyPath])
                lock.withLock {
                    state.isSending = false
                    state.demand += more
                }
            }
        }

        private func next() -> (Object, Downstream)? {
            lock.withLock {
                guard state.isBehind, !state.isSending, state.demand > .none,
                    let object = state.object, let downstream = state.downstream
                else { return nil }
                state.isBehind = false
                state.isSending = true
                state.demand -= 1
                return (object, downstream)
            }
        }
    }
}
