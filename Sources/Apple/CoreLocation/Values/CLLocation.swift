public import Foundation
import UndersongLocation

/// The place of the machine at one moment. Immutable; any thread may use it.
open class CLLocation: NSObject, NSCopying, @unchecked Sendable {
    // Unchecked because the class is open: it has constants only.

    /// The place in degrees.
    public let coordinate: CLLocationCoordinate2D
    /// Meters above sea level.
    public let altitude: CLLocationDistance
    /// The radius in meters within which the place is; negative: there is no place.
    public let horizontalAccuracy: CLLocationAccuracy
    /// The accuracy of the altitude in meters; negative: there is none.
    public let verticalAccuracy: CLLocationAccuracy
    /// The direction of the movement in degrees clockwise from true north; negative: unknown.
    public let course: CLLocationDirection
    /// The accuracy of the course in degrees; negative: unknown.
    public let courseAccuracy: CLLocationDirectionAccuracy
    /// Meters per second; negative: unknown.
    public let speed: CLLocationSpeed
    /// The accuracy of the speed in meters per second; negative: unknown.
    public let speedAccuracy: CLLocationSpeedAccuracy
    /// The time at which the place was measured, by the source's clock.
    public let timestamp: Date
    /// The information about its source; nil for a location that a program has created.
    public let sourceInformation: CLLocationSourceInformation?

    /// Creates a location of which only the place is known, now.
    public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude),
            altitude: 0, horizontalAccuracy: 0, verticalAccuracy: -1,
            timestamp: Date(timeIntervalSince1970: LocationCenter.wallTime))
    }

    /// Creates a location that does not move, as far as is known.
    public convenience init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy,
        verticalAccuracy vAccuracy: CLLocationAccuracy, timestamp: Date
    ) {
        self.init(
            coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy,
            verticalAccuracy: vAccuracy, course: -1, speed: -1, timestamp: timestamp)
    }

    /// Creates a location that moves.
    public convenience init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy,
        verticalAccuracy vAccuracy: CLLocationAccuracy, course: CLLocationDirection,
        speed: CLLocationSpeed, timestamp: Date
    ) {
        self.init(
            coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy,
            verticalAccuracy: vAccuracy, course: course, courseAccuracy: -1, speed: speed,
            speedAccuracy: -1, timestamp: timestamp)
    }

    /// Creates a location with everything that can be known.
    public convenience init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy,
        verticalAccuracy vAccuracy: CLLocationAccuracy, course: CLLocationDirection,
        courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed,
        speedAccuracy: CLLocationSpeedAccuracy, timestamp: Date
    ) {
        self.init(
            LocationFix(
                Coordinate(coordinate), horizontalAccuracy: hAccuracy, altitude: altitude,
                verticalAccuracy: vAccuracy, speed: speed, speedAccuracy: speedAccuracy,
                course: course, courseAccuracy: courseAccuracy,
                time: timestamp.timeIntervalSince1970, source: .simulation),
            timestamp, nil)
    }

    init(_ fix: LocationFix, _ timestamp: Date, _ information: CLLocationSourceInformation?) {
        coordinate = CLLocationCoordinate2D(fix.coordinate)
        altitude = fix.altitude ?? 0
        horizontalAccuracy = fix.horizontalAccuracy
        verticalAccuracy = fix.verticalAccuracy ?? -1
        course = fix.course ?? -1
        courseAccuracy = fix.courseAccuracy ?? -1
        speed = fix.speed ?? -1
        speedAccuracy = fix.speedAccuracy ?? -1
        self.timestamp = timestamp
        sourceInformation = information
    }

    /// Creates the location of a fix.
    convenience init(_ fix: LocationFix) {
        let isSimulated = fix.source == .simulation || fix.source == .replay
        self.init(
            fix, Date(timeIntervalSince1970: fix.time),
            CLLocationSourceInformation(
                softwareSimulationState: isSimulated, andExternalAccessoryState: false))
    }

    /// The floor of the building; never known here.
    open var floor: CLFloor? { nil }

    /// The length in meters of the shortest line to another location along the surface of the
    /// ellipsoid; altitudes do not count.
    open func distance(from location: CLLocation) -> CLLocationDistance {
        Coordinate(coordinate).distance(to: Coordinate(location.coordinate))
    }

    /// Returns itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The location in Apple's format, in the current time zone, with dates as in the United States:
    /// `<+37.33482105,-122.03350886> +/- 5.00m (speed 15.90 mps / course 255.94) @ 12/21/14,
    /// 8:05:13 PM Pacific Standard Time`, in one line (D7).
    open override var description: String { description(in: .current) }
}

extension CLLocation {
    func description(in timeZone: TimeZone) -> String {
        let place = String(
            format: "<%+.8f,%+.8f> +/- %.2fm", coordinate.latitude, coordinate.longitude,
            horizontalAccuracy)
        let movement = String(format: "(speed %.2f mps / course %.2f)", speed, course)
        return "\(place) \(movement) @ \(Self.text(timestamp, in: timeZone))"
    }

    /// `12/21/14, 8:05:13 PM Pacific Standard Time`, with ordinary spaces in every version of the
    /// locale data.
    private static func text(_ date: Date, in timeZone: TimeZone) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US")
        formatter.timeZone = timeZone
        formatter.dateFormat = "M/d/yy, h:mm:ss a zzzz"
        return formatter.string(from: date)
    }
}

/// The information about the source of a location.
public final class CLLocationSourceInformation: NSObject, Sendable {
    /// True if it was simulated, or replayed from a file.
    public let isSimulatedBySoftware: Bool
    /// True if an accessory has measured it; never known here.
    public let isProducedByAccessory: Bool

    /// Creates an information.
    public init(
        softwareSimulationState isSoftware: Bool, andExternalAccessoryState isAccessory: Bool
    ) {
        isSimulatedBySoftware = isSoftware
        isProducedByAccessory = isAccessory
    }
}

/// A floor of a building. No source here knows any.
public final class CLFloor: NSObject, Sendable {
    /// 0 is the ground floor.
    public let level: Int

    init(level: Int) { self.level = level }
}

extension CLLocationCoordinate2D {
    init(_ coordinate: Coordinate) {
        self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
    }
}

extension Coordinate {
    init(_ coordinate: CLLocationCoordinate2D) {
        self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
    }
}
