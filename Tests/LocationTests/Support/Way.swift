import Foundation
import TestSupport

@testable import UndersongLocation

/// A place in meters east and north of Alexanderplatz.
struct Spot {
    var east: Double
    var north: Double

    /// On the ellipsoid, exact to some millimeters within a few kilometers.
    var coordinate: Coordinate {
        let latitude = 52.5219 * Double.pi / 180
        let eccentricity = 0.006_694_379_990_14
        let slope = 1 - eccentricity * sin(latitude) * sin(latitude)
        let meridian = 6_378_137 * (1 - eccentricity) / (slope * slope.squareRoot())
        let parallel = 6_378_137 / slope.squareRoot() * cos(latitude)
        return Coordinate(
            latitude: 52.5219 + north / meridian * 180 / .pi,
            longitude: 13.4132 + east / parallel * 180 / .pi)
    }

    static func + (first: Spot, second: Spot) -> Spot {
        Spot(east: first.east + second.east, north: first.north + second.north)
    }
}

/// Fixes on a way, with noise that a seed determines.
struct Way {
    /// Meters, along each axis.
    var noise = 0.0
    /// Meters that the fixes claim.
    var accuracy = 5.0
    /// Seconds of the way between two fixes.
    var interval = 1.0
    private var random: SeededNumbers

    init(noise: Double = 0, accuracy: Double = 5, interval: Double = 1, seed: UInt64 = 1) {
        self.noise = noise
        self.accuracy = accuracy
        self.interval = interval
        random = SeededNumbers(seed)
    }

    /// The fixes from `start` on for `seconds`, at the places that `place` gives for the seconds
    /// since `start`. They arrive when they are measured.
    mutating func fixes(
        from start: Double = 0, for seconds: Double, _ place: (Double) -> Spot
    ) -> [LocationFix] {
        stride(from: 0, through: seconds, by: interval).map { time in
            let error = Spot(east: noise * random.gaussian(), north: noise * random.gaussian())
            return fix(place(time) + error, at: start + time, accuracy: accuracy)
        }
    }
}

/// A fix from gpsd that arrives when it is measured, at `time` of both clocks.
func fix(_ spot: Spot, at time: Double, accuracy: Double = 5) -> LocationFix {
    fix(spot.coordinate, at: time, accuracy: accuracy)
}

func fix(_ coordinate: Coordinate, at time: Double, accuracy: Double = 5) -> LocationFix {
    LocationFix(
        coordinate, horizontalAccuracy: accuracy, time: time, arrival: time, source: .gpsd)
}

extension LocationTime {
    /// Both clocks show the same.
    init(_ time: Double) { self.init(boot: time, wall: time) }
}

extension SeededNumbers {
    /// A number of the normal distribution with the deviation 1.
    mutating func gaussian() -> Double {
        let limit = 1 << 30
        let radius = (-2 * log(Double(below(limit) + 1) / Double(limit))).squareRoot()
        return radius * cos(2 * .pi * Double(below(limit)) / Double(limit))
    }
}

/// The four fixes of the tutorial's drive on a freeway.
enum FreewayDrive {
    static let coordinates = [
        Coordinate(latitude: 37.33482105, longitude: -122.03350886),
        Coordinate(latitude: 37.33477977, longitude: -122.03369603),
        Coordinate(latitude: 37.33474691, longitude: -122.03389325),
        Coordinate(latitude: 37.33470894, longitude: -122.03411085),
    ]
}
