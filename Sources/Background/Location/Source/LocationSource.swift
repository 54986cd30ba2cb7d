/// A source of fixes: the port to GeoClue, gpsd and recorded tracks.
///
/// Any thread may call it, one call at a time. No call blocks: slow work happens on the source's
/// own threads or queues.
package protocol LocationSource: Sendable {
    /// The kind of source.
    var kind: LocationSourceKind { get }

    /// Begins to measure, and calls `handler` with everything that happens, one call after another
    /// in order, on any thread; first of all with a state. It continues to try, whatever fails,
    /// until `stop`. Called again only after `stop`.
    func start(
        _ demand: LocationDemand, _ handler: @escaping @Sendable (LocationSourceEvent) -> Void)

    /// Measures by another demand from now on; between `start` and `stop`.
    func change(_ demand: LocationDemand)

    /// Ends measuring and closes the source, within a second. A call of the handler that is under
    /// way may still come after this.
    func stop()
}

/// A kind of source.
public enum LocationSourceKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// GeoClue, on the system bus.
    case geoClue = "geoclue"
    /// gpsd: a receiver of satellites.
    case gpsd
    /// A recorded track.
    case replay
    /// The program itself, which simulates places.
    case simulation

    /// True if fixes are measured when they arrive.
    package var isLive: Bool { self == .geoClue || self == .gpsd }

    /// True if each fix is sent as soon as it is measured, so that one that comes late has waited.
    package var isPrompt: Bool { self == .gpsd }
}

/// The demand on a source.
package struct LocationDemand: Hashable, Sendable {
    package var accuracy: LocationAccuracy
    /// Meters of movement below which no fix is wanted; 0 for all fixes.
    package var distance: Double

    package init(accuracy: LocationAccuracy, distance: Double = 0) {
        self.accuracy = accuracy
        self.distance = distance
    }
}

/// The desired accuracy: in meters, or one of Apple's two negative values.
package struct LocationAccuracy: Hashable, Sendable, Comparable {
    /// Meters, or Apple's -1 and -2.
    package var value: Double

    /// Creates an accuracy; not a number means the best.
    package init(_ value: Double) { self.value = value.isNaN ? -1 : value }

    package static let bestForNavigation = LocationAccuracy(-2)
    package static let best = LocationAccuracy(-1)
    package static let nearestTenMeters = LocationAccuracy(10)
    package static let hundredMeters = LocationAccuracy(100)
    package static let kilometer = LocationAccuracy(1000)
    package static let threeKilometers = LocationAccuracy(3000)
    /// The accuracy of a user who gives only an approximate location.
    package static let reduced = LocationAccuracy(6_380_000)

    /// The more exact one is the smaller one.
    package static func < (first: LocationAccuracy, second: LocationAccuracy) -> Bool {
        first.value < second.value
    }
}

/// The reports of a source.
package enum LocationSourceEvent: Hashable, Sendable {
    case fix(LocationFix)
    case state(LocationSourceState)
}

/// The states of a source.
package enum LocationSourceState: Hashable, Sendable {
    /// It connects, or waits for a first fix.
    case searching
    /// It measures. A steady one sends a fix every few seconds, so that its silence means that it
    /// has lost the place; another one sends fixes when the place changes.
    case available(isSteady: Bool)
    /// It cannot measure at present, and why, as a clause; it continues to try.
    case unavailable(String)
    /// It may not measure, and why, as a clause.
    case denied(String)
}
