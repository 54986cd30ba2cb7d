import Playback

/// The sleep timer with the clock that ends it. A timer of the system's runs only while one is set.
/// Belongs to the service's executor.
struct SleepClock {
    private(set) var timer: SleepTimer?
    private let clock: any HostClock
    private var alarm: HostTimer?

    init(clock: any HostClock) { self.clock = clock }

    var remaining: Double? { timer?.remaining(at: now) }

    /// The same as for tasks: it passes while the machine sleeps.
    private var now: Double { clock.secondsSinceBoot }

    /// Silence comes in `seconds`, and the last `fade` of them fall silent; nil: it does not come.
    mutating func set(seconds: Double?, fade: Double) {
        timer = seconds.map { SleepTimer(seconds: $0, fade: fade, at: now) }
    }

    /// What is due now, if anything.
    mutating func advance() -> SleepTimer.Due? {
        let now = now
        return timer?.advance(to: now)
    }

    /// Lets `wake` be called when something is due next; never when nothing is.
    mutating func schedule(_ wake: @escaping @Sendable () -> Void) {
        alarm?.cancel()
        alarm = nil
        guard let timer else { return }
        alarm = clock.wake(after: timer.nextDue - now, leeway: 50_000_000, wake)
    }
}
