import Dispatch

/// The main queue, on which an application is notified.
package enum MainQueue {
    /// True if the current queue is the main queue. `Thread.isMainThread` cannot be used: on Linux
    /// the main queue of a program with an asynchronous `main` runs on other threads.
    package static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Calls `body` at once if the current queue is the main queue, and later there otherwise.
    package static func run(_ body: @escaping @MainActor @Sendable () -> Void) {
        if isCurrent {
            MainActor.assumeIsolated { body() }
        } else {
            DispatchQueue.main.async { MainActor.assumeIsolated { body() } }
        }
    }
}
