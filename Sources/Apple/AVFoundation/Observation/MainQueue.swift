import Dispatch
import Foundation
import Synchronization

/// The main queue, on which events of playback are reported, in the order of the calls.
///
/// Blocks run as operations of `OperationQueue.main`. If the main queue is not bound to the main
/// thread, as after `dispatchMain()` or in an asynchronous `main`, this is the only way for
/// Foundation on Linux to detect that an observer with `queue: .main` is already on its queue.
/// Otherwise it would wait forever for the operation that is to call the observer.
enum MainQueue {
    private static let waiting = Mutex<[@Sendable () -> Void]>([])

    static func async(_ body: @escaping @Sendable () -> Void) {
        waiting.withLock { $0.append(body) }
        OperationQueue.main.addOperation { run() }
    }

    /// True if `queue` is the main queue, of which Dispatch makes another object each time that it
    /// is asked for.
    static func isSame(as queue: DispatchQueue) -> Bool { queue.label == DispatchQueue.main.label }

    /// Runs all waiting blocks, so that a burst of them does not queue up one operation after the
    /// other.
    private static func run() {
        while let body = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { body() }
    }
}
