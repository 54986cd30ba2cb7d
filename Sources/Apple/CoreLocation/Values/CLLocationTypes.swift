// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// An angle in degrees of latitude or longitude.
public typealias CLLocationDegrees = Double
/// A distance in meters.
public typealias CLLocationDistance = Double
/// The radius in meters within which a place is; negative: unknown.
public typealias CLLocationAccuracy = Double
/// Meters per second; negative: unknown.
public typealias CLLocationSpeed = Double
/// The accuracy of a speed, in meters per second; negative: unknown.
public typealias CLLocationSpeedAccuracy = Double
/// Degrees clockwise from true north; negative: unknown.
public typealias CLLocationDirection = Double
/// The accuracy of a direction, in degrees; negative: unknown.
public typealias CLLocationDirectionAccuracy = Double

/// The most exact places, for navigation while the machine is plugged in.
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2
/// The most exact places.
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
/// Places within ten meters.
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
/// Places within a hundred meters.
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
/// Places within a kilometer.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1000
/// Places within three kilometers.
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3000
/// Approximate places.
public let kCLLocationAccuracyReduced: CLLocationAccuracy = 6_380_000

/// All movements are reported.
public let kCLDistanceFilterNone: CLLocationDistance = -1
/// A distance beyond all others.
public let CLLocationDistanceMax: CLLocationDistance = .greatestFiniteMagnitude
/// A coordinate that is nowhere.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)

/// A latitude and a longitude on the WGS 84 ellipsoid, in degrees.
public struct CLLocationCoordinate2D: Sendable {
    /// Degrees north of the equator, -90...90.
    public var latitude: CLLocationDegrees
    /// Degrees east of Greenwich, -180...180.
    public var longitude: CLLocationDegrees

    /// The coordinate 0, 0.
    public init() { self.init(latitude: 0, longitude: 0) }

    /// Creates a coordinate of any numbers.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// Creates a coordinate of any numbers.
public func CLLocationCoordinate2DMake(
    _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
) -> CLLocationCoordinate2D {
    CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
}

/// Returns true if both numbers are in their ranges.
public func CLLocationCoordinate2DIsValid(_ coord: CLLocationCoordinate2D) -> Bool {
    abs(coord.latitude) <= 90 && abs(coord.longitude) <= 180
}

/// The user's decision about the use of places.
public enum CLAuthorizationStatus: Int32, Sendable {
    /// There is none yet.
    case notDetermined = 0
    /// They may not be used, and the user cannot change that.
    case restricted = 1
    /// They may not be used.
    case denied = 2
    /// They may be used at any time.
    case authorizedAlways = 3
    /// They may be used while the application is in use.
    case authorizedWhenInUse = 4
}

/// The exactness of the places that the user gives.
public enum CLAccuracyAuthorization: Int, Sendable {
    /// Exact places.
    case fullAccuracy = 0
    /// Approximate places. Not used here.
    case reducedAccuracy = 1
}

/// The user's activity; kept, but not used here.
public enum CLActivityType: Int, Sendable {
    /// Anything else.
    case other = 1
    /// Driving.
    case automotiveNavigation = 2
    /// On foot.
    case fitness = 3
    /// In other vehicles.
    case otherNavigation = 4
    /// In the air.
    case airborne = 5
}
