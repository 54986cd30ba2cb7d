/// The time to look for something new: the best moment of a span, by what was learned.
package struct RefreshPlan: Hashable, Sendable {
    /// The reason it is that moment.
    package enum Reason: Hashable, Sendable {
        /// There has never been a run.
        case first
        /// The host is often opened within an hour of then.
        case opens
        /// Something new has often appeared just before then.
        case news
        /// Nothing speaks for a better moment, and the wait has been long enough.
        case longestWait
        /// The host is seldom opened then.
        case quiet
    }

    /// Seconds since 1970.
    package var wall: Double
    package var reason: Reason
}

/// The input of a plan.
struct RefreshSpan: Hashable {
    /// The first and the last moment, in seconds since 1970.
    var start: Double
    var end: Double
    /// The last run, in seconds since 1970; nil if there was none.
    var last: Double?
    /// The seconds between runs, which a half-hour's runs without a result lengthen; 0 if that does
    /// not matter.
    var interval: Double
    /// The worth that a moment has to reach: a chance of 0 to 1.
    var price: Double
    /// The time at which the plan is made, which knows the local time.
    var now: ScheduleTime

    /// The steps in which moments are compared.
    private static let step = 600.0
    /// The worth of having run before the host is opened, by the steps from the run to the opening:
    /// about 20 minutes before the likeliest half-hour is best.
    private static let opening = [0.7, 0.9, 1, 1, 1, 0.8]
    /// The worth of running after something new has appeared, by the steps since then.
    private static let finding = [1, 1, 1, 0.9, 0.9, 0.8]
    /// The share of its worth that remains to something the last run has covered.
    private static let covered = 0.25

    /// The earliest moment that is worth its price and better than the next one, or else the end.
    func plan(_ usage: UsagePattern) -> RefreshPlan {
        var moment = start
        var worth = worth(of: moment, usage)
        while moment < end {
            let next = ((moment / Self.step).rounded(.down) + 1) * Self.step
            let nextWorth = next <= end ? self.worth(of: next, usage) : (opens: 0, news: 0)
            let (total, nextTotal) = (worth.opens + worth.news, nextWorth.opens + nextWorth.news)
            if total >= price, total >= nextTotal, isAllowed(moment, usage) {
                let reason = worth.opens >= worth.news ? RefreshPlan.Reason.opens : .news
                return RefreshPlan(wall: moment, reason: reason)
            }
            (moment, worth) = (next, nextWorth)
        }
        return RefreshPlan(wall: end, reason: .longestWait)
    }

    private func isAllowed(_ moment: Double, _ usage: UsagePattern) -> Bool {
        guard let last else { return true }
        return moment >= last + interval * usage.stretch(atLocal: now.local(moment))
    }

    private func worth(of moment: Double, _ usage: UsagePattern) -> (opens: Double, news: Double) {
        var (opens, news) = (0.0, 0.0)
        for (index, weight) in Self.opening.enumerated() {
            let time = moment + Double(index) * Self.step
            let isCovered = last.map { time < $0 + 3600 } ?? false
            opens +=
                weight * usage.chanceOfOpen(atLocal: now.local(time)) / 3
                * (isCovered ? Self.covered : 1)
        }
        for (index, weight) in Self.finding.enumerated() {
            let time = moment - Double(index + 1) * Self.step
            // What appeared before the last run was found by it.
            if let last, time < last { break }
            news += weight * usage.chanceOfNews(atLocal: now.local(time)) / 3
        }
        news += usage.worthOfLook(atLocal: now.local(moment), since: last.map { now.local($0) })
        return (opens, news)
    }
}
