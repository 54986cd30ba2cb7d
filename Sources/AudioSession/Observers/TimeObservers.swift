import AudioIO
import Playback
import Synchronization

/// Names an observer that was added to a player, until it is removed.
public struct TimeObserverToken: Hashable, Sendable {
    fileprivate let number: Int
}

/// The observers that an application has added to a player: calls each where it wants to be called.
final class TimeObservers: Sendable {
    /// Calls of an observer that may wait: one that is slower loses periodic ones.
    private static let backlog = 64

    /// Runs calls somewhere, in the order in which it gets them.
    typealias Line = @Sendable (_ call: @escaping @Sendable () -> Void) -> Void

    private final class Observer: Sendable {
        let watch: TimeWatch
        let line: Line
        let handler: @Sendable (CMTime) -> Void
        let state = Mutex((isRemoved: false, waiting: 0))

        init(
            _ watch: TimeWatch, _ line: @escaping Line,
            _ handler: @escaping @Sendable (CMTime) -> Void
        ) {
            self.watch = watch
            self.line = line
            self.handler = handler
        }

        var isPeriodic: Bool { if case .every = watch.times { true } else { false } }

        func call(_ time: CMTime) {
            let isWanted = state.withLock { state in
                guard !state.isRemoved, !isPeriodic || state.waiting < TimeObservers.backlog else {
                    return false
                }
                state.waiting += 1
                return true
            }
            guard isWanted else { return }
            line { [self] in
                let isRemoved = state.withLock { state in
                    state.waiting -= 1
                    return state.isRemoved
                }
                if !isRemoved { handler(time) }
            }
        }
    }

    private struct State {
        var observers: [Int: Observer] = [:]
        var lastNumber = 0
        /// Whose clock is watched; nil before anything plays.
        var clock: ClockControl?
        var lastTime: CMTime?
    }

    private let state = Mutex(State())

    /// Adds an observer, which is told from now on.
    func add(
        _ times: TimeWatch.Times, on line: @escaping Line,
        _ handler: @escaping @Sendable (CMTime) -> Void
    ) -> TimeObserverToken {
        state.withLock { state in
            state.lastNumber += 1
            let number = state.lastNumber
            let watch = TimeWatch(id: .observer(number), times: times)
            state.observers[number] = Observer(watch, line, handler)
            state.clock?.add(watch)
            return TimeObserverToken(number: number)
        }
    }

    /// Removes an observer: once this has returned no call of it begins. False for an unknown one.
    func remove(_ token: TimeObserverToken) -> Bool {
        let observer = state.withLock { state in
            state.clock?.remove(watch: .observer(token.number))
            return state.observers.removeValue(forKey: token.number)
        }
        observer?.state.withLock { $0.isRemoved = true }
        return observer != nil
    }

    /// Sets whose clock is watched, and returns all watches for it to begin with.
    func follow(_ clock: ClockControl?) -> [TimeWatch] {
        state.withLock { state in
            state.clock = clock
            return state.observers.values.map(\.watch)
        }
    }

    /// Where the player is heard; nil before anything was.
    var position: HeardPosition? { state.withLock(\.clock)?.position }

    /// A time was crossed that the observer of this number watches for.
    func crossed(_ number: Int, _ time: CMTime) {
        let observer = state.withLock { state in
            state.lastTime = time
            return state.observers[number]
        }
        observer?.call(time)
    }

    /// The time has jumped, or has started or stopped to run: periodic observers are told of that too
    /// (behaviour 2.2). Without `time` it is where it was reported last.
    func jumped(to time: CMTime? = nil) {
        let (observers, now) = state.withLock { state in
            if let time { state.lastTime = time }
            return (state.observers.values.filter(\.isPeriodic), state.lastTime)
        }
        guard let now else { return }
        for observer in observers { observer.call(now) }
    }
}
