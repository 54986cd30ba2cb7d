/// A moment by both of the machine's clocks, and the local time that it is.
package struct ScheduleTime: Hashable, Sendable {
    /// Seconds of CLOCK_BOOTTIME, which also passes while the machine sleeps and is never set.
    package var boot: Double
    /// Seconds since 1970, which the user and the network may set.
    package var wall: Double
    /// Seconds by which local time is ahead of UTC now.
    package var utcOffset: Double

    package init(boot: Double, wall: Double, utcOffset: Double = 0) {
        self.boot = boot
        self.wall = wall
        self.utcOffset = utcOffset
    }

    /// When CLOCK_BOOTTIME is `boot`, in seconds since 1970, if nobody sets the clock until then.
    func wall(atBoot boot: Double) -> Double { wall + (boot - self.boot) }

    /// The hours and minutes of local time at `wall`: `08:30`.
    package func clockFace(_ wall: Double) -> String {
        let minute = Int(((wall + utcOffset) / 60).rounded(.down))
        let ofDay = ((minute % 1440) + 1440) % 1440
        let digits = [ofDay / 60, ofDay % 60].map { ($0 < 10 ? "0" : "") + String($0) }
        return digits.joined(separator: ":")
    }
}

/// A half-hour of a working day or of the weekend: one of 96.
struct HalfHour: Hashable, Sendable {
    static let count = 96
    static let seconds = 1800.0

    /// Below 48 on Monday to Friday.
    let index: Int

    /// The half-hour in which `local`, in seconds of local time since 1970, lies.
    init(local: Double) {
        let day = Self.day(local)
        let half = Int(((local - Double(day) * 86400) / Self.seconds).rounded(.down))
        index = min(47, max(0, half)) + (Self.isWeekend(day) ? 48 : 0)
    }

    /// The same half-hour of the other kind of day.
    var counterpart: Int { index < 48 ? index + 48 : index - 48 }

    /// Days since 1970.
    static func day(_ local: Double) -> Int { Int((local / 86400).rounded(.down)) }

    /// The first day was a Thursday.
    static func isWeekend(_ day: Int) -> Bool { ((day % 7) + 7 + 3) % 7 >= 5 }
}
