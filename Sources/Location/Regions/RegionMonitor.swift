/// Watches circular regions: one event for each crossing, whatever the noise.
///
/// A crossing counts when the mean of some seconds is clearly beyond the edge, or fixes agree on it
/// for 20 s; its event comes 20 s after it, so that one who turns around at once is noticed as well.
/// Between the edge and that margin everything stays as it was. What is measured in seconds is
/// measured by the fixes' own times, so that a recorded track gives the same events at any speed,
/// and by the host's clock while no fix comes.
package struct RegionMonitor: Sendable {
    /// How many regions are watched at most.
    package static let limit = 20
    /// The largest radius, in meters.
    package static let maximumRadius = 1_000_000.0
    /// Seconds from a crossing to its event.
    package static let delay = 20.0
    /// Meters beyond the edge from which on a place counts; less inside small regions.
    package static let margin = 50.0
    /// Seconds of silence after which a single fix counts that is not far beyond the edge.
    static let doubtfulDelay = 120.0
    /// Meters; sources that claim to be more exact are not believed where fixes are rare.
    static let leastAccuracy = 20.0
    /// How many of such fixes have to agree.
    static let doubtfulCount = 3

    /// A region and what is known of it.
    struct Watch: Sendable {
        var region: CircularRegion
        /// What was reported last.
        var reported = RegionState.unknown
        /// The side that is certain, whose event may still be to come.
        var settled = RegionState.unknown
        var candidate: Candidate?
        var pending: [Pending] = []
    }

    /// The other side, while that is not certain yet.
    struct Candidate: Sendable {
        var side: RegionState
        var since: Moment
        /// Whether the last fix leaves no doubt.
        var isClear = false
        /// How many fixes agree.
        var count = 0

        init(_ side: RegionState, since: Moment) {
            self.side = side
            self.since = since
        }

        /// After how many seconds without a fix it is certain.
        var delay: Double { isClear ? RegionMonitor.delay : RegionMonitor.doubtfulDelay }
    }

    /// A crossing whose event is to come.
    struct Pending: Sendable {
        var side: RegionState
        var since: Moment
    }

    /// When a fix was measured, and arrived.
    struct Moment: Sendable {
        var time: Double
        var arrival: Double

        init(_ fix: LocationFix) { (time, arrival) = (fix.time, fix.arrival) }
    }

    private var watches: [String: Watch] = [:]
    private var mean = PositionMean()

    /// Watches `regions`, of which an earlier monitor has reported these states.
    package init(_ regions: [(CircularRegion, RegionState)] = []) {
        for (region, state) in regions {
            watches[region.identifier] = Watch(region: region, reported: state, settled: state)
        }
    }

    /// The watched regions and what was reported of them, in the order of their names.
    package var regions: [(region: CircularRegion, state: RegionState)] {
        sortedWatches.map { ($0.region, $0.reported) }
    }

    package var isEmpty: Bool { watches.isEmpty }

    /// What was reported of a region; nil if it is not watched.
    package func state(of identifier: String) -> RegionState? { watches[identifier]?.reported }

    /// The region with an identifier.
    package func region(_ identifier: String) -> CircularRegion? { watches[identifier]?.region }

    private var sortedWatches: [Watch] {
        watches.values.sorted { $0.region.identifier < $1.region.identifier }
    }

    // MARK: Regions

    /// Watches a region, in place of one with its identifier. Returns why it cannot be watched.
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

    /// The source was closed: what single fixes have suggested counts no more.
    package mutating func interrupt() {
        mean = PositionMean()
        for identifier in watches.keys { watches[identifier]?.candidate = nil }
    }

    // MARK: Time

    /// When `advance` next has something to do by the host's clock; nil if only a fix changes
    /// anything.
    package var nextDue: Double? {
        watches.values.flatMap { watch in
            watch.pending.map { $0.since.arrival + Self.delay }
                + (watch.candidate.map { [$0.since.arrival + $0.delay] } ?? [])
        }.min()
    }

    /// Takes in that no fix has come until `boot`, in seconds of CLOCK_BOOTTIME.
    package mutating func advance(to boot: Double) -> [RegionEvent] {
        advance { $0.arrival + $1 <= boot }
    }

    /// Takes in a fix, which was believed.
    package mutating func take(_ fix: LocationFix) -> [RegionEvent] {
        var events = advance { $0.time + $1 <= fix.time }
        mean.add(fix)
        for watch in sortedWatches {
            var watch = watch
            if watch.settled == .unknown {
                watch.settled = firstState(of: watch.region, at: fix)
                if watch.settled != .unknown {
                    watch.reported = watch.settled
                    events.append(.determined(watch.region.identifier, watch.settled))
                }
            } else {
                observe(fix, &watch)
                watch.report(&events) { $0.time + $1 <= fix.time }
            }
            watches[watch.region.identifier] = watch
        }
        return events
    }

    private mutating func advance(
        _ isOver: (_ since: Moment, _ seconds: Double) -> Bool
    ) -> [RegionEvent] {
        var events: [RegionEvent] = []
        for var watch in sortedWatches {
            if let candidate = watch.candidate, isOver(candidate.since, candidate.delay) {
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
        let inner = watch.region.radius - min(Self.margin, watch.region.radius / 3)
        let outer = watch.region.radius + Self.margin
        let doubt = mean.accuracy / 2
        let side: RegionState
        if distance < inner, distance + doubt < watch.region.radius {
            side = .inside
        } else if distance > outer, distance - doubt > watch.region.radius {
            side = .outside
        } else {
            side = watch.settled
        }
        guard side != watch.settled else {
            watch.candidate = nil
            return
        }
        let excess = side == .inside ? inner - distance : distance - outer
        var candidate = watch.candidate ?? Candidate(side, since: Moment(fix))
        candidate.isClear = excess > 2 * max(Self.leastAccuracy, mean.accuracy)
        candidate.count += 1
        watch.candidate = candidate
        let isAgreed =
            (candidate.isClear || candidate.count >= Self.doubtfulCount)
            && candidate.since.time + Self.delay <= fix.time
        if mean.isSteady || isAgreed { watch.settle() }
    }
}

extension RegionMonitor.Watch {
    /// The candidate is certain: its event is to come.
    fileprivate mutating func settle() {
        guard let candidate else { return }
        settled = candidate.side
        pending.append(RegionMonitor.Pending(side: candidate.side, since: candidate.since))
        self.candidate = nil
    }

    fileprivate mutating func report(
        _ events: inout [RegionEvent],
        _ isOver: (_ since: RegionMonitor.Moment, _ seconds: Double) -> Bool
    ) {
        while let first = pending.first, isOver(first.since, RegionMonitor.delay) {
            pending.removeFirst()
            reported = first.side
            if first.side == .inside, region.notifiesOnEntry {
                events.append(.entered(region.identifier))
            } else if first.side == .outside, region.notifiesOnExit {
                events.append(.exited(region.identifier))
            }
        }
    }
}

/// Why a region cannot be watched.
package enum RegionFault: String, Hashable, Sendable {
    /// Its center is nowhere on Earth.
    case center
    /// Its radius is not above zero.
    case radius
    /// Its radius is above the largest.
    case tooLarge
    /// As many regions as can be are watched.
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
