import Dispatch
import UndersongBase

/// The clock of background tasks, with a timer.
package protocol BackgroundTaskClock: Sendable {
    /// The time in seconds, which never goes backward, and counts while the machine sleeps.
    var now: Double { get }

    /// Calls `body` on the main actor once `now` has reached `time`, but not after another call of
    /// this or of `cancel()`.
    @MainActor func wake(at time: Double, _ body: @escaping @MainActor () -> Void)

    /// Cancels the pending call.
    @MainActor func cancel()
}

/// CLOCK_BOOTTIME, which the service counts by, too, with a timer on the main queue.
@MainActor package final class MainQueueClock: BackgroundTaskClock {
    private nonisolated let clock = SystemClock()
    private var work: DispatchWorkItem?

    nonisolated init() {}

    package nonisolated var now: Double { clock.secondsSinceBoot }

    package func wake(at time: Double, _ body: @escaping @MainActor () -> Void) {
        cancel()
        let work = DispatchWorkItem { [weak self] in
            MainActor.assumeIsolated {
                self?.cancel()
                body()
            }
        }
        self.work = work
        // Also by the date, which continues while the machine sleeps; the first of both counts.
        let delay = max(0, time - now)
        DispatchQueue.main.asyncAfter(deadline: .now() + delay, execute: work)
        DispatchQueue.main.asyncAfter(wallDeadline: .now() + delay, execute: work)
    }

    package func cancel() {
        work?.cancel()
        work = nil
    }
}

extension BackgroundTaskClock where Self == MainQueueClock {
    /// CLOCK_BOOTTIME, with a timer on the main queue.
    package static var mainQueue: MainQueueClock { MainQueueClock() }
}
