/// A stay at a place.
package struct Visit: Hashable, Sendable {
    package var coordinate: Coordinate
    /// The radius in meters within which the place is.
    package var horizontalAccuracy: Double
    /// Seconds since 1970, by the source's clock.
    package var arrival: Double
    /// Seconds since 1970; nil while it lasts.
    package var departure: Double?

    package init(
        coordinate: Coordinate, horizontalAccuracy: Double, arrival: Double,
        departure: Double? = nil
    ) {
        self.coordinate = coordinate
        self.horizontalAccuracy = horizontalAccuracy
        self.arrival = arrival
        self.departure = departure
    }
}
