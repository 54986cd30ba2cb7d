import Playback
import Threads

/// The time by which the output thread lives, and how that thread waits.
protocol OutputClock: Sendable {
    /// Nanoseconds of CLOCK_MONOTONIC.
    var now: Int64 { get }

    /// Waits until `descriptor` can be read, or until `deadline`, `.max` for none.
    func wait(for descriptor: Int32, until deadline: Int64)

    /// Waits until another thread of this process has made `descriptor` readable, which takes none of
    /// this clock's time where that is moved by hand.
    func wait(for descriptor: Int32)
}

/// The host's time on a thread of its own.
struct PollClock: OutputClock {
    let host: any HostClock

    var now: Int64 { host.now }

    func wait(for descriptor: Int32, until deadline: Int64) {
        Wakeup.wait(for: descriptor, until: deadline)
    }

    func wait(for descriptor: Int32) { Wakeup.wait(for: descriptor) }
}

/// The host's time on the thread of a connection, which hears of the server while it waits.
struct ServerClock: OutputClock {
    let connection: ServerConnection

    var now: Int64 { connection.clock.now }

    func wait(for descriptor: Int32, until deadline: Int64) {
        connection.loop.wait(for: descriptor, until: deadline == .max ? nil : deadline)
    }

    func wait(for descriptor: Int32) { connection.loop.wait(for: descriptor, until: nil) }
}
