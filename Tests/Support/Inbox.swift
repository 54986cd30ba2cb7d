import Dispatch
import Synchronization

/// What arrives on another thread, in order, awaited one by one.
package final class Inbox<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    package init() {}

    package func put(_ value: Value) {
        values.withLock { $0.append(value) }
        arrivals.signal()
    }

    /// The next value, which the test gives up to wait for long after anything here takes.
    package func next() -> Value {
        precondition(arrivals.wait(timeout: .now() + 60) == .success, "what is awaited is not told")
        return values.withLock { $0.removeFirst() }
    }

    /// What has arrived and was not awaited.
    package var rest: [Value] { values.withLock { $0 } }
}
