import Dispatch
import Playback

/// The sleep timer with the clock that ends it. A timer of the system's runs only while one is set.
/// Belongs to the service's executor.
struct SleepClock {
    private(set) var timer: SleepTimer?
    private var source: (any DispatchSourceTimer)?

    /// The same clock as for tasks: it goes on while the machine sleeps.
    var remaining: Double? { timer?.remaining(at: TaskClock.now) }

    /// Silence comes in `seconds`, and the last `fade` of them fall silent; nil: it does not come.
    mutating func set(seconds: Double?, fade: Double) {
        timer = seconds.map { SleepTimer(seconds: $0, fade: fade, at: TaskClock.now) }
    }

    /// What is due now, if anything.
    mutating func advance() -> SleepTimer.Due? { timer?.advance(to: TaskClock.now) }

    /// Lets `wake` be called on `queue` when something is due next; never when nothing is.
    mutating func schedule(on queue: DispatchQueue, _ wake: @escaping @Sendable () -> Void) {
        source?.cancel()
        source = nil
        guard let timer else { return }
        let source = DispatchSource.makeTimerSource(queue: queue)
        let delay = max(0, timer.nextDue - TaskClock.now)
        source.schedule(deadline: .now() + delay, leeway: .milliseconds(50))
        source.setEventHandler(handler: wake)
        source.resume()
        self.source = source
    }
}
