/// Watches circular regions: one event for each crossing, whatever the noise and however rare the
/// fixes.
///
/// A crossing counts when the mean of some seconds is clearly beyond the edge, and either the
/// machine has moved there, farther than noise takes a place, or the fixes beyond the edge prove it
/// together. Where fixes are rare, more of them agree for 20 s, or the next one shows that the
/// machine has passed through, or silence follows. The event comes 20 s after the crossing, so that
/// one who turns around at once is noticed as well. Between the edge and that margin everything
/// stays as it was. What is measured in seconds is measured by the fixes' own times, so that a
/// recorded track gives the same events at any speed, and by the host's clock while no fix comes.
package struct RegionMonitor: Sendable {
    /// The most regions that are watched.
    package static let limit = 20
    /// The largest radius, in meters.
    package static let maximumRadius = 1_000_000.0
    /// Seconds from a crossing to its event.
    package static let delay = 20.0
    /// Meters beyond the edge from which on a place counts; less inside small regions.
    package static let margin = 50.0
    /// Seconds of silence after which a single fix counts that is not far beyond the edge.
    static let doubtfulDelay = 120.0
    /// The number of deviations by which fixes together have to be beyond the edge, where no movement
    /// explains them.
    static let proof = 5.5

    /// A region and its state.
    struct Watch: Sendable {
        var region: CircularRegion
        /// The side that was reported last.
        var reported = RegionState.unknown
        /// The side that is certain, whose event may still be to come.
        var settled = RegionState.unknown
        /// The last fix on that side.
        var settledFix: LocationFix?
        var candidate: Candidate?
        /// The other side as it was left, before it was certain, and the end of the time in which it
        /// may be that the machine has passed through it.
        var left: (candidate: Candidate, end: Double)?
        var pending: [Pending] = []
    }

    /// The other side, while that is not certain yet.
    struct Candidate: Sendable {
        var side: RegionState
        var since: Moment
        /// The first fix that makes it one, and the last one on the settled side before that.
        var first: LocationFix
        var origin: LocationFix?
        /// True if the last fix leaves no doubt.
        var isClear = false
        /// True if the machine has moved there.
        var hasMoved = false
        /// The number of fixes that agree, and of deviations that they are beyond the edge in total.
        var count = 0
        var depth = 0.0

        init(_ side: RegionState, at fix: LocationFix, from origin: LocationFix?) {
            self.side = side
            since = Moment(fix)
            first = fix
            self.origin = origin
        }

        /// True if noise does not explain the fixes, wherever on the other side the machine is.
        var isProven: Bool { depth >= RegionMonitor.proof * Double(count).squareRoot() }

        /// The seconds without a fix after which it is certain; nil if it never is.
        var delay: Double? {
            guard hasMoved || isProven else { return nil }
            return isClear ? RegionMonitor.delay : RegionMonitor.doubtfulDelay
        }

        /// The time from which on it is certain by the host's clock if no fix comes.
        var due: Double? { delay.map { since.arrival + $0 } }

        /// Returns true if it is certain at the time of a fix that agrees.
        func isCertain(at fix: LocationFix, isSteady: Bool) -> Bool {
            if hasMoved, isProven, count > 2 { return true }
            guard isSteady || since.time + RegionMonitor.delay <= fix.time else { return false }
            return isProven || hasMoved && (isSteady || count > 2)
        }

        /// Returns true if the machine has passed through it on its way to `fix`.
        func isPassed(by fix: LocationFix) -> Bool {
            origin.map { RecentWay.passes(first, from: $0, to: fix) } ?? false
        }
    }

    /// A crossing whose event is to come.
    struct Pending: Sendable {
        var side: RegionState
        var since: Moment
    }

    /// The times at which a fix was measured, and arrived.
    struct Moment: Sendable {
        var time: Double
        var arrival: Double

        init(_ fix: LocationFix) { (time, arrival) = (fix.time, fix.arrival) }
    }

    private var watches: [String: Watch] = [:]
    private var mean = PositionMean()
    private var way = RecentWay()

    /// Creates a monitor of `regions`, whose states an earlier one has reported.
    package init(_ regions: [WatchedRegion] = []) {
        for watched in regions {
            watches[watched.region.identifier] = Watch(
                region: watched.region, reported: watched.state, settled: watched.state)
        }
    }

    /// The watched regions with the states that were reported, in the order of their names.
    package var regions: [WatchedRegion] {
        sortedWatches.map { WatchedRegion(region: $0.region, state: $0.reported) }
    }

    package var isEmpty: Bool { watches.isEmpty }

    /// The state that was reported of a region; nil if it is not watched.
    package func state(of identifier: String) -> RegionState? { watches[identifier]?.reported }

    /// The region with an identifier.
    package func region(_ identifier: String) -> CircularRegion? { watches[identifier]?.region }

    private var sortedWatches: [Watch] {
        watches.values.sorted { $0.region.identifier < $1.region.identifier }
    }

    // MARK: Regions

    /// Watches a region, in place of one with its identifier. Returns the reason if it cannot be
    /// watched.
    package mutating func start(_ region: CircularRegion) -> RegionFault? {
        if !region.center.isValid { return .center }
        if !(region.radius > 0 && region.radius.isFinite) { return .radius }
        if region.radius > Self.maximumRadius { return .tooLarge }
        if let old = watches[region.identifier], old.region.center == region.center,
            old.region.radius == region.radius
        {
            watches[region.identifier]?.region = region
            return nil
        }
        if watches[region.identifier] == nil, watches.count >= Self.limit { return .tooMany }
        watches[region.identifier] = Watch(region: region)
        return nil
    }

    /// Watches a region no more.
    package mutating func stop(_ identifier: String) {
        watches[identifier] = nil
    }

    /// Follows the state that another monitor has found meanwhile.
    package mutating func observe(_ state: RegionState, of identifier: String) -> [RegionEvent] {
        guard var watch = watches[identifier], state != .unknown, state != watch.reported else {
            return []
        }
        let isFirst = watch.reported == .unknown
        var events: [RegionEvent] = []
        watch.forgetFixes()
        watch.pending = []
        watch.settled = state
        watch.report(state, &events)
        watches[identifier] = watch
        return isFirst ? [.determined(identifier, state)] : events
    }

    /// Forgets the suggestions of single fixes, since the source was closed.
    package mutating func interrupt() {
        mean = PositionMean()
        way = RecentWay()
        for identifier in watches.keys { watches[identifier]?.forgetFixes() }
    }

    // MARK: Time

    /// The time of the next `advance` by the host's clock; nil if only a fix changes anything.
    package var nextDue: Double? {
        watches.values.flatMap { watch in
            watch.pending.map { $0.since.arrival + Self.delay }
                + [watch.candidate?.due].compactMap(\.self)
        }.min()
    }

    /// Advances to `boot`, in seconds of CLOCK_BOOTTIME, until which no fix has come.
    package mutating func advance(to boot: Double) -> [RegionEvent] {
        advance { $0.arrival + $1 <= boot }
    }

    /// Receives a fix that was believed.
    package mutating func receive(_ fix: LocationFix) -> [RegionEvent] {
        var events = advance { $0.time + $1 <= fix.time }
        mean.add(fix)
        for watch in sortedWatches {
            var watch = watch
            if watch.settled == .unknown {
                watch.settled = firstState(of: watch.region, at: fix)
                if watch.settled != .unknown {
                    watch.reported = watch.settled
                    watch.settledFix = fix
                    events.append(.determined(watch.region.identifier, watch.settled))
                }
            } else {
                observe(fix, &watch)
                watch.report(&events) { $0.time + $1 <= fix.time }
            }
            watches[watch.region.identifier] = watch
        }
        way.add(fix)
        return events
    }

    private mutating func advance(
        _ isOver: (_ since: Moment, _ seconds: Double) -> Bool
    ) -> [RegionEvent] {
        var events: [RegionEvent] = []
        for var watch in sortedWatches {
            if let candidate = watch.candidate, let delay = candidate.delay,
                isOver(candidate.since, delay)
            {
                watch.settle()
            }
            watch.report(&events, isOver)
            watches[watch.region.identifier] = watch
        }
        return events
    }

    // MARK: Sides

    private func firstState(of region: CircularRegion, at fix: LocationFix) -> RegionState {
        let distance = region.center.distance(to: fix.coordinate)
        if distance + fix.horizontalAccuracy / 2 < region.radius { return .inside }
        if distance - fix.horizontalAccuracy / 2 > region.radius { return .outside }
        guard mean.isSteady, mean.accuracy < region.radius, let coordinate = mean.coordinate else {
            return .unknown
        }
        return region.contains(coordinate) ? .inside : .outside
    }

    private func observe(_ fix: LocationFix, _ watch: inout Watch) {
        guard let coordinate = mean.coordinate else { return }
        let distance = watch.region.center.distance(to: coordinate)
        let side = side(at: distance, of: watch.region) ?? watch.settled
        if watch.region.contains(fix.coordinate) == (watch.settled == .inside) {
            watch.settledFix = fix
        }
        if side == watch.settled {
            watch.leave(at: fix)
            if watch.hasPassed(by: fix) { observe(fix, &watch) }
            return
        }
        var candidate = watch.candidate ?? Candidate(side, at: fix, from: watch.settledFix)
        let depth = watch.region.center.distance(to: fix.coordinate) - watch.region.radius
        candidate.count += 1
        candidate.depth += (side == .outside ? depth : -depth) / fix.believedAccuracy
        candidate.isClear = isClear(distance, of: watch.region)
        candidate.hasMoved =
            candidate.hasMoved || way.leads(to: coordinate, accuracy: mean.accuracy)
        watch.candidate = candidate
        if candidate.isCertain(at: fix, isSteady: mean.isSteady) { watch.settle() }
    }

    /// The side of a mean place that is clearly beyond the edge; nil near the edge.
    private func side(at distance: Double, of region: CircularRegion) -> RegionState? {
        let doubt = mean.accuracy / 2
        if distance < region.inner, distance + doubt < region.radius { return .inside }
        if distance > region.outer, distance - doubt > region.radius { return .outside }
        return nil
    }

    /// Returns true if a mean place that is beyond the edge is so far beyond it that there is no doubt.
    private func isClear(_ distance: Double, of region: CircularRegion) -> Bool {
        max(region.inner - distance, distance - region.outer)
            > 2 * max(LocationFix.leastAccuracy, mean.accuracy)
    }
}

extension CircularRegion {
    /// Meters from the center below which a place is clearly inside, and above which it is outside.
    fileprivate var inner: Double { radius - min(RegionMonitor.margin, radius / 3) }
    fileprivate var outer: Double { radius + RegionMonitor.margin }
}

extension RegionMonitor.Watch {
    /// Settles on the candidate, which is certain: its event is to come.
    fileprivate mutating func settle() {
        guard let candidate else { return }
        settled = candidate.side
        pending.append(RegionMonitor.Pending(side: candidate.side, since: candidate.since))
        forgetDoubt()
    }

    fileprivate mutating func forgetFixes() {
        settledFix = nil
        forgetDoubt()
    }

    private mutating func forgetDoubt() {
        candidate = nil
        left = nil
    }

    /// Sets the candidate aside, against which a fix speaks.
    fileprivate mutating func leave(at fix: LocationFix) {
        guard let candidate else { return }
        left = (candidate, fix.time + RegionMonitor.delay)
        self.candidate = nil
    }

    /// Returns true if a fix shows that the side which was left is certain after all.
    fileprivate mutating func hasPassed(by fix: LocationFix) -> Bool {
        guard let left else { return false }
        guard left.end >= fix.time else {
            self.left = nil
            return false
        }
        guard left.candidate.isPassed(by: fix) else { return false }
        candidate = left.candidate
        settle()
        return true
    }

    fileprivate mutating func report(
        _ events: inout [RegionEvent],
        _ isOver: (_ since: RegionMonitor.Moment, _ seconds: Double) -> Bool
    ) {
        while let first = pending.first, isOver(first.since, RegionMonitor.delay) {
            pending.removeFirst()
            report(first.side, &events)
        }
    }

    fileprivate mutating func report(_ side: RegionState, _ events: inout [RegionEvent]) {
        reported = side
        if side == .inside, region.notifiesOnEntry {
            events.append(.entered(region.identifier))
        } else if side == .outside, region.notifiesOnExit {
            events.append(.exited(region.identifier))
        }
    }
}

/// The reason why a region cannot be watched.
package enum RegionFault: String, Hashable, Sendable {
    /// Its center is nowhere on Earth.
    case center
    /// Its radius is not above zero.
    case radius
    /// Its radius is above the largest.
    case tooLarge
    /// The maximum number of regions is watched.
    case tooMany

    /// The reason, as a clause.
    package var reason: String {
        switch self {
        case .center: "its center is not on Earth"
        case .radius: "its radius is not above 0"
        case .tooLarge: "its radius is above \(Int(RegionMonitor.maximumRadius / 1000)) km"
        case .tooMany: "\(RegionMonitor.limit) regions are watched already"
        }
    }
}
