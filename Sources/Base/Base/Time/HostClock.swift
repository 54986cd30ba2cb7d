/// The host's time, injected: by the system's clock in programs, by hand in tests.
///
/// May be called on any thread. Reading it does not block, allocate or lock, so the output thread
/// may do so.
package protocol HostClock: Sendable {
    /// Nanoseconds of CLOCK_MONOTONIC, carried by every event. Stops while the machine sleeps.
    var now: Int64 { get }

    /// Nanoseconds of CLOCK_BOOTTIME, which continues while the machine sleeps and is the same for
    /// all processes.
    var sinceBoot: Int64 { get }

    /// Nanoseconds since 1970. The user and the network may change it, so use it only to compute
    /// how long ago something was.
    var sinceEpoch: Int64 { get }

    /// Blocks the calling thread until `now` is `time`.
    func sleep(until time: Int64)

    /// Calls `body` once, on a thread of the clock's, when `now` reaches `time` or up to `leeway`
    /// nanoseconds later. `body` must not block. It may still be called if the timer is cancelled
    /// at that very moment.
    func wake(
        at time: Int64, leeway: Int64, _ body: @escaping @Sendable () -> Void
    ) -> HostTimer
}

extension HostClock {
    /// Seconds of CLOCK_BOOTTIME.
    package var secondsSinceBoot: Double { Double(sinceBoot) / 1e9 }

    /// Seconds since 1970.
    package var secondsSinceEpoch: Double { Double(sinceEpoch) / 1e9 }

    /// Calls `body` after `seconds`, otherwise as above.
    package func wake(
        after seconds: Double, leeway: Int64, _ body: @escaping @Sendable () -> Void
    ) -> HostTimer {
        wake(at: now + Int64((max(0, seconds) * 1e9).rounded(.up)), leeway: leeway, body)
    }
}

/// A pending call of a clock.
package struct HostTimer: Sendable {
    private let forget: @Sendable () -> Void

    /// Creates a timer that is cancelled by calling `forget`.
    package init(forget: @escaping @Sendable () -> Void) { self.forget = forget }

    /// Cancels the call.
    package func cancel() { forget() }
}
