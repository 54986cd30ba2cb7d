import Dispatch
import Glibc

/// The machine's time: the only place that asks the kernel for it.
package struct SystemClock: HostClock {
    private static let timers = DispatchQueue(label: "undersong.timers")

    package init() {}

    package var now: Int64 { Self.time(of: CLOCK_MONOTONIC) }
    package var sinceBoot: Int64 { Self.time(of: CLOCK_BOOTTIME) }
    package var sinceEpoch: Int64 { Self.time(of: CLOCK_REALTIME) }

    package func sleep(until time: Int64) {
        var time = timespec(tv_sec: Int(time / 1_000_000_000), tv_nsec: Int(time % 1_000_000_000))
        while unsafe clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &time, nil) == EINTR {}
    }

    package func wake(
        at time: Int64, leeway: Int64, _ body: @escaping @Sendable () -> Void
    ) -> HostTimer {
        let timer = Timer(source: DispatchSource.makeTimerSource(queue: Self.timers))
        let delay = Int(clamping: max(0, time - now))
        timer.source.schedule(
            deadline: .now() + .nanoseconds(delay), leeway: .nanoseconds(Int(leeway)))
        timer.source.setEventHandler {
            timer.source.cancel()
            body()
        }
        timer.source.resume()
        return HostTimer { timer.source.cancel() }
    }

    /// Unchecked because any thread may cancel a source.
    private struct Timer: @unchecked Sendable {
        let source: any DispatchSourceTimer
    }

    private static func time(of clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
