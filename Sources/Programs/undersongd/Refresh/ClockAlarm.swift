import Synchronization
import UndersongBackground
import UndersongBase
import UndersongPlayback

extension RefreshEnvironment {
    /// A clock, and nothing else that is known of the machine.
    init(clock: any HostClock) {
        self.init(
            now: { ScheduleTime(clock, in: { _ in 0 }) }, alarm: { ClockAlarm(clock, $0) },
            seed: UInt64(bitPattern: clock.now))
    }
}

/// An alarm by a clock of the program, which does not notice that the date is set.
private final class ClockAlarm: ScheduleAlarm {
    private let clock: any HostClock
    private let ring: @Sendable () -> Void
    private let timer = Mutex<HostTimer?>(nil)

    /// Calls `ring` on a thread of `clock`.
    init(_ clock: any HostClock, _ ring: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.ring = ring
    }

    func set(boot: Double?, wall: Double?) {
        let delays = [
            boot.map { $0 - clock.secondsSinceBoot }, wall.map { $0 - clock.secondsSinceEpoch },
        ]
        replaceTimer(delays.compactMap(\.self).min().map { clock.wake(after: $0, leeway: 0, ring) })
    }

    func stop() { replaceTimer(nil) }

    private func replaceTimer(_ new: HostTimer?) {
        let old = timer.withLock { timer in
            defer { timer = new }
            return timer
        }
        old?.cancel()
    }
}
