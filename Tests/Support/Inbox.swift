internal import Dispatch
internal import Synchronization

/// What arrives on another thread, in order, awaited one by one.
package final class Inbox<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    package init() {}

    package func put(_ value: Value) {
        values.withLock { $0.append(value) }
        arrivals.signal()
    }

    /// The next value, for which the test waits for as long as it may. Errors: `Overdue`.
    package func next() throws(Overdue) -> Value {
        try arrivals.waitPatiently()
        return values.withLock { $0.removeFirst() }
    }

    /// What has arrived and was not awaited.
    package var rest: [Value] { values.withLock { $0 } }
}
