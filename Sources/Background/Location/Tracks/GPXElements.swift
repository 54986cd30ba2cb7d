import UndersongBase

/// What the elements of GPX say.
struct GPXElements {
    private struct Point {
        var coordinate: Coordinate
        var altitude: Double?
        var dilution: Double?
        var speed: Double?
        var course: Double?
        var time: Double?
    }

    /// The kinds of points, the ones to prefer first.
    private static let kinds = ["trkpt", "rtept", "wpt"]

    private var points: [String: [Point]] = [:]
    /// The point that is being read, and its kind.
    private var current: (kind: String, point: Point)?

    /// Errors: it is not GPX, or a point is nowhere.
    mutating func begin(
        _ name: String, _ attributes: [String: String], isOutermost: Bool
    ) throws(TrackError) {
        guard !isOutermost || name == "gpx" else { throw TrackError("It is not GPX") }
        guard Self.kinds.contains(name) else { return }
        guard points.values.reduce(0, { $0 + $1.count }) < Track.fixLimit else {
            throw TrackError("It has more than \(Track.fixLimit) points")
        }
        let latitude = try Self.degrees(attributes["lat"], "latitude", 90)
        let longitude = try Self.degrees(attributes["lon"], "longitude", 180)
        current = (
            name, Point(coordinate: Coordinate(latitude: latitude, longitude: longitude))
        )
    }

    /// Errors: a value is not one of its element.
    mutating func end(_ name: String, _ text: String) throws(TrackError) {
        guard let (kind, point) = current else { return }
        switch name {
        case "ele": current?.point.altitude = Self.number(text)
        case "hdop": current?.point.dilution = Self.number(text)
        case "speed": current?.point.speed = Self.number(text).flatMap { $0 >= 0 ? $0 : nil }
        case "course":
            current?.point.course = Self.number(text).flatMap { 0..<360 ~= $0 ? $0 : nil }
        case "time":
            guard let time = CalendarDate(iso8601: Self.trimmed(text))?.secondsSince1970 else {
                throw TrackError("'\(Self.trimmed(text))' is not a time")
            }
            current?.point.time = time
        case kind:
            points[kind, default: []].append(point)
            current = nil
        default: break
        }
    }

    /// The track of the kind of points to prefer.
    func track() throws(TrackError) -> Track {
        let points = Self.kinds.lazy.compactMap { self.points[$0] }.first ?? []
        guard !points.isEmpty else { throw TrackError("It has no points") }
        let hasTimes = points.contains { $0.time != nil }
        var builder = TrackBuilder()
        for (index, point) in points.enumerated() {
            guard let time = hasTimes ? point.time : Double(index) else {
                builder.skip()
                continue
            }
            let accuracy = TrackDefaults.accuracy(dilution: point.dilution)
            try builder.add(
                LocationFix(
                    point.coordinate, horizontalAccuracy: accuracy,
                    altitude: point.altitude ?? 0,
                    verticalAccuracy: point.altitude == nil ? -1 : 1.5 * accuracy,
                    speed: point.speed ?? -1, course: point.course ?? -1, time: time, arrival: 0,
                    source: .replay))
        }
        return builder.track
    }

    private static func degrees(
        _ text: String?, _ noun: String, _ limit: Double
    ) throws(TrackError) -> Double {
        guard let text else { throw TrackError("A point has no \(noun)") }
        guard let number = number(text), abs(number) <= limit else {
            throw TrackError("'\(text.prefix(32))' is not a \(noun)")
        }
        return number
    }

    private static func number(_ text: String) -> Double? {
        guard let number = Double(trimmed(text)), number.isFinite else { return nil }
        return number
    }

    private static func trimmed(_ text: String) -> Substring {
        let start = text.drop { $0.isWhitespace }
        return start.lastIndex { !$0.isWhitespace }.map { start[...$0] } ?? ""
    }
}
