/// Decides which fixes a client gets: those that are far enough from the last one it got, or more
/// exact than that (D4).
package struct LocationFilter: Hashable, Sendable {
    /// Meters; 0 or less for all fixes.
    package var distance: Double
    /// The fix that was delivered last.
    package private(set) var last: LocationFix?

    package init(distance: Double = 0) { self.distance = distance }

    /// Returns true for a fix to deliver; the first one is one.
    package mutating func accepts(_ fix: LocationFix) -> Bool {
        guard let last, distance > 0, fix.horizontalAccuracy >= last.horizontalAccuracy,
            fix.distance(from: last) < distance
        else {
            last = fix
            return true
        }
        return false
    }
}

/// Decides which fixes are a significant change of the place: the first one, and then those that are
/// both far enough from, and late enough after the last of them.
package struct SignificantChangeFilter: Hashable, Sendable {
    /// Meters.
    package static let distance = 500.0
    /// Seconds.
    package static let interval = 300.0

    private var last: LocationFix?

    package init() {}

    /// Returns true for a fix that is a significant change.
    package mutating func accepts(_ fix: LocationFix) -> Bool {
        if let last {
            guard fix.time - last.time >= Self.interval, fix.distance(from: last) >= Self.distance
            else { return false }
        }
        last = fix
        return true
    }
}

/// Notices that the machine has stayed where it is for so long that updates may pause.
struct StandstillWatch: Sendable {
    /// Seconds.
    static let duration = 900.0
    /// Meters.
    static let distance = 50.0

    private var mean = PositionMean()
    /// The place that was not left, its accuracy, and the times at which a fix there was measured and
    /// arrived.
    private var anchor: (place: Coordinate, accuracy: Double, time: Double, arrival: Double)?

    /// The time from which on it is still by the host's clock if no fix comes.
    var nextDue: Double? { anchor.map { $0.arrival + Self.duration } }

    /// Returns true if a fix shows that the machine has moved; false also for the first.
    mutating func hasMoved(_ fix: LocationFix) -> Bool {
        mean.add(fix)
        guard let place = mean.coordinate else { return false }
        if let anchor {
            let doubt = (anchor.accuracy + mean.accuracy) / 2
            guard place.distance(to: anchor.place) - doubt >= Self.distance else { return false }
        }
        let isFirst = anchor == nil
        anchor = (place, mean.accuracy, fix.time, fix.arrival)
        return !isFirst
    }

    /// Returns true if the machine has not moved up to the time of a fix.
    func isStill(at fix: LocationFix) -> Bool {
        anchor.map { fix.time - $0.time >= Self.duration } ?? false
    }

    /// Returns true if the machine has not moved until `boot`, up to which no fix has come.
    func isStill(at boot: Double) -> Bool { nextDue.map { boot >= $0 } ?? false }
}
