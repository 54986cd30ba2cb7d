import Dispatch
import Threads

/// Tells the time to background tasks, and wakes them.
package protocol BackgroundTaskClock: Sendable {
    /// Seconds, never going back.
    var now: Double { get }

    /// Calls `body` on the main actor once `now` has come to `time`, and never after another call
    /// of this or of `cancel()`.
    @MainActor func wake(at time: Double, _ body: @escaping @MainActor () -> Void)

    /// Forgets what was to be called.
    @MainActor func cancel()
}

/// The computer's monotonic time, and the main queue.
@MainActor package final class MainQueueClock: BackgroundTaskClock {
    /// Whether this is the main queue. `Thread.isMainThread` does not tell: on Linux the main queue
    /// of a program with an asynchronous `main` runs on other threads.
    nonisolated static var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: key) == true }

    private nonisolated static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    private nonisolated let clock = SystemClock()
    private var work: DispatchWorkItem?

    nonisolated init() {}

    package nonisolated var now: Double { Double(clock.now) / 1e9 }

    package func wake(at time: Double, _ body: @escaping @MainActor () -> Void) {
        cancel()
        let work = DispatchWorkItem { MainActor.assumeIsolated { body() } }
        self.work = work
        DispatchQueue.main.asyncAfter(deadline: .now() + max(0, time - now), execute: work)
    }

    package func cancel() {
        work?.cancel()
        work = nil
    }
}

extension BackgroundTaskClock where Self == MainQueueClock {
    /// The computer's monotonic time, and the main queue.
    package static var mainQueue: MainQueueClock { MainQueueClock() }
}
