public import UndersongLocation
import UndersongPlayback

/// Where the machine is, or why nobody knows.
public struct LocationEvent: Hashable, Sendable {
    /// Where it is; nil if there is no fix.
    public var location: MeasuredLocation?
    /// Why there is no fix, as a clause.
    public var problem: String?

    /// Creates an event with a fix.
    public init(_ location: MeasuredLocation) { self.location = location }

    /// Creates an event without a fix.
    public init(problem: String) { self.problem = problem }
}

/// The machine has entered a place that is watched, or left it.
public struct PlaceEvent: Hashable, Sendable {
    /// The place's name.
    public var place: String
    /// `entered` or `exited`; `determined` when it is known for the first time where the machine is.
    public var phase: String
    /// `inside` or `outside`.
    public var state: String

    /// Creates an event.
    public init(place: String, phase: String, state: String) {
        self.place = place
        self.phase = phase
        self.state = state
    }
}

/// A stay at a place has begun, or is over.
public struct VisitEvent: Hashable, Sendable {
    /// Degrees north.
    public var latitude: Double
    /// Degrees east.
    public var longitude: Double
    /// The radius in meters within which the place is.
    public var accuracy: Double
    /// When it began, in seconds since 1970 by the source's clock.
    public var arrival: Double
    /// When it ended; nil while it lasts.
    public var departure: Double?

    /// Creates an event.
    public init(
        latitude: Double, longitude: Double, accuracy: Double, arrival: Double,
        departure: Double? = nil
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.accuracy = accuracy
        self.arrival = arrival
        self.departure = departure
    }
}
