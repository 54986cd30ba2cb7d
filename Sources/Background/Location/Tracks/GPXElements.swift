import UndersongBase

/// The elements of a GPX file.
struct GPXElements {
    private struct Point {
        /// A fix whose vertical accuracy is not known yet.
        var fix: LocationFix
        var hasTime = false
    }

    /// The kinds of points, the ones to prefer first.
    private static let kinds = ["trkpt", "rtept", "wpt"]

    private var points: [String: [Point]] = [:]
    /// The point that is being read, and its kind.
    private var current: (kind: String, point: Point)?

    /// - Throws: An error if it is not GPX, or a point is nowhere.
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
        let fix = LocationFix(
            Coordinate(latitude: latitude, longitude: longitude),
            horizontalAccuracy: TrackDefaults.accuracy, time: 0, source: .replay)
        current = (name, Point(fix: fix))
    }

    /// - Throws: An error if a value is not one of its element.
    mutating func end(_ name: String, _ text: String) throws(TrackError) {
        guard let (kind, point) = current else { return }
        switch name {
        case "ele": current?.point.fix.altitude = Self.number(text)
        case "hdop":
            current?.point.fix.horizontalAccuracy = TrackDefaults.accuracy(
                dilution: Self.number(text))
        case "speed": current?.point.fix.speed = Self.number(text).flatMap { $0 >= 0 ? $0 : nil }
        case "course":
            current?.point.fix.course = Self.number(text).flatMap { 0..<360 ~= $0 ? $0 : nil }
        case "time":
            guard let time = CalendarDate(iso8601: Self.trimmed(text))?.secondsSince1970 else {
                throw TrackError("'\(Self.trimmed(text))' is not a time")
            }
            current?.point.fix.time = time
            current?.point.hasTime = true
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
        let hasTimes = points.contains { $0.hasTime }
        var builder = TrackBuilder()
        for point in points {
            guard !hasTimes || point.hasTime else {
                builder.skip()
                continue
            }
            var fix = point.fix
            if !hasTimes { fix.time = Self.time(of: fix, after: builder.track.fixes.last) }
            try builder.add(fix)
        }
        var track = builder.track
        track.fixes = TrackMovement.complete(track.fixes)
        return track
    }

    /// The time of a point in a file without times.
    private static func time(of fix: LocationFix, after last: LocationFix?) -> Double {
        guard let last else { return 0 }
        return last.time + max(1, fix.distance(from: last) / TrackDefaults.highestSpeed)
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
