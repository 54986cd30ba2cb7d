/// A stay at a place, which has begun or is over.
public struct Visit: Codable, Hashable, Sendable {
    /// Degrees north.
    public var latitude: Double
    /// Degrees east.
    public var longitude: Double
    /// The radius in meters within which the place is.
    public var horizontalAccuracy: Double
    /// The time at which it began, in seconds since 1970 by the source's clock.
    public var arrival: Double
    /// The time at which it ended; nil while it lasts.
    public var departure: Double?

    private enum CodingKeys: String, CodingKey {
        case latitude = "lat"
        case longitude = "lon"
        case horizontalAccuracy = "accuracy"
        case arrival, departure
    }

    package init(
        coordinate: Coordinate, horizontalAccuracy: Double, arrival: Double,
        departure: Double? = nil
    ) {
        latitude = coordinate.latitude
        longitude = coordinate.longitude
        self.horizontalAccuracy = horizontalAccuracy
        self.arrival = arrival
        self.departure = departure
    }

    /// The place's middle.
    package var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }
}
