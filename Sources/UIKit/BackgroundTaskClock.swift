import Dispatch

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
@MainActor final class MainQueueClock: BackgroundTaskClock {
    private var work: DispatchWorkItem?

    nonisolated init() {}

    nonisolated var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

    func wake(at time: Double, _ body: @escaping @MainActor () -> Void) {
        cancel()
        let work = DispatchWorkItem { MainActor.assumeIsolated { body() } }
        self.work = work
        DispatchQueue.main.asyncAfter(deadline: .now() + max(0, time - now), execute: work)
    }

    func cancel() {
        work?.cancel()
        work = nil
    }
}
