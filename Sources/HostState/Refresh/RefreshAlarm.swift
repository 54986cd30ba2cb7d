package import Background
import Dispatch
import Glibc
import Playback
import Threads

/// The time of background tasks, with an alarm.
package protocol RefreshAlarm: Sendable {
    /// The time now. Any thread may ask.
    var now: ScheduleTime { get }

    /// Calls `body` on the main actor once one of the times in `alarm` has come, or earlier, but not
    /// after another call of this. It calls nothing if `alarm` has no time.
    @MainActor func set(
        _ alarm: RefreshScheduler.Alarm, _ body: @escaping @MainActor () -> Void)
}

/// The system's clocks, with timers on the main queue.
@MainActor package final class MainQueueAlarm: RefreshAlarm {
    /// The longest time, in seconds, after which it rings although nothing is due. Timers for dates
    /// that are farther away would overflow.
    private static let longest = 2_592_000.0

    private nonisolated let clock = SystemClock()
    private var timers: [any DispatchSourceTimer] = []

    package nonisolated init() {}

    package nonisolated var now: ScheduleTime {
        let wall = clock.secondsSinceEpoch
        return ScheduleTime(
            boot: clock.secondsSinceBoot, wall: wall, utcOffset: Self.utcOffset(wall))
    }

    package func set(
        _ alarm: RefreshScheduler.Alarm, _ body: @escaping @MainActor () -> Void
    ) {
        cancel()
        let now = now
        if let boot = alarm.boot {
            // The first stops while the machine sleeps, the second when the clock is set back.
            let delay = Self.delay(boot - now.boot)
            start(body) { $0.schedule(deadline: .now() + delay) }
            start(body) { $0.schedule(wallDeadline: .now() + delay) }
        }
        if let wall = alarm.wall {
            let delay = Self.delay(wall - now.wall)
            start(body) { $0.schedule(wallDeadline: .now() + delay) }
        }
    }

    private func start(
        _ body: @escaping @MainActor () -> Void, _ schedule: (any DispatchSourceTimer) -> Void
    ) {
        let timer = DispatchSource.makeTimerSource(queue: .main)
        schedule(timer)
        timer.setEventHandler {
            MainActor.assumeIsolated {
                self.cancel()
                body()
            }
        }
        timer.resume()
        timers.append(timer)
    }

    private func cancel() {
        timers.forEach { $0.cancel() }
        timers = []
    }

    private static func delay(_ seconds: Double) -> Double { min(max(0, seconds), longest) }

    /// The seconds by which local time is ahead of UTC at `wall`, in seconds since 1970.
    private nonisolated static func utcOffset(_ wall: Double) -> Double {
        var time = time_t(wall)
        var parts = unsafe tm()
        unsafe localtime_r(&time, &parts)
        return unsafe Double(parts.tm_gmtoff)
    }
}

extension RefreshAlarm where Self == MainQueueAlarm {
    /// The system's clocks, with timers on the main queue.
    package static var mainQueue: MainQueueAlarm { MainQueueAlarm() }
}
