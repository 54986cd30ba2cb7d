import Synchronization

/// An alarm by a host's clock, which does not notice that the date is set.
package final class HostAlarm: Alarm {
    private let clock: any HostClock
    private let leeway: Int64
    private let ring: @Sendable () -> Void
    private let timer = Mutex<HostTimer?>(nil)

    /// Creates an alarm that rings up to `leeway` nanoseconds late, by a call of `ring` on a thread of
    /// `clock`.
    package init(
        _ clock: any HostClock, leeway: Int64 = 0, _ ring: @escaping @Sendable () -> Void
    ) {
        self.clock = clock
        self.leeway = leeway
        self.ring = ring
    }

    package func set(boot: Double?, wall: Double?) {
        let delay = Due(boot: boot, wall: wall).seconds(by: clock)
        replaceTimer(delay < .infinity ? clock.wake(after: delay, leeway: leeway, ring) : nil)
    }

    package func stop() { replaceTimer(nil) }

    private func replaceTimer(_ new: HostTimer?) {
        let old = timer.withLock { timer in
            defer { timer = new }
            return timer
        }
        old?.cancel()
    }
}
