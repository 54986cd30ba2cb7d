import Playback
import Synchronization
import Threads

/// Makes a value before it is needed, on a thread of its own, and hands it over once. What is not
/// taken in time is let go of. Any thread may call it.
final class Prefetch<Value>: @unchecked Sendable {
    // Unchecked: the value is made by one thread and then belongs to the one that has taken it from
    // the state, which is locked.
    private enum State {
        case making
        case made(Value)
        case failed(OutputError)
        /// It was taken, or kept for too long.
        case over
    }

    private struct Guarded: @unchecked Sendable { var state = State.making }

    private let guarded = Mutex(Guarded())
    private let made = Semaphore()
    private let released = Semaphore()

    /// Begins to `make` the value, which is then kept for `duration` nanoseconds.
    init(keptFor duration: Int64, _ make: @escaping @Sendable () throws(OutputError) -> Value) {
        startThread(named: "prefetch", isUrgent: true) { [self] in
            settle(make)
            made.post()
            released.wait(until: HostTime.now() + duration)
            _ = end()
        }
    }

    private func settle(_ make: () throws(OutputError) -> Value) {
        let state: State
        do throws(OutputError) { state = .made(try make()) } catch { state = .failed(error) }
        let guarded = Guarded(state: state)
        self.guarded.withLock { $0 = guarded }
    }

    /// Takes the value, which is waited for while it is being made. Nil where it was taken before, was
    /// kept for too long or could not be made: another is to be made then as if there were none.
    /// Errors: it could not be made while this waited.
    func take() throws(OutputError) -> Value? {
        let isMaking = isMaking
        made.wait()
        // Who comes later waits for nothing.
        made.post()
        let state = end()
        released.post()
        switch state {
        case .made(let value): return value
        case .failed(let error) where isMaking: throw error
        case .making, .failed, .over: return nil
        }
    }

    /// Lets go of the value as soon as it is made: it will not be taken.
    func drop() { released.post() }

    /// Whether it can still be taken.
    var isPending: Bool {
        switch guarded.withLock({ $0 }).state {
        case .making, .made: true
        case .failed, .over: false
        }
    }

    private var isMaking: Bool {
        if case .making = guarded.withLock({ $0 }).state { true } else { false }
    }

    private func end() -> State {
        guarded.withLock { guarded in
            defer { guarded.state = .over }
            return guarded
        }.state
    }
}
