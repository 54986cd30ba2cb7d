import Threads

/// The time by which a thread lives: the machine's, or in tests one that is moved by hand.
protocol HostClock: Sendable {
    /// Nanoseconds of CLOCK_MONOTONIC.
    var now: Int64 { get }

    /// Waits until `descriptor` can be read, or until `deadline`, `.max` for none.
    func wait(for descriptor: Int32, until deadline: Int64)

    /// Waits until another thread of this process has made `descriptor` readable, which takes none of
    /// this clock's time where that is moved by hand.
    func wait(for descriptor: Int32)
}

/// The machine's own time.
struct SystemClock: HostClock {
    var now: Int64 { HostTime.now() }

    func wait(for descriptor: Int32, until deadline: Int64) {
        Wakeup.wait(for: descriptor, until: deadline)
    }

    func wait(for descriptor: Int32) { Wakeup.wait(for: descriptor) }
}
