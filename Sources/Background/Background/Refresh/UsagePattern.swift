/// The course of a usual day: the times at which the user opens the host, at which there is
/// something new, and at which looking for it was in vain (F7, F8).
///
/// Half-hours of working days and of weekends are counted apart, with weights that halve in 14
/// days. Days are those of local time.
package struct UsagePattern: Codable, Hashable, Sendable {
    /// The knowledge about one half-hour.
    package struct Entry: Codable, Hashable, Sendable {
        /// The index of the half-hour among 96; Monday to Friday first.
        package var halfHour: Int
        /// The weighted number of days on which the host was opened in it.
        package var opens: Double
        /// The weighted number of days on which something new appeared in it.
        package var news: Double
        /// The factor by which runs without a result lengthen the interval before the next one in
        /// it.
        package var stretch: Double
        /// The days, since 1970, on which it was last counted, since a day counts once.
        package var openDay: Int?
        package var newsDay: Int?

        package init(
            halfHour: Int, opens: Double, news: Double, stretch: Double, openDay: Int? = nil,
            newsDay: Int? = nil
        ) {
            self.halfHour = halfHour
            self.opens = opens
            self.news = news
            self.stretch = stretch
            self.openDay = openDay
            self.newsDay = newsDay
        }
    }

    /// The factors by which an interval is lengthened.
    package static let stretches = 1.5...8.0
    private static let dailyDecay = 0.951_695_153_010_619_6  // 2 to the power of -1/14
    /// The longest gap of days that is believed: the clock may have been set.
    private static let longestGap = 14

    private var opens = [Double](repeating: 0, count: HalfHour.count)
    private var news = [Double](repeating: 0, count: HalfHour.count)
    private var stretch = [Double](repeating: 1, count: HalfHour.count)
    private var lastOpen = [Int?](repeating: nil, count: HalfHour.count)
    private var lastNews = [Int?](repeating: nil, count: HalfHour.count)
    /// News of which only is known when it was seen.
    package private(set) var sightings = NewsSightings()
    /// The weighted numbers of working days and of days of weekends that have passed.
    package private(set) var workingDays = 0.0
    package private(set) var weekendDays = 0.0
    /// The latest day that was counted; nil before the first one.
    package private(set) var today: Int?
    /// The day of the last time the host was opened; nil if never.
    package private(set) var lastOpenDay: Int?
    /// Grows with each change.
    private(set) var version = 0

    /// Creates a pattern without knowledge.
    package init() {}

    /// Creates a pattern from its records.
    package init(
        _ entries: [Entry], sightings: NewsSightings = NewsSightings(), workingDays: Double,
        weekendDays: Double, today: Int?, lastOpenDay: Int?
    ) {
        for entry in entries where opens.indices.contains(entry.halfHour) {
            opens[entry.halfHour] = max(0, entry.opens)
            news[entry.halfHour] = max(0, entry.news)
            stretch[entry.halfHour] = min(max(1, entry.stretch), Self.stretches.upperBound)
            lastOpen[entry.halfHour] = entry.openDay
            lastNews[entry.halfHour] = entry.newsDay
        }
        self.workingDays = max(0, workingDays)
        self.weekendDays = max(0, weekendDays)
        self.today = today
        self.lastOpenDay = lastOpenDay
        self.sightings = sightings
        weighSightings()
    }

    private enum CodingKeys: String, CodingKey {
        case entries, sightings, workingDays, weekendDays, today, lastOpenDay
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try members.decode([Entry].self, forKey: .entries),
            sightings: try members.decode(NewsSightings.self, forKey: .sightings),
            workingDays: try members.decode(Double.self, forKey: .workingDays),
            weekendDays: try members.decode(Double.self, forKey: .weekendDays),
            today: try members.decodeIfPresent(Int.self, forKey: .today),
            lastOpenDay: try members.decodeIfPresent(Int.self, forKey: .lastOpenDay))
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(entries, forKey: .entries)
        try members.encode(sightings, forKey: .sightings)
        try members.encode(workingDays, forKey: .workingDays)
        try members.encode(weekendDays, forKey: .weekendDays)
        try members.encodeIfPresent(today, forKey: .today)
        try members.encodeIfPresent(lastOpenDay, forKey: .lastOpenDay)
    }

    /// The half-hours of which something is known.
    package var entries: [Entry] {
        opens.indices.compactMap { index in
            guard opens[index] > 0.001 || news[index] > 0.001 || stretch[index] > 1 else {
                return nil
            }
            return Entry(
                halfHour: index, opens: opens[index], news: news[index], stretch: stretch[index],
                openDay: lastOpen[index], newsDay: lastNews[index])
        }
    }

    /// Counts the days that have begun since the last call. Returns whether one has.
    mutating func passDays(to time: ScheduleTime) -> Bool {
        let day = HalfHour.day(time.wall + time.utcOffset)
        guard let today else {
            self.today = day
            count(day)
            return true
        }
        guard day != today else { return false }
        self.today = day
        let gap = day - today
        guard (1...Self.longestGap).contains(gap) else {
            decay()
            count(day)
            return true
        }
        for passed in (today + 1)...day {
            decay()
            count(passed)
        }
        return true
    }

    private mutating func count(_ day: Int) {
        version += 1
        if HalfHour.isWeekend(day) { weekendDays += 1 } else { workingDays += 1 }
        weighSightings()
    }

    private mutating func decay() {
        for index in opens.indices {
            opens[index] *= Self.dailyDecay
            news[index] *= Self.dailyDecay
        }
        workingDays *= Self.dailyDecay
        weekendDays *= Self.dailyDecay
    }

    /// Counts that the host was opened. Returns whether that was new today.
    mutating func countOpen(at time: ScheduleTime) -> Bool {
        let local = time.wall + time.utcOffset
        let (index, day) = (HalfHour(local: local).index, HalfHour.day(local))
        guard lastOpen[index] != day else { return false }
        lastOpen[index] = day
        lastOpenDay = day
        opens[index] += 1
        version += 1
        return true
    }

    /// Counts that something new appeared at `wall`, found by a run in the half-hour of `time`.
    mutating func countNews(from wall: Double, foundAt time: ScheduleTime) {
        let local = wall + time.utcOffset
        let (index, day) = (HalfHour(local: local).index, HalfHour.day(local))
        stretch[HalfHour(local: time.wall + time.utcOffset).index] = 1
        version += 1
        guard lastNews[index] != day else { return }
        lastNews[index] = day
        news[index] += 1
    }

    /// Counts that something new, found by a run at `time`, had not been there at `start`. After a
    /// very long time its hour is taken for the one at which it was found.
    mutating func countSighting(after start: Double, foundAt time: ScheduleTime) {
        guard start < time.wall, time.wall - start <= NewsSightings.longest else {
            return countNews(from: time.wall, foundAt: time)
        }
        let local = time.wall + time.utcOffset
        stretch[HalfHour(local: local).index] = 1
        sightings.add(NewsSightings.Sighting(start: start + time.utcOffset, end: local))
        version += 1
        weighSightings()
    }

    private mutating func weighSightings() {
        sightings.weigh(today: today ?? 0) { days in
            (0..<days).reduce(1) { weight, _ in weight * Self.dailyDecay }
        }
    }

    /// Counts a run that found nothing.
    mutating func countInVain(at time: ScheduleTime) {
        let index = HalfHour(local: time.wall + time.utcOffset).index
        stretch[index] = min(
            stretch[index] * Self.stretches.lowerBound, Self.stretches.upperBound)
        version += 1
    }

    // MARK: What to expect

    /// The weighted number of days that have passed.
    var days: Double { workingDays + weekendDays }

    /// Returns the factor by which the interval before a run at `local` is lengthened.
    func stretch(atLocal local: Double) -> Double { stretch[HalfHour(local: local).index] }

    /// The probability that the host is opened in the half-hour of `local`.
    func chanceOfOpen(atLocal local: Double) -> Double { chance(opens, HalfHour(local: local)) }

    /// The probability that something new appears in the half-hour of `local`.
    func chanceOfNews(atLocal local: Double) -> Double { chance(news, HalfHour(local: local)) }

    /// Returns the worth of looking at `local` for news that does not say when it appears, if the
    /// last look was at `last`.
    func worthOfLook(atLocal local: Double, since last: Double?) -> Double {
        sightings.worth(at: local, since: last, days: days) { day in
            HalfHour.isWeekend(day) ? weekendDays / 2 : workingDays / 5
        }
    }

    /// Returns the chance of something in a half-hour. As long as few days of a kind have passed,
    /// the other kind's count as well.
    private func chance(_ weights: [Double], _ half: HalfHour) -> Double {
        let (own, other) =
            half.index < 48 ? (workingDays, weekendDays) : (weekendDays, workingDays)
        let elsewhere = weights[half.counterpart] / (other + 1)
        return min(1, (weights[half.index] + elsewhere) / (own + 1))
    }
}
