import UndersongBase
package import UndersongLocation
import UndersongPlayback
import UndersongStore

/// The parts of the machine that locations need.
package struct LocationEnvironment: Sendable {
    /// Makes a source.
    package var makeSource: @Sendable (LocationSourceChoice) -> any LocationSource

    package init(makeSource: @escaping @Sendable (LocationSourceChoice) -> any LocationSource) {
        self.makeSource = makeSource
    }
}

/// The desk of locations with what it needs around it: the source, the timer, the rules, and the
/// effects that are still to be performed. Used on the service's executor only.
struct LocationShell {
    /// The service itself, as a client of the desk.
    static let client = 1
    /// What the service says that it needs locations for (D10).
    static let usage = LocationUsage(
        whenInUse: "Locations show where you are, and let music follow your places.",
        alwaysAndWhenInUse: "Music can pause and resume where you leave and arrive.")

    var desk: LocationDesk
    var settings: LocationSettings
    var rules: [LocationRule] = []
    var recent = RecentFixes()
    /// The numbers of the fixes that may be on the disk.
    var keptFixes = 0..<0
    /// The names of the places that may be on the disk.
    var keptPlaces: Set<String> = []
    /// How many fixes were not believed, by the reason.
    var refused: [Open<FixFault>: Int] = [:]
    var replay: ReplaySource?
    /// Effects to perform, in this order.
    var effects: [LocationDesk.Effect] = []
    /// Whether they are being performed.
    var isPerforming = false
    /// The source that is open.
    private(set) var source: (any LocationSource)?
    /// Identifies what comes from it; that of others is too late.
    private(set) var sourceNumber = 0
    private let clock: any HostClock
    private var timer: HostTimer?

    init(_ record: LocationDesk.Record, _ settings: LocationSettings, clock: any HostClock) {
        desk = LocationDesk(record)
        self.settings = settings
        self.clock = clock
    }

    var now: LocationTime {
        LocationTime(boot: clock.secondsSinceBoot, wall: clock.secondsSinceEpoch)
    }

    /// What the service wants of its updates.
    var options: LocationOptions {
        LocationOptions(
            accuracy: settings.accuracy.accuracy,
            backgroundAccuracy: settings.backgroundAccuracy.accuracy,
            distanceFilter: settings.distance > 0 ? settings.distance : -1,
            allowsBackground: true)
    }

    /// Why no source is open although something is wanted, and what to do about it; nil if nothing
    /// stands against it, or nothing is wanted.
    var obstacle: String? {
        if settings.isUpdating { return desk.obstacle(to: .updates, of: Self.client)?.advice }
        if !rules.isEmpty { return desk.obstacleToRegions?.advice }
        return desk.watchedRegions.first.map { place in
            "no rule is made for a place; "
                + "make one with: undersong location on exit \(place.region.identifier) pause"
        }
    }

    /// Takes in what has happened; what is to be done waits in `effects`.
    mutating func handle(_ input: LocationDesk.Input) {
        effects += desk.handle(input, at: now)
    }

    /// Whether something from this source still counts.
    func isCurrent(_ number: Int) -> Bool { source != nil && number == sourceNumber }

    /// Uses another source from now on, which reports to `take` with its number.
    mutating func open(
        _ new: any LocationSource, _ demand: LocationDemand,
        _ take: @escaping @Sendable (Int, LocationSourceEvent) -> Void
    ) {
        close()
        sourceNumber += 1
        source = new
        new.start(demand) { [sourceNumber] in take(sourceNumber, $0) }
    }

    mutating func close() {
        source?.stop()
        source = nil
    }

    /// Schedules a call of `wake` for when something is next due, if anything is.
    mutating func schedule(_ wake: @escaping @Sendable () -> Void) {
        timer?.cancel()
        timer = nil
        guard let due = desk.nextDue else { return }
        timer = clock.wake(after: due - clock.secondsSinceBoot, leeway: 100_000_000, wake)
    }

    /// Ends everything, for good.
    mutating func end() {
        timer?.cancel()
        close()
    }
}
