import UndersongBase
import UndersongPlayback

/// The sleep timer with the system timer that ends it, which runs only while one is set. Used on
/// the service's executor only.
struct SleepClock {
    private(set) var timer: SleepTimer?
    /// When the timer ends, in seconds since 1970; nil if none is running.
    private(set) var end: Double?
    private let clock: any HostClock
    private var alarm: HostTimer?

    init(clock: any HostClock) { self.clock = clock }

    var remaining: Double? { timer?.remaining(at: now) }

    /// As for tasks, time also passes while the machine sleeps.
    private var now: Double { clock.secondsSinceBoot }

    /// Sets silence to come in `seconds`, of which the last `fade` fade out; nil cancels the timer.
    mutating func set(seconds: Double?, fade: Double) {
        timer = seconds.map { SleepTimer(seconds: $0, fade: fade, at: now) }
        end = seconds.map { clock.secondsSinceEpoch + $0 }
    }

    /// The action due now, if any.
    mutating func advance() -> SleepTimer.Due? {
        let now = now
        return timer?.advance(to: now)
    }

    /// Schedules a call of `wake` for when something is next due, if anything is.
    mutating func schedule(_ wake: @escaping @Sendable () -> Void) {
        alarm?.cancel()
        alarm = nil
        guard let timer else { return }
        alarm = clock.wake(after: timer.nextDue - now, leeway: 50_000_000, wake)
    }
}
