public import Foundation
import UndersongLocation

/// A stay at a place of ten minutes or more. Immutable; any thread may use it.
public final class CLVisit: NSObject, NSCopying, Sendable {
    /// The time at which it began.
    public let arrivalDate: Date
    /// The time at which it ended; `Date.distantFuture` while it lasts.
    public let departureDate: Date
    /// The middle of its place.
    public let coordinate: CLLocationCoordinate2D
    /// The radius in meters within which the place is.
    public let horizontalAccuracy: CLLocationAccuracy

    init(_ visit: Visit) {
        arrivalDate = Date(timeIntervalSince1970: visit.arrival)
        departureDate =
            visit.departure.map { Date(timeIntervalSince1970: $0) } ?? .distantFuture
        coordinate = CLLocationCoordinate2D(visit.coordinate)
        horizontalAccuracy = visit.horizontalAccuracy
    }

    /// Returns itself.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}
