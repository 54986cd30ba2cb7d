package import UndersongLocation
package import UndersongStore

/// What the service does with locations.
package struct LocationStatus: Sendable {
    /// A track that is replayed.
    package struct Replay: Sendable {
        package var name: String
        package var speed: Double
        /// How many fixes have come, of how many.
        package var done: Int
        package var count: Int
        /// How many points or sentences of the file were left out.
        package var skipped: Int
        /// The seconds from the first fix to the last, of the track.
        package var duration: Double
    }

    package var settings: LocationSettings
    package var authorization: LocationAuthorization.Status
    /// Whether the mode `location` is declared.
    package var isDeclared: Bool
    /// Whether a source is open, and what it last said of itself.
    package var sourceState: LocationSourceState?
    /// Why no source is open although something is wanted, and what to do about it; nil if nothing
    /// stands against it, or nothing is wanted.
    package var obstacle: String?
    /// The newest fix, and the seconds since it has arrived.
    package var last: LocationFix?
    package var age: Double?
    /// How many of the newest fixes there are.
    package var fixCount: Int
    /// How many fixes were not believed, by the reason.
    package var refused: [FixFault: Int]
    package var replay: Replay?
    package var places: [LocationDesk.Record.Region]
    package var rules: [LocationRule]

    /// Whether anything is wanted of it.
    var isOfInterest: Bool { settings.isUpdating || !places.isEmpty || replay != nil }
}
