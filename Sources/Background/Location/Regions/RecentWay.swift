/// The way of the machine in the last minutes: it separates movement from noise.
struct RecentWay: Sendable {
    /// Seconds that count, and how many fixes do however old they are.
    private static let memory = 300.0
    private static let leastCount = 3
    /// The seconds in which further fixes add no information.
    private static let interval = 10.0
    /// The number of deviations that noise alone never explains.
    private static let doubt = 5.3

    private var fixes: [LocationFix] = []

    /// Returns true if the machine has come to a place from elsewhere; also if its way is unknown.
    func leads(to place: Coordinate, accuracy: Double) -> Bool {
        fixes.isEmpty
            || fixes.contains {
                Self.isMovement(from: $0, to: place, accuracy: accuracy)
            }
    }

    mutating func add(_ fix: LocationFix) {
        if let last = fixes.last, fix.time < last.time + Self.interval {
            guard fix.time < last.time else { return }
            fixes = []
        }
        fixes.append(fix)
        while fixes.count > Self.leastCount, fixes[0].time < fix.time - Self.memory {
            fixes.removeFirst()
        }
    }

    /// Returns true if the machine was on its way from `first` to `last`, and passed `middle`.
    static func passes(_ middle: LocationFix, from first: LocationFix, to last: LocationFix) -> Bool
    {
        let distance = first.distance(from: last)
        let detour = first.distance(from: middle) + middle.distance(from: last)
        return detour <= 1.15 * distance
            && isMovement(from: first, to: last.coordinate, accuracy: last.horizontalAccuracy)
    }

    private static func isMovement(
        from fix: LocationFix, to place: Coordinate, accuracy: Double
    ) -> Bool {
        let (first, second) = (fix.believedAccuracy, max(LocationFix.leastAccuracy, accuracy))
        return fix.coordinate.distance(to: place)
            > doubt * (first * first + second * second).squareRoot()
    }
}

extension LocationFix {
    /// Meters; sources that claim to be more exact are not believed where fixes are rare.
    static let leastAccuracy = 20.0

    var believedAccuracy: Double { max(Self.leastAccuracy, horizontalAccuracy) }
}
