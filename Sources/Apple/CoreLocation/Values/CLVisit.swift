public import Foundation
import UndersongLocation

/// A stay at a place of ten minutes or more. Immutable; any thread may use it.
public final class CLVisit: NSObject, NSCopying, Sendable {
    /// When it began.
    public let arrivalDate: Date
    /// When it ended; `Date.distantFuture` while it lasts.
    public let departureDate: Date
    /// Where it is.
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

    /// Itself.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}
