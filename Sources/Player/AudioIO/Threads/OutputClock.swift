import UndersongBase
import UndersongPlayback

/// The output thread's clock, and its way of waiting.
protocol OutputClock: Sendable {
    /// Nanoseconds of CLOCK_MONOTONIC.
    var now: Int64 { get }

    /// Waits until `descriptor` is readable, or until `deadline`; `.max` for none.
    func wait(for descriptor: Int32, until deadline: Int64)

    /// Waits until another thread of this process makes `descriptor` readable, which takes no time
    /// on a clock that is moved by hand.
    func wait(for descriptor: Int32)
}

/// The host's clock, on a thread of its own.
struct PollClock: OutputClock {
    let host: any HostClock

    var now: Int64 { host.now }

    func wait(for descriptor: Int32, until deadline: Int64) {
        Wakeup.wait(for: descriptor, until: deadline)
    }

    func wait(for descriptor: Int32) { Wakeup.wait(for: descriptor) }
}

/// The host's clock on a connection's thread, which handles server events while it waits.
struct ServerClock: OutputClock {
    let connection: ServerConnection

    var now: Int64 { connection.clock.now }

    func wait(for descriptor: Int32, until deadline: Int64) {
        connection.loop.wait(for: descriptor, until: deadline == .max ? nil : deadline)
    }

    func wait(for descriptor: Int32) { connection.loop.wait(for: descriptor, until: nil) }
}
