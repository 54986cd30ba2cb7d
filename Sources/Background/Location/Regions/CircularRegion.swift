/// A circle on the Earth that is watched.
package struct CircularRegion: Hashable, Sendable {
    /// Its name, one for each region.
    package var identifier: String
    package var center: Coordinate
    /// In meters.
    package var radius: Double
    /// Whether entering it is an event.
    package var notifiesOnEntry: Bool
    /// Whether leaving it is an event.
    package var notifiesOnExit: Bool

    package init(
        identifier: String, center: Coordinate, radius: Double, notifiesOnEntry: Bool = true,
        notifiesOnExit: Bool = true
    ) {
        self.identifier = identifier
        self.center = center
        self.radius = radius
        self.notifiesOnEntry = notifiesOnEntry
        self.notifiesOnExit = notifiesOnExit
    }

    /// Whether a place is in it.
    package func contains(_ coordinate: Coordinate) -> Bool {
        center.distance(to: coordinate) <= radius
    }
}

/// Where the machine is, seen from a region.
package enum RegionState: String, Hashable, Sendable {
    case unknown, inside, outside
}

/// Something that has happened at a region.
package enum RegionEvent: Hashable, Sendable {
    /// For the first time it is known where the machine is: no crossing.
    case determined(String, RegionState)
    /// The machine has crossed its edge inward.
    case entered(String)
    /// The machine has crossed its edge outward.
    case exited(String)
}
