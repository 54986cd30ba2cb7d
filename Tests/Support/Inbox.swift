internal import Dispatch
internal import Synchronization

/// Values that arrive on another thread, awaited in order.
package final class Inbox<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    package init() {}

    package func put(_ value: Value) {
        values.withLock { $0.append(value) }
        arrivals.signal()
    }

    /// The next value, awaited up to `patience`.
    ///
    /// - Throws: `Overdue`.
    package func next() throws(Overdue) -> Value {
        try arrivals.waitPatiently()
        return values.withLock { $0.removeFirst() }
    }

    /// The values that were not awaited.
    package var rest: [Value] { values.withLock { $0 } }
}
