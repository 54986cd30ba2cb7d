/// Where the machine is at one moment, as a source has measured it.
///
/// A negative accuracy, speed or course means that the value is unknown, as in Apple's `CLLocation`.
package struct LocationFix: Hashable, Sendable {
    package var coordinate: Coordinate
    /// The radius in meters within which the place is; never negative in a fix that was believed.
    package var horizontalAccuracy: Double
    /// Meters above sea level.
    package var altitude: Double
    /// How exact the altitude is, in meters.
    package var verticalAccuracy: Double
    /// Meters per second over ground.
    package var speed: Double
    package var speedAccuracy: Double
    /// The direction of the movement in degrees clockwise from true north, 0..<360.
    package var course: Double
    package var courseAccuracy: Double
    /// When it was measured, in seconds since 1970 by the source's clock.
    package var time: Double
    /// When it arrived, in seconds of CLOCK_BOOTTIME.
    package var arrival: Double
    /// What has measured it.
    package var source: LocationSourceKind

    package init(
        _ coordinate: Coordinate, horizontalAccuracy: Double, altitude: Double = 0,
        verticalAccuracy: Double = -1, speed: Double = -1, speedAccuracy: Double = -1,
        course: Double = -1, courseAccuracy: Double = -1, time: Double, arrival: Double,
        source: LocationSourceKind
    ) {
        self.coordinate = coordinate
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

    /// Meters from the place of another fix.
    package func distance(from other: LocationFix) -> Double {
        coordinate.distance(to: other.coordinate)
    }

    /// The same, in which what beside the place and the time makes no sense is unknown.
    var withPlausibleDetails: LocationFix {
        var fix = self
        if !altitude.isFinite || !verticalAccuracy.isFinite || verticalAccuracy < 0 {
            (fix.altitude, fix.verticalAccuracy) = (altitude.isFinite ? altitude : 0, -1)
        }
        if !speed.isFinite || speed < 0 { (fix.speed, fix.speedAccuracy) = (-1, -1) }
        if course == 360 { fix.course = 0 }
        if !(0...360).contains(course) { (fix.course, fix.courseAccuracy) = (-1, -1) }
        if !fix.speedAccuracy.isFinite || fix.speedAccuracy < 0 { fix.speedAccuracy = -1 }
        if !fix.courseAccuracy.isFinite || fix.courseAccuracy < 0 { fix.courseAccuracy = -1 }
        return fix
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
    /// How many are kept.
    package let capacity: Int
    private var ring: [LocationFix] = []
    private var oldest = 0

    package init(capacity: Int = 100) { self.capacity = max(1, capacity) }

    package var count: Int { ring.count }

    /// The newest fix.
    package var last: LocationFix? {
        ring.isEmpty ? nil : ring[(oldest + ring.count - 1) % ring.count]
    }

    /// All of them, the newest last.
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
