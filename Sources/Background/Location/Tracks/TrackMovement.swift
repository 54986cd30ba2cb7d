import func Glibc.atan2
import func Glibc.cos
import func Glibc.sin

/// Derives the speed and the course of a track's fixes from where the fixes around each of them are.
///
/// The movement is the straight line that fits best (least squares) through the fixes within 2 s before
/// and after, or within one and a half times the seconds to the nearest one, at most ten on either side.
/// Gaps of more than 60 s and jumps of more than 300 m/s end the neighborhood; without neighbors nothing
/// is known. Slower than 0.5 m/s there is no course.
///
/// The speed's accuracy is the standard error of that line, at least 0.1 m/s, and the course's the angle
/// that it makes at this speed. Neither is known from two fixes only.
struct TrackMovement {
    /// Seconds before and after a fix.
    private static let reach = 2.0
    /// The most neighbors before a fix, and after it.
    private static let neighborLimit = 10
    /// Seconds.
    private static let longestGap = 60.0
    /// Meters per second.
    private static let leastSpeedWithCourse = 0.5
    private static let leastError = 0.1

    private let fixes: [LocationFix]
    private let points: [Vector]

    private init(_ fixes: [LocationFix]) {
        self.fixes = fixes
        points = fixes.map { Vector($0.coordinate) }
    }

    /// The same fixes, with a speed and a course where they have none.
    static func complete(_ fixes: [LocationFix]) -> [LocationFix] {
        guard fixes.contains(where: { $0.speed == nil || $0.course == nil }) else { return fixes }
        let movement = TrackMovement(fixes)
        return fixes.indices.map { movement.completed($0) }
    }

    private func completed(_ index: Int) -> LocationFix {
        var fix = fixes[index]
        guard fix.speed == nil || fix.course == nil, let line = line(at: index) else { return fix }
        let (east, north) = fix.coordinate.parts(of: line.velocity)
        let speed = (east * east + north * north).squareRoot()
        if fix.speed == nil {
            fix.speed = speed
            fix.speedAccuracy = line.error
        }
        let slowest = min(speed, fix.speed ?? speed)
        if fix.course == nil, slowest >= Self.leastSpeedWithCourse {
            let course = atan2(east, north).degrees
            fix.course = course < 0 ? course + 360 : course
            fix.courseAccuracy = line.error.map { atan2($0, speed).degrees }
        }
        return fix
    }

    /// The line through the fixes around one: its slope and the standard error of that, in meters per
    /// second.
    private func line(at index: Int) -> (velocity: Vector, error: Double?)? {
        let neighbors = neighbors(of: index)
        let count = Double(neighbors.count)
        guard count > 1 else { return nil }
        // Relative to the fix itself, so that no digits are lost.
        let times = neighbors.map { fixes[$0].time - fixes[index].time }
        let ways = neighbors.map { points[$0] - points[index] }
        let meanTime = times.reduce(0, +) / count
        let meanWay = ways.reduce(Vector(), +) * (1 / count)
        var (spread, slope) = (0.0, Vector())
        for (time, way) in zip(times, ways) {
            spread += (time - meanTime) * (time - meanTime)
            slope = slope + (way - meanWay) * (time - meanTime)
        }
        let velocity = slope * (1 / spread)
        guard count > 2 else { return (velocity, nil) }
        let squares = zip(times, ways).reduce(0) { sum, fix in
            sum + (fix.1 - meanWay - velocity * (fix.0 - meanTime)).square
        }
        // Of two dimensions, each with a slope and an offset that were fitted.
        let variance = squares / (2 * (count - 2))
        return (velocity, max(Self.leastError, (variance / spread).squareRoot()))
    }

    /// The indices of the fixes around one, and its own.
    private func neighbors(of index: Int) -> Range<Int> {
        let nearest = [index - 1, index].filter(isConnected)
            .map { fixes[$0 + 1].time - fixes[$0].time }.min()
        let reach = max(Self.reach, 1.5 * (nearest ?? 0))
        var (first, last) = (index, index)
        while index - first < Self.neighborLimit, isConnected(first - 1),
            fixes[index].time - fixes[first - 1].time <= reach
        { first -= 1 }
        while last - index < Self.neighborLimit, isConnected(last),
            fixes[last + 1].time - fixes[index].time <= reach
        { last += 1 }
        return first..<last + 1
    }

    /// True if there is a movement from this fix to the next one, and no gap or jump.
    private func isConnected(_ index: Int) -> Bool {
        guard fixes.indices.contains(index), fixes.indices.contains(index + 1) else { return false }
        let seconds = fixes[index + 1].time - fixes[index].time
        let farthest = FixValidation.maximumSpeed * seconds
        return seconds <= Self.longestGap
            && (points[index + 1] - points[index]).square <= farthest * farthest
    }
}

/// A vector in meters, whose axes begin at the center of the Earth.
private struct Vector {
    var x = 0.0
    var y = 0.0
    var z = 0.0

    /// The square of its length.
    var square: Double { x * x + y * y + z * z }

    static func + (left: Vector, right: Vector) -> Vector {
        Vector(x: left.x + right.x, y: left.y + right.y, z: left.z + right.z)
    }

    static func - (left: Vector, right: Vector) -> Vector { left + right * -1 }

    static func * (vector: Vector, factor: Double) -> Vector {
        Vector(x: vector.x * factor, y: vector.y * factor, z: vector.z * factor)
    }
}

extension Vector {
    /// The place on the ellipsoid.
    fileprivate init(_ coordinate: Coordinate) {
        let (latitude, longitude) = (coordinate.latitude.radians, coordinate.longitude.radians)
        let square = Ellipsoid.flattening * (2 - Ellipsoid.flattening)
        let radius =
            Ellipsoid.equatorialRadius
            / (1 - square * sin(latitude) * sin(latitude)).squareRoot()
        self.init(
            x: radius * cos(latitude) * cos(longitude), y: radius * cos(latitude) * sin(longitude),
            z: radius * (1 - square) * sin(latitude))
    }
}

extension Coordinate {
    /// The parts of a vector to the east and to the north here.
    fileprivate func parts(of vector: Vector) -> (east: Double, north: Double) {
        let (latitude, longitude) = (latitude.radians, longitude.radians)
        let outward = vector.x * cos(longitude) + vector.y * sin(longitude)
        return (
            vector.y * cos(longitude) - vector.x * sin(longitude),
            vector.z * cos(latitude) - outward * sin(latitude)
        )
    }
}
