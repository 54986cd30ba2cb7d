/// News without a date: the times at which it was seen, and had not been there yet.
///
/// News at the same hour of several days appeared within the span that all of these days have in
/// common. On the days of the week on which that happens, looking pays at the end of the span, and
/// as long as it is wide also within it, which narrows it down. Times are seconds of local time.
package struct NewsSightings: Codable, Hashable, Sendable {
    /// News that appeared after `start` and was seen at `end`.
    package struct Sighting: Codable, Hashable, Sendable {
        package var start: Double
        package var end: Double

        package init(start: Double, end: Double) {
            self.start = start
            self.end = end
        }
    }

    /// A possible series of regular news.
    private struct Rhythm: Hashable {
        /// The time at which it appears, from the midnight of the day on which it is seen.
        var start: Double
        var end: Double
        /// The weighted numbers of days on which it was seen; for each day of the week and in all.
        var weights = [Double](repeating: 0, count: 7)
        var total = 0.0
        var looks: [Double] = []

        init(_ sighting: Sighting) {
            let midnight = Double(HalfHour.day(sighting.end)) * NewsSightings.day
            (start, end) = (sighting.start - midnight, sighting.end - midnight)
        }

        /// Narrows this one to the time it has in common with another; returns false if there is
        /// none.
        mutating func merge(_ other: Rhythm) -> Bool {
            let (start, end) = (max(start, other.start), min(end, other.end))
            guard start < end else { return false }
            (self.start, self.end) = (start, end)
            return true
        }

        mutating func count(_ day: Int, _ weight: Double) {
            weights[HalfHour.weekday(day)] += weight
            total += weight
        }

        /// The moments at which to look, from midnight: some that divide the span, and its end.
        func findLooks() -> [Double] {
            let width = (end - start) / NewsSightings.width
            let count = min(NewsSightings.mostLooks, max(1, width.rounded(.up)))
            return (1...Int(count)).map { start + (end - start) * Double($0) / count }
        }
    }

    /// The longest span that says anything about an hour.
    package static let longest = 16 * 3600.0
    /// The width of a span that is narrow enough.
    private static let width = 2400.0
    /// The maximum number of looks that divide a span.
    private static let mostLooks = 6.0
    /// The number of sightings that are kept.
    private static let limit = 32
    /// A look is worth something until so much later, and loses that share of its worth by then.
    private static let patience = 3600.0
    private static let loss = 0.3
    /// The worth of a look that divides a span.
    private static let dividing = 0.5
    private static let day = 86400.0

    /// Oldest first.
    package private(set) var all: [Sighting]
    private var rhythms: [Rhythm] = []

    package init(_ all: [Sighting] = []) {
        self.all = all.filter {
            $0.start < $0.end && $0.end - $0.start <= Self.longest && abs($0.end) < 1e11
        }.suffix(Self.limit)
    }

    package init(from decoder: any Decoder) throws {
        self.init(try [Sighting](from: decoder))
    }

    package func encode(to encoder: any Encoder) throws { try all.encode(to: encoder) }

    mutating func add(_ sighting: Sighting) {
        all = (all + [sighting]).suffix(Self.limit)
    }

    /// Finds what they have in common as of a day; each counts `decay` times as much as a day later.
    mutating func weigh(today: Int, decay: (_ days: Int) -> Double) {
        rhythms = []
        for sighting in all.reversed() {
            let day = HalfHour.day(sighting.end)
            let found = Rhythm(sighting)
            let index =
                rhythms.indices.first { rhythms[$0].merge(found) } ?? rhythms.endIndex
            if index == rhythms.endIndex { rhythms.append(found) }
            rhythms[index].count(day, decay(max(0, today - day)))
        }
        for index in rhythms.indices { rhythms[index].looks = rhythms[index].findLooks() }
    }

    /// Returns the worth of looking at `time` if the last look was at `last`. `days` and `alike`
    /// are weighted numbers of days that have passed: all of them, and those of the day of the week
    /// on which something is seen.
    func worth(at time: Double, since last: Double?, days: Double, alike: (Int) -> Double) -> Double
    {
        var worth = 0.0
        for day in HalfHour.day(time)...HalfHour.day(time) + 1 {
            let earliest = max(time - Self.patience, last ?? -.infinity) - Double(day) * Self.day
            let latest = time - Double(day) * Self.day
            for rhythm in rhythms {
                guard
                    let look = rhythm.looks.last(where: { $0 > earliest && $0 <= latest })
                else { continue }
                let chance =
                    (rhythm.weights[HalfHour.weekday(day)] + rhythm.total / (days + 1))
                    / (alike(day) + 1)
                // One that only narrows the span down is worth less.
                let share = look == rhythm.looks.last ? 1 : Self.dividing
                worth += chance * share * (1 - Self.loss * (latest - look) / Self.patience)
            }
        }
        return worth
    }
}
