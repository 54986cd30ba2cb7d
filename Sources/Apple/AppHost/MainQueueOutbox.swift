import Synchronization

/// Values that are delivered on the main queue, in order and one at a time. Any thread may add some.
final class MainQueueOutbox<Value: Sendable>: Sendable {
    private struct State {
        var values: [Value] = []
        var isDelivering = false
    }

    private let state = Mutex(State())

    func add(_ value: Value) { state.withLock { $0.values.append(value) } }

    /// Calls `body` with all values. What it calls may add more, which follow.
    @MainActor func deliver(_ body: @MainActor (Value) -> Void) {
        let isFirst = state.withLock { state in
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        guard isFirst else { return }
        while let next = pop() { body(next) }
    }

    private func pop() -> Value? {
        state.withLock { state in
            guard !state.values.isEmpty else {
                state.isDelivering = false
                return nil
            }
            return state.values.removeFirst()
        }
    }
}
