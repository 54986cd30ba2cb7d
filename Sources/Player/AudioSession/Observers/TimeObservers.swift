import Synchronization
import UndersongAudioIO
import UndersongPlayback

/// Identifies an observer of a player, until it is removed.
public struct TimeObserverToken: Hashable, Sendable {
    fileprivate let number: Int
}

/// The observers that an application has added to a player; calls each where requested.
final class TimeObservers: Sendable {
    /// The maximum number of pending calls of an observer; a slower one loses periodic calls.
    private static let backlog = 64

    /// Runs calls in the order in which it receives them.
    typealias Line = @Sendable (_ call: @escaping @Sendable () -> Void) -> Void

    private final class Observer: Sendable {
        let watch: TimeWatch
        let line: Line
        let isWanted: @Sendable (CMTime) -> Bool
        let handler: @Sendable (CMTime) -> Void
        let state = Mutex((isRemoved: false, waiting: 0))

        init(
            _ watch: TimeWatch, _ line: @escaping Line,
            _ isWanted: @escaping @Sendable (CMTime) -> Bool,
            _ handler: @escaping @Sendable (CMTime) -> Void
        ) {
            self.watch = watch
            self.line = line
            self.isWanted = isWanted
            self.handler = handler
        }

        var isPeriodic: Bool { if case .every = watch.times { true } else { false } }

        func call(_ time: CMTime) {
            guard isWanted(time) else { return }
            let hasRoom = state.withLock { state in
                guard !state.isRemoved, !isPeriodic || state.waiting < TimeObservers.backlog else {
                    return false
                }
                state.waiting += 1
                return true
            }
            guard hasRoom else { return }
            line { [self] in
                let isRemoved = state.withLock { state in
                    state.waiting -= 1
                    return state.isRemoved
                }
                if !isRemoved && isWanted(time) { handler(time) }
            }
        }
    }

    private struct State {
        var observers: [Int: Observer] = [:]
        var lastNumber = 0
        /// The clock being watched; nil before anything plays.
        var clock: ClockControl?
        var lastTime: CMTime?
    }

    private let state = Mutex(State())

    /// Adds an observer. `isWanted` is asked about a time when it is heard, and again before the
    /// handler is called with it.
    func add(
        _ times: TimeWatch.Times, on line: @escaping Line,
        where isWanted: @escaping @Sendable (CMTime) -> Bool = { _ in true },
        _ handler: @escaping @Sendable (CMTime) -> Void
    ) -> TimeObserverToken {
        state.withLock { state in
            state.lastNumber += 1
            let number = state.lastNumber
            let watch = TimeWatch(id: .observer(number), times: times)
            state.observers[number] = Observer(watch, line, isWanted, handler)
            state.clock?.add(watch)
            return TimeObserverToken(number: number)
        }
    }

    /// Removes an observer; no call of it begins after this returns. Returns false if it is
    /// unknown.
    func remove(_ token: TimeObserverToken) -> Bool {
        let observer = state.withLock { state in
            state.clock?.remove(watch: .observer(token.number))
            return state.observers.removeValue(forKey: token.number)
        }
        observer?.state.withLock { $0.isRemoved = true }
        return observer != nil
    }

    /// Sets the clock to watch, and returns all watches for it to start with.
    func follow(_ clock: ClockControl?) -> [TimeWatch] {
        state.withLock { state in
            state.clock = clock
            return state.observers.values.map(\.watch)
        }
    }

    /// The position being heard; nil before anything is.
    var position: HeardPosition? { state.withLock(\.clock)?.position }

    /// Reports a crossed time that the observer with this number watches for.
    func crossed(_ number: Int, _ time: CMTime) {
        let observer = state.withLock { state in
            state.lastTime = time
            return state.observers[number]
        }
        observer?.call(time)
    }

    /// Reports a jump of the time, or that it has started or stopped; periodic observers are called
    /// then too (behaviour 2.2). Without `time`, the time last reported is used.
    func jumped(to time: CMTime? = nil) {
        let (observers, now) = state.withLock { state in
            if let time { state.lastTime = time }
            return (state.observers.values.filter(\.isPeriodic), state.lastTime)
        }
        guard let now else { return }
        for observer in observers { observer.call(now) }
    }
}
