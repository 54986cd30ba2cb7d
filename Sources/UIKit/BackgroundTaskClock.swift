import Dispatch
import Threads

/// The clock of background tasks, with a timer.
package protocol BackgroundTaskClock: Sendable {
    /// The time in seconds, monotonic.
    var now: Double { get }

    /// Calls `body` on the main actor once `now` has reached `time`, but not after another call of
    /// this or of `cancel()`.
    @MainActor func wake(at time: Double, _ body: @escaping @MainActor () -> Void)

    /// Cancels the pending call.
    @MainActor func cancel()
}

/// The system's monotonic time, with a timer on the main queue.
@MainActor package final class MainQueueClock: BackgroundTaskClock {
    /// Whether the current queue is the main queue. `Thread.isMainThread` cannot be used: on Linux
    /// the main queue of a program with an asynchronous `main` runs on other threads.
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
    /// The system's monotonic time, with a timer on the main queue.
    package static var mainQueue: MainQueueClock { MainQueueClock() }
}
