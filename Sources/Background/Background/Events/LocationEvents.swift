public import UndersongLocation

/// Where the machine is, or why nobody knows.
public struct LocationEvent: Codable, Hashable, Sendable {
    /// Where it is; nil if there is no fix.
    public var location: MeasuredLocation?
    /// Why there is no fix, as a clause.
    public var problem: String?

    private enum CodingKeys: CodingKey { case lat, lon, accuracy, altitude, speed, course, time, problem }
    public init(from decoder: any Decoder) throws {
        let m = try decoder.container(keyedBy: CodingKeys.self)
        problem = try m.decodeIfPresent(String.self, forKey: .problem)
        guard problem == nil else { return }
        location = MeasuredLocation(
            latitude: try m.decode(Double.self, forKey: .lat), longitude: try m.decode(Double.self, forKey: .lon),
            accuracy: try m.decode(Double.self, forKey: .accuracy), altitude: try m.decodeIfPresent(Double.self, forKey: .altitude),
            speed: try m.decodeIfPresent(Double.self, forKey: .speed), course: try m.decodeIfPresent(Double.self, forKey: .course), time: try m.decode(Double.self, forKey: .time))
    }
    public func encode(to encoder: any Encoder) throws {
        var m = encoder.container(keyedBy: CodingKeys.self)
        try m.encodeIfPresent(problem, forKey: .problem)
        guard let l = location else { return }
        try m.encode(l.latitude, forKey: .lat)
        try m.encode(l.longitude, forKey: .lon)
        try m.encode(l.accuracy, forKey: .accuracy)
        try m.encodeIfPresent(l.altitude, forKey: .altitude)
        try m.encodeIfPresent(l.speed, forKey: .speed)
        try m.encodeIfPresent(l.course, forKey: .course)
        try m.encode(l.time, forKey: .time)
    }

    /// Creates an event with a fix.
    public init(_ location: MeasuredLocation) { self.location = location }

    /// Creates an event without a fix.
    public init(problem: String) { self.problem = problem }
}

/// The machine has entered a place that is watched, or left it.
public struct PlaceEvent: Codable, Hashable, Sendable {
    /// The place's name.
    public var place: String
    /// `entered` or `exited`; `determined` when it is known for the first time where the machine is.
    public var phase: String
    /// `inside` or `outside`.
    public var state: String

    private enum CodingKeys: String, CodingKey { case place = "region", phase, state = "side" }

    /// Creates an event.
    public init(place: String, phase: String, state: String) {
        self.place = place
        self.phase = phase
        self.state = state
    }
}

/// A stay at a place has begun, or is over.
public struct VisitEvent: Codable, Hashable, Sendable {
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

    private enum CodingKeys: String, CodingKey { case latitude = "lat", longitude = "lon", accuracy, arrival, departure }

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
