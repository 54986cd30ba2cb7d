/// A circle on the Earth that is watched: a place of the service, or a region of a program.
package struct CircularRegion: Codable, Hashable, Sendable {
    /// The name, one for each region.
    package var identifier: String
    /// Degrees north of its center.
    package var latitude: Double
    /// Degrees east of its center.
    package var longitude: Double
    /// The radius in meters.
    package var radius: Double
    /// True if entering it is an event.
    package var notifiesOnEntry: Bool
    /// True if leaving it is an event.
    package var notifiesOnExit: Bool

    private enum CodingKeys: String, CodingKey {
        case identifier = "name"
        case latitude = "lat"
        case longitude = "lon"
        case radius, notifiesOnEntry, notifiesOnExit
    }

    package init(
        identifier: String, center: Coordinate, radius: Double, notifiesOnEntry: Bool = true,
        notifiesOnExit: Bool = true
    ) {
        self.identifier = identifier
        latitude = center.latitude
        longitude = center.longitude
        self.radius = radius
        self.notifiesOnEntry = notifiesOnEntry
        self.notifiesOnExit = notifiesOnExit
    }

    package var center: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }

    /// Returns true if a place is in it.
    package func contains(_ coordinate: Coordinate) -> Bool {
        center.distance(to: coordinate) <= radius
    }
}

/// The side of a region's edge on which the machine is.
public enum RegionState: String, Codable, Hashable, Sendable {
    case unknown, inside, outside
}

/// A region, and what was reported of it.
package struct WatchedRegion: Codable, Hashable, Sendable {
    package var region: CircularRegion
    package var state: RegionState

    private enum CodingKeys: String, CodingKey { case state }

    package init(region: CircularRegion, state: RegionState = .unknown) {
        self.region = region
        self.state = state
    }

    /// Decodes the region's members and the state from one object.
    package init(from decoder: any Decoder) throws {
        region = try CircularRegion(from: decoder)
        state = try decoder.container(keyedBy: CodingKeys.self)
            .decode(RegionState.self, forKey: .state)
    }

    package func encode(to encoder: any Encoder) throws {
        try region.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(state, forKey: .state)
    }
}

/// The machine has entered a region, or left it.
public struct RegionEvent: Codable, Hashable, Sendable {
    /// A kind of event.
    public enum Phase: String, Codable, Hashable, Sendable {
        /// For the first time it is known where the machine is: no crossing.
        case determined
        case entered, exited
    }

    /// The region's name.
    public var region: String
    /// The kind of event.
    public var phase: Phase
    /// The side on which the machine is now.
    public var side: RegionState

    package static func determined(_ region: String, _ side: RegionState) -> RegionEvent {
        RegionEvent(region: region, phase: .determined, side: side)
    }
    package static func entered(_ region: String) -> RegionEvent {
        RegionEvent(region: region, phase: .entered, side: .inside)
    }
    package static func exited(_ region: String) -> RegionEvent {
        RegionEvent(region: region, phase: .exited, side: .outside)
    }
}
