import func Glibc.asin
import func Glibc.atan
import func Glibc.atan2
import func Glibc.cos
import func Glibc.sin
import func Glibc.tan

/// A place on the WGS 84 ellipsoid, in degrees.
package struct Coordinate: Codable, Hashable, Sendable {
    /// Degrees north of the equator, -90...90.
    package var latitude: Double
    /// Degrees east of Greenwich, -180...180.
    package var longitude: Double

    private enum CodingKeys: String, CodingKey {
        case latitude = "lat"
        case longitude = "lon"
    }

    package init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// True if both numbers are finite and in their ranges.
    package var isValid: Bool { abs(latitude) <= 90 && abs(longitude) <= 180 }

    /// The length in meters of the shortest line along the surface: Lambert's formula, which is
    /// right to some 0.001 % of the length, except between places that are almost opposite.
    package func distance(to other: Coordinate) -> Double {
        let first = Ellipsoid.reducedLatitude(latitude)
        let second = Ellipsoid.reducedLatitude(other.latitude)
        let mean = (first + second) / 2
        let half = (second - first) / 2
        let sinHalf = sin(half)
        let sinTurn = sin((other.longitude - longitude).radians / 2)
        let haversine = sinHalf * sinHalf + cos(first) * cos(second) * sinTurn * sinTurn
        guard haversine > 0 else { return 0 }
        let near = min(1, haversine)
        let angle = 2 * asin(near.squareRoot())
        let (sinMean, cosMean, cosHalf) = (sin(mean), cos(mean), cos(half))
        let opposite = 1 - near
        let flattened =
            opposite > 0
            ? (angle - sin(angle)) * sinMean * sinMean * cosHalf * cosHalf / opposite : 0
        let lifted = (angle + sin(angle)) * cosMean * cosMean * sinHalf * sinHalf / near
        return Ellipsoid.equatorialRadius
            * (angle - Ellipsoid.flattening / 2 * (flattened + lifted))
    }

    /// The direction in which the shortest line to `other` begins, in degrees clockwise from true
    /// north, 0..<360.
    package func course(to other: Coordinate) -> Double {
        let (first, second) = (latitude.radians, other.latitude.radians)
        let turn = (other.longitude - longitude).radians
        let east = sin(turn) * cos(second)
        let north = cos(first) * sin(second) - sin(first) * cos(second) * cos(turn)
        let degrees = atan2(east, north).degrees
        return degrees < 0 ? degrees + 360 : degrees
    }
}

enum Ellipsoid {
    /// The equatorial radius in meters.
    static let equatorialRadius = 6_378_137.0
    static let flattening = 1 / 298.257_223_563

    /// Returns the reduced latitude in radians, of a latitude in degrees.
    static func reducedLatitude(_ latitude: Double) -> Double {
        atan((1 - flattening) * tan(latitude.radians))
    }
}

/// The mean of places, wherever on Earth they are: also at the poles and at the date line.
struct CoordinateMean: Sendable {
    private var (x, y, z) = (0.0, 0.0, 0.0)

    mutating func add(_ coordinate: Coordinate, weight: Double) {
        let (latitude, longitude) = (coordinate.latitude.radians, coordinate.longitude.radians)
        x += weight * cos(latitude) * cos(longitude)
        y += weight * cos(latitude) * sin(longitude)
        z += weight * sin(latitude)
    }

    var coordinate: Coordinate {
        Coordinate(
            latitude: atan2(z, (x * x + y * y).squareRoot()).degrees,
            longitude: atan2(y, x).degrees)
    }
}

extension Double {
    var radians: Double { self * .pi / 180 }
    var degrees: Double { self * 180 / .pi }
}
