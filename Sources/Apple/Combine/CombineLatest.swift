import Foundation
public import OpenCombine

extension Publishers {
    /// Publishes the newest values of two publishers together, whenever either publishes one, from
    /// the time at which both have. It fails as soon as one fails, and finishes when both have
    /// finished, or one without a value. A subscriber that demands fewer values gets the newest ones
    /// when it demands again.
    public struct CombineLatest<A: Publisher, B: Publisher>: Publisher
    where A.Failure == B.Failure {
        /// The newest values.
        public typealias Output = (A.Output, B.Output)
        /// The common failure of the publishers.
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A
        /// The second publisher.
        public let b: B

        /// Makes a publisher of the newest values of these.
        public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        /// Gives `subscriber` one subscription for all of the publishers.
        public func receive<Downstream: Subscriber>(
            subscriber: Downstream
        ) where Downstream.Input == Output, Downstream.Failure == Failure {
            let latest = Latest<A.Output, B.Output, Downstream>(subscriber)
            subscriber.receive(subscription: latest)
            a.subscribe(
                Side(latest) { $0.first = $1 })
            b.subscribe(
                Side(latest) { $0.second = $1 })
        }
    }

    /// Publishes the newest values of three publishers together, as ``CombineLatest`` does.
    public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: Publisher
    where A.Failure == B.Failure, B.Failure == C.Failure {
        /// The newest values.
        public typealias Output = (A.Output, B.Output, C.Output)
        /// The common failure of the publishers.
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A
        /// The second publisher.
        public let b: B
        /// The third publisher.
        public let c: C

        /// Makes a publisher of the newest values of these.
        public init(_ a: A, _ b: B, _ c: C) {
            self.a = a
            self.b = b
            self.c = c
        }

        /// Gives `subscriber` one subscription for all of the publishers.
        public func receive<Downstream: Subscriber>(
            subscriber: Downstream
        ) where Downstream.Input == Output, Downstream.Failure == Failure {
            CombineLatest(CombineLatest(a, b), c)
                .map { ($0.0, $0.1, $1) }
                .subscribe(subscriber)
        }
    }

    /// Publishes the newest values of four publishers together, as ``CombineLatest`` does.
    public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
    where A.Failure == B.Failure, B.Failure == C.Failure, C.Failure == D.Failure {
        /// The newest values.
        public typealias Output = (A.Output, B.Output, C.Output, D.Output)
        /// The common failure of the publishers.
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A
        /// The second publisher.
        public let b: B
        /// The third publisher.
        public let c: C
        /// The fourth publisher.
        public let d: D

        /// Makes a publisher of the newest values of these.
        public init(_ a: A, _ b: B, _ c: C, _ d: D) {
            self.a = a
            self.b = b
            self.c = c
            self.d = d
        }

        /// Gives `subscriber` one subscription for all of the publishers.
        public func receive<Downstream: Subscriber>(
            subscriber: Downstream
        ) where Downstream.Input == Output, Downstream.Failure == Failure {
            CombineLatest(CombineLatest(a, b), CombineLatest(c, d))
                .map { ($0.0, $0.1, $1.0, $1.1) }
                .subscribe(subscriber)
        }
    }
}

extension Publisher {
    /// Publishes this publisher's newest value together with that of `other`.
    public func combineLatest<P: Publisher>(_ other: P) -> Publishers.CombineLatest<Self, P>
    where P.Failure == Failure {
        Publishers.CombineLatest(self, other)
    }

    /// Publishes what `transform` makes of this publisher's newest value and that of `other`.
    public func combineLatest<P: Publisher, T>(
        _ other: P, _ transform: @escaping (Output, P.Output) -> T
    ) -> Publishers.Map<Publishers.CombineLatest<Self, P>, T> where P.Failure == Failure {
        Publishers.CombineLatest(self, other).map { transform($0.0, $0.1) }
    }

    /// Publishes this publisher's newest value together with those of two others.
    public func combineLatest<P: Publisher, Q: Publisher>(
        _ publisher1: P, _ publisher2: Q
    ) -> Publishers.CombineLatest3<Self, P, Q> where P.Failure == Failure, Q.Failure == Failure {
        Publishers.CombineLatest3(self, publisher1, publisher2)
    }

    /// Publishes this publisher's newest value together with those of three others.
    public func combineLatest<P: Publisher, Q: Publisher, R: Publisher>(
        _ publisher1: P, _ publisher2: Q, _ publisher3: R
    ) -> Publishers.CombineLatest4<Self, P, Q, R>
    where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
        Publishers.CombineLatest4(self, publisher1, publisher2, publisher3)
    }
}

/// The newest values of two publishers, and the subscription of what takes both.
///
/// Unchecked because subscribers and values may be of any type: the state is accessed under the lock,
/// and the subscriber is called without it, one call after the other.
private final class Latest<First, Second, Downstream: Subscriber>: Subscription,
    @unchecked Sendable
where Downstream.Input == (First, Second) {
    struct State {
        var first: First?
        var second: Second?
        fileprivate var downstream: Downstream?
        fileprivate var upstreams: [any Subscription] = []
        fileprivate var demand = Subscribers.Demand.none
        fileprivate var unfinished = 2
        fileprivate var completion: Subscribers.Completion<Downstream.Failure>?
        /// True if there is a pair that was not sent.
        fileprivate var isNew = false
        fileprivate var isSending = false
    }

    private enum Call {
        case value(Downstream, (First, Second))
        case completion(Downstream, Subscribers.Completion<Downstream.Failure>)
    }

    private let lock = NSLock()
    private var state: State

    init(_ downstream: Downstream) { state = State(downstream: downstream) }

    /// An upstream has accepted the subscription.
    func add(_ upstream: any Subscription) {
        let isOver = lock.withLock {
            state.upstreams.append(upstream)
            return state.downstream == nil
        }
        if isOver { upstream.cancel() } else { upstream.request(.unlimited) }
    }

    func update(_ change: (inout State) -> Void) {
        lock.withLock {
            change(&state)
            state.isNew = state.first != nil && state.second != nil
        }
        send()
    }

    func end(_ completion: Subscribers.Completion<Downstream.Failure>, hasValue: Bool) {
        lock.withLock {
            state.unfinished -= 1
            if case .failure = completion { state.completion = completion }
            if !hasValue || state.unfinished == 0 {
                state.completion = state.completion ?? completion
            }
        }
        send()
    }

    func request(_ demand: Subscribers.Demand) {
        lock.withLock { state.demand += demand }
        send()
    }

    func cancel() {
        let upstreams = lock.withLock {
            defer { state = State(downstream: nil) }
            return state.upstreams
        }
        upstreams.forEach { $0.cancel() }
    }

    private func send() {
        while let call = next() {
            switch call {
            case .value(let downstream, let pair):
                let more = downstream.receive(pair)
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
            let hasFailed = if case .failure = state.completion { true } else { false }
            if !hasFailed, state.isNew, state.demand > .none, let first = state.first,
                let second = state.second
            {
                state.isNew = false
                state.isSending = true
                state.demand -= 1
                return .value(downstream, (first, second))
            }
            guard let completion = state.completion, hasFailed || !state.isNew else { return nil }
            return .completion(downstream, completion)
        }
    }
}

/// Takes the values of one of two publishers.
private final class Side<Input, First, Second, Downstream: Subscriber>: Subscriber
where Downstream.Input == (First, Second) {
    typealias Failure = Downstream.Failure
    typealias Values = Latest<First, Second, Downstream>

    private let latest: Values
    private let keep: (inout Values.State, Input) -> Void
    private var hasValue = false

    init(_ latest: Values, _ keep: @escaping (inout Values.State, Input) -> Void) {
        self.latest = latest
        self.keep = keep
    }

    func receive(subscription: any Subscription) { latest.add(subscription) }

    func receive(_ value: Input) -> Subscribers.Demand {
        hasValue = true
        latest.update { keep(&$0, value) }
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        latest.end(completion, hasValue: hasValue)
    }
}
