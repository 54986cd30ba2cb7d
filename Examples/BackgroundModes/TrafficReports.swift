/// A simulated source of traffic reports, which has none, one or two new ones each time (F15).
struct TrafficReports {
    private static let roads = [
        "Harbour Bridge", "Mill Lane", "the ring road, northbound", "the ring road, southbound",
        "Station Street", "the coast road", "Kiln Hill", "the old ferry landing",
    ]
    private static let reports = [
        "a queue of two kilometres", "clear again", "one lane is closed", "a broken-down van",
        "slow in the rain", "roadworks until Friday", "a delay of ten minutes",
        "sheep on the road",
    ]

    private var generator: any RandomNumberGenerator

    init(_ generator: any RandomNumberGenerator = SystemRandomNumberGenerator()) {
        self.generator = generator
    }

    /// Returns what is new, newest first.
    mutating func fetch() -> [String] {
        (0..<Int.random(in: 0..<3, using: &generator)).map { _ in
            let road = Self.roads.randomElement(using: &generator) ?? ""
            let report = Self.reports.randomElement(using: &generator) ?? ""
            return "\(road.prefix(1).uppercased() + road.dropFirst()): \(report)"
        }
    }
}
