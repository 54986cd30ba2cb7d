/// The position of the machine at one moment, as a source has measured it.
public struct LocationFix: Codable, Hashable, Sendable {
    /// Degrees north.
    public var latitude: Double
    /// Degrees east.
    public var longitude: Double
    /// The radius in meters within which the place is; never negative in a fix that was believed.
    public var horizontalAccuracy: Double
    /// Meters above sea level; nil if unknown, as all that follows.
    public var altitude: Double?
    /// The accuracy of the altitude in meters.
    public var verticalAccuracy: Double?
    /// Meters per second over ground.
    public var speed: Double?
    /// The accuracy of the speed.
    public var speedAccuracy: Double?
    /// The direction of the movement in degrees clockwise from true north, 0..<360.
    public var course: Double?
    /// The accuracy of the course in degrees.
    public var courseAccuracy: Double?
    /// The time at which it was measured, in seconds since 1970 by the source's clock.
    public var time: Double
    /// The time at which it arrived, in seconds of CLOCK_BOOTTIME; 0 in another process, and after
    /// a restart.
    package var arrival = 0.0
    /// The kind of what has measured it.
    public var source: LocationSourceKind

    private enum CodingKeys: String, CodingKey {
        case latitude = "lat"
        case longitude = "lon"
        case horizontalAccuracy = "accuracy"
        case altitude, verticalAccuracy, speed, speedAccuracy, course, courseAccuracy, time, source
    }

    package init(
        _ coordinate: Coordinate, horizontalAccuracy: Double, altitude: Double? = nil,
        verticalAccuracy: Double? = nil, speed: Double? = nil, speedAccuracy: Double? = nil,
        course: Double? = nil, courseAccuracy: Double? = nil, time: Double, arrival: Double = 0,
        source: LocationSourceKind
    ) {
        latitude = coordinate.latitude
        longitude = coordinate.longitude
        self.horizontalAccuracy = horizontalAccuracy
        self.altitude = altitude
        self.verticalAccuracy = verticalAccuracy
        self.speed = speed
        self.speedAccuracy = speedAccuracy
        self.course = course
        self.courseAccuracy = courseAccuracy
        self.time = time
        self.arrival = arrival
        self.source = source
    }

    /// Latitude and longitude.
    package var coordinate: Coordinate {
        get { Coordinate(latitude: latitude, longitude: longitude) }
        set { (latitude, longitude) = (newValue.latitude, newValue.longitude) }
    }

    /// Meters from the place of another fix.
    package func distance(from other: LocationFix) -> Double {
        coordinate.distance(to: other.coordinate)
    }

    /// The same fix, in which senseless values beside the place and the time are unknown.
    var withPlausibleDetails: LocationFix {
        var fix = self
        fix.altitude = altitude.flatMap { $0.isFinite ? $0 : nil }
        fix.verticalAccuracy = fix.altitude == nil ? nil : Self.plausible(verticalAccuracy)
        fix.speed = Self.plausible(speed)
        fix.speedAccuracy = fix.speed == nil ? nil : Self.plausible(speedAccuracy)
        fix.course = course.flatMap { 0...360 ~= $0 ? $0 == 360 ? 0 : $0 : nil }
        fix.courseAccuracy = fix.course == nil ? nil : Self.plausible(courseAccuracy)
        return fix
    }

    private static func plausible(_ number: Double?) -> Double? {
        number.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    }
}

/// A moment, by two clocks.
package struct LocationTime: Hashable, Sendable {
    /// Seconds of CLOCK_BOOTTIME, which never goes backward.
    package var boot: Double
    /// Seconds since 1970, which the user and the network may change.
    package var wall: Double

    package init(boot: Double, wall: Double) {
        self.boot = boot
        self.wall = wall
    }
}

/// The newest fixes, 100 by default (D6).
package struct RecentFixes: Hashable, Sendable {
    /// The number of fixes that are kept.
    package let capacity: Int
    private var ring: [LocationFix] = []
    private var oldest = 0

    package init(capacity: Int = 100) { self.capacity = max(1, capacity) }

    package var count: Int { ring.count }

    /// The newest fix.
    package var last: LocationFix? {
        ring.isEmpty ? nil : ring[(oldest + ring.count - 1) % ring.count]
    }

    /// All fixes, the newest last.
    package var fixes: [LocationFix] { Array(ring[oldest...] + ring[..<oldest]) }

    /// Adds a fix; the oldest one makes room for it.
    package mutating func append(_ fix: LocationFix) {
        if ring.count < capacity {
            ring.append(fix)
        } else {
            ring[oldest] = fix
            oldest = (oldest + 1) % capacity
        }
    }

    package mutating func removeAll() { self = RecentFixes(capacity: capacity) }
}
