import Foundation
import Synchronization

/// The main queue, where what the sound brings about is told, in the order of the calls.
///
/// What it runs are operations of `OperationQueue.main`. Where the main queue is not the main
/// thread's, as behind `dispatchMain()` and an asynchronous `main`, Foundation on Linux knows by that
/// alone that an observer with `queue: .main` is on its queue already. Otherwise it would wait there
/// for the operation that is to call it, and for ever.
enum MainQueue {
    private static let waiting = Mutex<[@Sendable () -> Void]>([])

    static func async(_ body: @escaping @Sendable () -> Void) {
        waiting.withLock { $0.append(body) }
        OperationQueue.main.addOperation { run() }
    }

    /// Runs all that waits: the operations of a burst do not stand behind each other in the queue.
    private static func run() {
        while let body = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { body() }
    }
}
