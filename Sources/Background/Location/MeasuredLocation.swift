/// Where the machine was at one moment, as events and the service's answers have it.
public struct MeasuredLocation: Codable, Hashable, Sendable {
    /// Degrees north.
    public var latitude: Double
    /// Degrees east.
    public var longitude: Double
    /// The radius in meters within which the place is.
    public var accuracy: Double
    /// Meters above the sea; nil if unknown.
    public var altitude: Double?
    /// Meters per second; nil if unknown.
    public var speed: Double?
    /// Degrees clockwise from true north; nil if unknown.
    public var course: Double?
    /// When it was measured, in seconds since 1970 by the source's clock.
    public var time: Double

    /// Creates a fix.
    public init(
        latitude: Double, longitude: Double, accuracy: Double, altitude: Double? = nil,
        speed: Double? = nil, course: Double? = nil, time: Double
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.accuracy = accuracy
        self.altitude = altitude
        self.speed = speed
        self.course = course
        self.time = time
    }
}
