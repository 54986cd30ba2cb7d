package import UndersongBase

/// The state of a service's locations.
package struct LocationStatus: Codable, Hashable, Sendable {
    /// The state of the source.
    package enum SourceState: String, Codable, Hashable, Sendable {
        /// No client that may have locations wants any.
        case closed
        case searching, available, unavailable, denied
    }

    /// A track that is replayed.
    package struct Replay: Codable, Hashable, Sendable {
        /// The name of the file.
        package var name: String
        /// Seconds of the track per second.
        package var speed: Double
        /// The number of fixes that have come.
        package var done: Int
        /// The number of fixes in the file.
        package var count: Int
        /// The number of points or sentences of the file that were left out.
        package var skipped: Int
        /// The seconds from the first fix to the last, of the track.
        package var duration: Double

        package init(
            name: String, speed: Double, done: Int, count: Int, skipped: Int, duration: Double
        ) {
            self.name = name
            self.speed = speed
            self.done = done
            self.count = count
            self.skipped = skipped
            self.duration = duration
        }
    }

    package var settings: LocationSettings
    /// The user's decision.
    package var authorization: LocationAuthorization.Status
    /// True if the mode `location` is declared.
    package var isDeclared: Bool
    package var sourceState: SourceState
    /// The reason the source is closed although something is wanted, with a remedy, or the reason
    /// it cannot measure; nil if it does, or nothing is wanted.
    package var reason: String?
    /// The newest fix; nil if there is none.
    package var last: LocationFix?
    /// The seconds since that has arrived.
    package var age: Double?
    /// The number of newest fixes that are kept.
    package var fixCount = 0
    /// The numbers of fixes that were not believed, by the reason; nil if all were.
    package var refused: [Open<FixFault>: Int]?
    /// The replay that is under way, in place of the source.
    package var replay: Replay?
    /// The places that are watched, in the order of their names.
    package var places: [WatchedRegion] = []
    /// The rules, in the order in which they were added.
    package var rules: [LocationRule] = []

    package init(
        settings: LocationSettings, authorization: LocationAuthorization.Status, isDeclared: Bool,
        sourceState: SourceState = .closed, reason: String? = nil
    ) {
        self.settings = settings
        self.authorization = authorization
        self.isDeclared = isDeclared
        self.sourceState = sourceState
        self.reason = reason
    }

    /// True if anything is wanted of locations.
    package var isOfInterest: Bool { settings.isUpdating || !places.isEmpty || replay != nil }
}
