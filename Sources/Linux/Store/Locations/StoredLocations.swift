package import UndersongLocation

/// What measures where the machine is, as the user chooses it.
package enum LocationSourceChoice: Hashable, Sendable {
    case geoClue
    case gpsd(host: String, port: Int)
}

/// What the user has set about locations.
package struct LocationSettings: Hashable, Sendable {
    /// Whether updates were begun, and not ended.
    package var isUpdating = false
    package var accuracy = LocationAccuracy.best
    /// The accuracy in the background; nil for the same.
    package var backgroundAccuracy: LocationAccuracy?
    /// Meters of movement below which there is no new fix; 0 for all fixes.
    package var distance = 0.0
    package var source = LocationSourceChoice.geoClue
    /// Whether the newest fixes are kept on the disk.
    package var keepsFixes = false

    package init() {}
}

/// What the service does when the machine enters a place, or leaves it.
package struct LocationRule: Hashable, Sendable {
    /// A crossing of a place's edge.
    package enum Event: String, Hashable, Sendable, CaseIterable { case enter, exit }

    /// A verb of the service: a rule runs no programs.
    package enum Command: Hashable, Sendable {
        case pause
        case resume
        /// Play the queue that was saved by this name.
        case load(String)
        /// Set the volume, 0 to 100.
        case volume(Double)
    }

    package var event: Event
    /// The name of the place.
    package var place: String
    package var command: Command

    package init(_ event: Event, _ place: String, _ command: Command) {
        self.event = event
        self.place = place
        self.command = command
    }
}

/// What the file has of locations.
package struct StoredLocations: Hashable, Sendable {
    package var record = LocationDesk.Record()
    package var settings = LocationSettings()
    /// In the order in which they were made.
    package var rules: [LocationRule] = []
    /// The newest fixes, the newest last; none unless they are kept.
    package var fixes: [LocationFix] = []

    package init() {}
}

/// A change of what the file has of locations.
package enum LocationChange: Hashable, Sendable {
    case record(LocationDesk.Record)
    case settings(LocationSettings)
    /// These are all rules from now on.
    case rules([LocationRule])
    /// Another fix, which pushes out the oldest one.
    case fix(LocationFix)
    /// Fixes are not kept any more, and those that were are deleted.
    case noFixes
}
