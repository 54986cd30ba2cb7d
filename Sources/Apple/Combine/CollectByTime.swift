import Foundation
public import OpenCombine

extension Publishers {
    /// The occasions on which collected values are published.
    public enum TimeGroupingStrategy<Context: Scheduler> {
        /// At the end of each interval of the scheduler's time.
        case byTime(Context, Context.SchedulerTimeType.Stride)
        /// As `byTime`, and as soon as there are that many values.
        case byTimeOrCount(Context, Context.SchedulerTimeType.Stride, Int)
    }

    /// Collects the values of a publisher, and publishes them together at the end of each interval in
    /// which there were any, and at the end.
    public struct CollectByTime<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The values that were collected, in their order.
        public typealias Output = [Upstream.Output]
        /// The failure of the publisher; the values collected last are dropped then.
        public typealias Failure = Upstream.Failure

        /// The publisher of the values.
        public let upstream: Upstream
        /// The occasions on which values are published.
        public let strategy: TimeGroupingStrategy<Context>
        /// The scheduler's options.
        public let options: Context.SchedulerOptions?

        /// Makes a publisher of what `upstream` publishes.
        public init(
            upstream: Upstream, strategy: TimeGroupingStrategy<Context>,
            options: Context.SchedulerOptions?
        ) {
            self.upstream = upstream
            self.strategy = strategy
            self.options = options
        }

        /// Gives `subscriber` a subscription. All values are demanded of the publisher.
        public func receive<Downstream: Subscriber>(
            subscriber: Downstream
        ) where Downstream.Input == Output, Downstream.Failure == Failure {
            let collector = Collector<Upstream.Output, Downstream>(subscriber, most: most)
            collector.timer = context.schedule(
                after: context.now.advanced(by: interval), interval: interval,
                tolerance: context.minimumTolerance, options: options
            ) { [weak collector] in collector?.intervalEnded() }
            upstream.subscribe(collector)
        }

        private var context: Context {
            switch strategy {
            case .byTime(let context, _), .byTimeOrCount(let context, _, _): context
            }
        }

        private var interval: Context.SchedulerTimeType.Stride {
            switch strategy {
            case .byTime(_, let interval), .byTimeOrCount(_, let interval, _): interval
            }
        }

        private var most: Int? {
            if case .byTimeOrCount(_, _, let count) = strategy { count } else { nil }
        }
    }
}

extension Publisher {
    /// Collects values, and publishes them together by time, or by time or number.
    public func collect<S: Scheduler>(
        _ strategy: Publishers.TimeGroupingStrategy<S>, options: S.SchedulerOptions? = nil
    ) -> Publishers.CollectByTime<Self, S> {
        Publishers.CollectByTime(upstream: self, strategy: strategy, options: options)
    }
}

/// The values that were collected, and the subscription of what takes them.
///
/// Unchecked because subscribers and values may be of any type: the state is accessed under the lock,
/// and the subscriber is called without it, one call after the other.
private final class Collector<Value, Downstream: Subscriber>: Subscriber, Subscription,
    @unchecked Sendable
where Downstream.Input == [Value] {
    typealias Input = Value
    typealias Failure = Downstream.Failure

    private struct State {
        var downstream: Downstream?
        var upstream: (any Subscription)?
        var values: [Value] = []
        var demand = Subscribers.Demand.none
        var completion: Subscribers.Completion<Downstream.Failure>?
        /// True if an interval has ended since values were sent.
        var isDue = false
        var isSending = false
    }

    private enum Call {
        case values(Downstream, [Value])
        case completion(Downstream, Subscribers.Completion<Downstream.Failure>)
    }

    /// Reports the ends of intervals. Set once, before there is a subscription.
    var timer: (any Cancellable)?
    private let most: Int?
    private let lock = NSLock()
    private var state: State

    init(_ downstream: Downstream, most: Int?) {
        self.most = most
        state = State(downstream: downstream)
    }

    /// Publishes what the interval has brought.
    func intervalEnded() {
        lock.withLock { state.isDue = !state.values.isEmpty }
        send()
    }

    // MARK: The subscriber

    func receive(subscription: any Subscription) {
        let downstream = lock.withLock {
            state.upstream = subscription
            return state.downstream
        }
        downstream?.receive(subscription: self)
        subscription.request(.unlimited)
    }

    func receive(_ value: Value) -> Subscribers.Demand {
        lock.withLock { state.values.append(value) }
        send()
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        lock.withLock { state.completion = completion }
        send()
    }

    // MARK: The subscription

    func request(_ demand: Subscribers.Demand) {
        lock.withLock { state.demand += demand }
        send()
    }

    func cancel() {
        let upstream = lock.withLock {
            defer { state = State() }
            return state.upstream
        }
        timer?.cancel()
        upstream?.cancel()
    }

    private func send() {
        while let call = next() {
            switch call {
            case .values(let downstream, let values):
                let more = downstream.receive(values)
                lock.withLock {
                    state.isSending = false
                    state.demand += more
                }
            case .completion(let downstream, let completion):
                cancel()
                return downstream.receive(completion: completion)
            }
        }
    }

    private func next() -> Call? {
        lock.withLock {
            guard !state.isSending, let downstream = state.downstream else { return nil }
            if case .failure = state.completion { state.values = [] }
            if state.values.isEmpty {
                return state.completion.map { .completion(downstream, $0) }
            }
            let isFull = state.values.count >= most ?? .max
            guard isFull || state.isDue || state.completion != nil, state.demand > .none else {
                return nil
            }
            let values = Array(state.values.prefix(most ?? .max))
            state.values.removeFirst(values.count)
            state.isDue = state.isDue && !state.values.isEmpty
            state.isSending = true
            state.demand -= 1
            return .values(downstream, values)
        }
    }
}
