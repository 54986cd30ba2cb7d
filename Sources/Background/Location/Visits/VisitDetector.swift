/// Finds stays of ten minutes or more: each is reported once when it is certain, and once when it is
/// over. Ten seconds of fixes are one place, and silence means that the place is the same.
package struct VisitDetector: Sendable {
    /// Seconds of a stay.
    package static let duration = 600.0
    /// Meters around its middle in which a stay begins.
    package static let radius = 100.0
    /// Meters from which on it is over,
    package static let exitRadius = 200.0
    /// after so many seconds.
    package static let exitDelay = 120.0
    /// Meters within which one has arrived, or has not left yet.
    static let core = 50.0
    /// Accuracies in meters above which fixes say nothing about stays.
    static let maximumAccuracy = 150.0
    /// Seconds of fixes that are one place.
    static let sampleLength = 10.0

    /// A place during some seconds.
    private struct Sample {
        var coordinate: Coordinate
        var accuracy: Double
        /// The times at which the first of its fixes was measured, and arrived.
        var time: Double
        var arrival: Double

        func isNear(_ place: Coordinate) -> Bool {
            coordinate.distance(to: place) <= max(VisitDetector.core, accuracy)
        }
    }

    /// A stay that was reported.
    private struct Stay {
        var visit: Visit
        /// The first place outside its core since the last one inside.
        var left: Sample?
        /// The first place far from it since the last one that is not.
        var away: Sample?
    }

    private var mean = CoordinateMean()
    private var first: LocationFix?
    private var accuracy = 0.0
    /// The places that may become a stay, the newest last.
    private var samples: [Sample] = []
    private var stay: Stay?

    package init() {}

    /// The stay that lasts.
    package var current: Visit? { stay?.visit }

    /// Forgets what may become a stay, since the source was closed.
    package mutating func interrupt() {
        first = nil
        samples = []
        stay?.away = nil
    }

    /// The time of the next `advance` by the host's clock.
    package var nextDue: Double? {
        if let stay {
            let flush = first.map { $0.arrival + Self.sampleLength }
            let exit = stay.away.map { $0.arrival + Self.exitDelay }
            return [flush, exit].compactMap { $0 }.min()
        }
        guard let begin = samples.first?.arrival ?? first?.arrival else { return nil }
        return begin + Self.duration
    }

    /// Advances to `boot`, in seconds of CLOCK_BOOTTIME, until which no fix has come.
    package mutating func advance(to boot: Double) -> [Visit] {
        advance { $0.arrival + $1 <= boot }
    }

    /// Receives a fix that was believed.
    package mutating func receive(_ fix: LocationFix) -> [Visit] {
        guard fix.horizontalAccuracy <= Self.maximumAccuracy else { return [] }
        let visits = advance { $0.time + $1 <= fix.time }
        if first == nil {
            first = fix
            mean = CoordinateMean()
            accuracy = fix.horizontalAccuracy
        }
        mean.add(fix.coordinate, weight: 1)
        accuracy = min(accuracy, fix.horizontalAccuracy)
        return visits
    }

    private mutating func advance(
        _ isOver: (_ since: Sample, _ seconds: Double) -> Bool
    ) -> [Visit] {
        var visits: [Visit] = []
        if let first {
            let sample = Sample(
                coordinate: mean.coordinate, accuracy: accuracy, time: first.time,
                arrival: first.arrival)
            if isOver(sample, Self.sampleLength) {
                self.first = nil
                add(sample)
            }
        }
        if let away = stay?.away, isOver(away, Self.exitDelay) { depart(&visits) }
        if stay == nil, let begin = samples.first, isOver(begin, Self.duration) { arrive(&visits) }
        return visits
    }

    private mutating func add(_ sample: Sample) {
        guard let stay else {
            samples.append(sample)
            guard sample.coordinate.distance(to: middle(samples)) > Self.radius else { return }
            let start = samples.lastIndex {
                $0.coordinate.distance(to: sample.coordinate) > Self.radius
            }
            samples.removeFirst(start.map { $0 + 1 } ?? 0)
            return
        }
        let place = stay.visit.coordinate
        let isNear = sample.isNear(place)
        let isAway =
            sample.coordinate.distance(to: place) - sample.accuracy / 2 > Self.exitRadius
        self.stay?.left = isNear ? nil : stay.left ?? sample
        self.stay?.away = isAway ? stay.away ?? sample : nil
        if isAway { samples.append(sample) } else { samples = [] }
    }

    private mutating func arrive(_ visits: inout [Visit]) {
        let place = middle(Array(samples[(samples.count / 2)...]))
        let before = samples.dropLast().lastIndex { !$0.isNear(place) } ?? -1
        let visit = Visit(
            coordinate: place, horizontalAccuracy: samples.map(\.accuracy).max() ?? 0,
            arrival: samples[before + 1].time)
        samples = []
        stay = Stay(visit: visit)
        visits.append(visit)
    }

    private mutating func depart(_ visits: inout [Visit]) {
        guard var visit = stay?.visit, let left = stay?.left else { return }
        visit.departure = left.time
        visits.append(visit)
        stay = nil
        let later = samples
        samples = []
        for sample in later { add(sample) }
    }

    private func middle(_ samples: [Sample]) -> Coordinate {
        var mean = CoordinateMean()
        for sample in samples { mean.add(sample.coordinate, weight: 1) }
        return mean.coordinate
    }
}
