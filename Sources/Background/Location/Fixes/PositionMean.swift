/// The mean place of the last seconds, weighted by accuracy: noise grows small, and a place in
/// motion is half the window late, but not distorted.
struct PositionMean: Sendable {
    /// Seconds.
    static let window = 8.0
    /// The number of fixes that make it steady, if they are spread over that many seconds.
    private static let steadyCount = 6
    private static let steadySpan = 5.0
    /// More fixes in a second say nothing more.
    private static let minimumInterval = 0.2

    private var fixes: [LocationFix] = []

    /// The mean place, of one fix or more.
    private(set) var coordinate: Coordinate?
    /// The accuracy of a typical fix of the mean, in meters.
    private(set) var accuracy = 0.0

    /// True if single fixes no longer move the mean much.
    var isSteady: Bool {
        guard let first = fixes.first, let last = fixes.last else { return false }
        return fixes.count >= Self.steadyCount && last.time - first.time >= Self.steadySpan
    }

    mutating func add(_ fix: LocationFix) {
        if let last = fixes.last, fix.time < last.time + Self.minimumInterval {
            guard fix.time < last.time else { return }
            fixes = []
        }
        fixes.append(fix)
        fixes.removeAll { $0.time < fix.time - Self.window }
        var mean = CoordinateMean()
        var sum = 0.0
        for fix in fixes {
            let radius = max(1, fix.horizontalAccuracy)
            mean.add(fix.coordinate, weight: 1 / (radius * radius))
            sum += 1 / (radius * radius)
        }
        coordinate = mean.coordinate
        accuracy = (Double(fixes.count) / sum).squareRoot()
    }
}
