/// A moment by both of the machine's clocks, and the local time that it is.
package struct ScheduleTime: Hashable, Sendable {
    /// The moment at which local time will be put forward or back, as daylight saving time begins
    /// or ends.
    package struct OffsetChange: Hashable, Sendable {
        /// The seconds ahead for which a change is looked for: never are two so close to each
        /// other.
        private static let horizon = 1_209_600.0

        /// Seconds since 1970.
        package let wall: Double
        /// Seconds by which local time is ahead of UTC from then on.
        package let utcOffset: Double

        /// The first change after `wall` of what `utcOffset` returns for seconds since 1970; nil if
        /// there is none within two weeks.
        package init?(after wall: Double, _ utcOffset: (Double) -> Double) {
            var (before, after) = (wall.rounded(.down), wall.rounded(.down) + Self.horizon)
            let (old, new) = (utcOffset(before), utcOffset(after))
            guard old != new else { return nil }
            while after - before > 1 {
                let middle = ((before + after) / 2).rounded(.down)
                if utcOffset(middle) == old { before = middle } else { after = middle }
            }
            self.wall = after
            self.utcOffset = new
        }
    }

    /// Seconds of CLOCK_BOOTTIME, which also passes while the machine sleeps and is never set.
    package var boot: Double
    /// Seconds since 1970, which the user and the network may set.
    package var wall: Double
    /// Seconds by which local time is ahead of UTC now.
    package var utcOffset: Double
    /// The time at which that changes next; nil if that is not soon.
    package var offsetChange: OffsetChange?

    package init(boot: Double, wall: Double, utcOffset: Double = 0) {
        self.boot = boot
        self.wall = wall
        self.utcOffset = utcOffset
    }

    /// A moment in a time zone, whose distance from UTC at any time `utcOffset` returns.
    package init(boot: Double, wall: Double, in utcOffset: (Double) -> Double) {
        self.init(boot: boot, wall: wall, utcOffset: utcOffset(wall))
        offsetChange = OffsetChange(after: wall, utcOffset)
    }

    /// Seconds by which local time is ahead of UTC at `wall`, now or later.
    func utcOffset(at wall: Double) -> Double {
        guard let offsetChange, wall >= offsetChange.wall else { return utcOffset }
        return offsetChange.utcOffset
    }

    /// Seconds of local time since 1970 at `wall`, now or later.
    func local(_ wall: Double) -> Double { wall + utcOffset(at: wall) }

    /// Returns the date at which CLOCK_BOOTTIME is `boot`, in seconds since 1970, if the clock is
    /// not set until then.
    func wall(atBoot boot: Double) -> Double { wall + (boot - self.boot) }

    /// The hours and minutes of local time at `wall`: `08:30`.
    package func clockFace(_ wall: Double) -> String {
        let minute = Int((local(wall) / 60).rounded(.down))
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

    /// The day of the week, from Monday on. The first day was a Thursday.
    static func weekday(_ day: Int) -> Int { ((day % 7) + 7 + 3) % 7 }

    static func isWeekend(_ day: Int) -> Bool { weekday(day) >= 5 }
}
