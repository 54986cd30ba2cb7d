import Threads

/// The system's time for those parts of the engine that do not take theirs from
/// `SessionConfiguration.clock` yet.
enum HostTime {
    /// Nanoseconds of CLOCK_MONOTONIC.
    static func now() -> Int64 { SystemClock().now }

    /// Nanoseconds of CLOCK_BOOTTIME.
    static func sinceBoot() -> Int64 { SystemClock().sinceBoot }
}
