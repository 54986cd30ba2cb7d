/// The host's time, given from outside: by the system's clock in programs, by hand in tests.
///
/// Any thread may ask. Reading it neither blocks, nor allocates, nor locks, so that the output thread
/// may do so.
package protocol HostClock: Sendable {
    /// Nanoseconds of CLOCK_MONOTONIC, which every event carries. It stops while the machine sleeps.
    var now: Int64 { get }

    /// Nanoseconds of CLOCK_BOOTTIME, which runs while the machine sleeps and is the same for all
    /// processes.
    var sinceBoot: Int64 { get }

    /// Nanoseconds since 1970. The user and the network may set it, so that it is only good for saying
    /// how long ago something was.
    var sinceEpoch: Int64 { get }

    /// Blocks the calling thread until `now` is `time`.
    func sleep(until time: Int64)

    /// Calls `body` once, on a thread of the clock's, when `now` is `time` or up to `leeway`
    /// nanoseconds later. `body` must not block. A timer that is cancelled at that very moment may
    /// still call it.
    func wake(
        at time: Int64, leeway: Int64, _ body: @escaping @Sendable () -> Void
    ) -> HostTimer
}

extension HostClock {
    /// Seconds of CLOCK_BOOTTIME.
    package var secondsSinceBoot: Double { Double(sinceBoot) / 1e9 }

    /// Seconds since 1970.
    package var secondsSinceEpoch: Double { Double(sinceEpoch) / 1e9 }

    /// Calls `body` as the other does, when `seconds` have passed.
    package func wake(
        after seconds: Double, leeway: Int64, _ body: @escaping @Sendable () -> Void
    ) -> HostTimer {
        wake(at: now + Int64((max(0, seconds) * 1e9).rounded(.up)), leeway: leeway, body)
    }
}

/// What a clock has yet to call.
package struct HostTimer: Sendable {
    private let forget: @Sendable () -> Void

    /// Makes one that is cancelled by `forget`.
    package init(forget: @escaping @Sendable () -> Void) { self.forget = forget }

    /// The body is not called any more.
    package func cancel() { forget() }
}
