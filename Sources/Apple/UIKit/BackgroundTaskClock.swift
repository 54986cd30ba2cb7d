import Dispatch
import UndersongBase

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
