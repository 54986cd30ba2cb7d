import Threads

/// The time by which a thread lives: the machine's, or in tests one that is moved by hand.
protocol HostClock: Sendable {
    /// Nanoseconds of CLOCK_MONOTONIC.
    var now: Int64 { get }

    /// Waits until `descriptor` can be read, or until `deadline`, `.max` for none.
    func wait(for descriptor: Int32, until deadline: Int64)
}

/// The machine's own time.
struct SystemClock: HostClock {
    var now: Int64 { HostTime.now() }

    func wait(for descriptor: Int32, until deadline: Int64) {
        Wakeup.wait(for: descriptor, until: deadline)
    }
}
