import UndersongBase

extension LocationPolicy {
    /// An event that the policy handles.
    package enum Input: MachineInput, Hashable {
        /// A client sets its options, before it starts or while it gets fixes.
        case options(Int, LocationOptions)
        /// A client starts, or starts again.
        case start(Int, LocationService)
        /// A client stops.
        case stop(Int, LocationService)
        /// A client wants one fix (`requestLocation`).
        case request(Int)
        /// A client wants a region to be watched; the regions belong to the host.
        case watch(CircularRegion, by: Int)
        /// A region is watched no more.
        case unwatch(String)
        /// These of the watched regions are wanted so much that a source is opened for them; the
        /// others are noticed beside one that is open. Nil for all of them, as at first.
        case wantRegions(Set<String>?)
        /// Another policy has watched a region meanwhile, and knows where the machine is.
        case observed(String, RegionState)
        /// A client asks where the machine is, seen from a region.
        case requestState(String, by: Int)
        /// A client is gone.
        case left(Int)
        /// The host is in the foreground or in the background, now and whenever that changes.
        case host(isForeground: Bool)
        /// The host's declarations, now and whenever they change.
        case declared(hasBackgroundMode: Bool, LocationUsage)
        /// The host asks to be allowed to know places.
        case requestAuthorization(LocationAuthorization.Scope)
        /// The user has decided.
        case authorize(LocationAuthorization.Status)
        /// The source with a number has reported something.
        case source(Int, LocationSourceEvent)
        /// Another source is to measure in place of the one that is open.
        case replaceSource
        /// The record of an earlier process has been read.
        case restore(Record)
        /// The host ends. What comes later is ignored.
        case end
        /// `nextDue` is reached.
        case timePassed
    }

    /// An action that the policy's host performs.
    package enum Effect: Hashable, Sendable {
        /// Start a source, whose events are inputs with this number.
        case open(LocationDemand, as: Int)
        /// Change the demand of the source.
        case change(LocationDemand)
        /// Stop the source.
        case close
        /// Give a client a fix: its updates, or the one it has requested.
        case deliver(LocationFix, to: Int)
        /// Report a failure to a client.
        case fail(LocationFailure, Int)
        /// The source cannot measure, for a reason that was not reported since it was opened or last
        /// measured. It continues to try.
        case sourceFailed(String)
        /// Updates of a client are paused, because the machine does not move.
        case paused(Int)
        /// They continue.
        case resumed(Int)
        /// Give a client a visit that has begun or ended.
        case visit(Visit, to: Int)
        /// A region is watched, as a client has asked for.
        case watching(String, by: Int)
        /// A region is not watched, for a reason.
        case notWatching(CircularRegion, LocationFailure, by: Int)
        /// Something has happened at a region.
        case region(RegionEvent)
        /// The answer to a client's question about a region.
        case regionState(String, RegionState, to: Int)
        /// Ask the user; the answer is `authorize`.
        case prompt(LocationAuthorization.Prompt)
        /// The authorization has changed.
        case authorized(LocationAuthorization.Status)
        /// A fix was not believed.
        case refused(LocationFix, FixFault)
        /// Keep the latest `record`.
        case save
    }
}

/// A service that a client can start.
package enum LocationService: String, Hashable, Sendable, CaseIterable {
    /// A fix for each movement of more than the filter's distance.
    case updates
    /// A fix for each 500 m, five minutes apart or more.
    case significantChanges
    /// Stays at places.
    case visits
}

/// The options of a client's updates.
package struct LocationOptions: Hashable, Sendable {
    package var accuracy: LocationAccuracy
    /// The accuracy in the background; nil for the same.
    package var backgroundAccuracy: LocationAccuracy?
    /// Meters of movement below which it wants no fix, unless that is more exact; 0 or less for all.
    package var distanceFilter: Double
    /// True if updates continue in the background.
    package var allowsBackground: Bool
    /// True if updates in the background pause while the machine does not move.
    package var pausesAutomatically: Bool
    /// True if visits are noticed beside updates that come, unless these are less exact than visits
    /// have to be. They alone keep no source open.
    package var noticesVisits: Bool

    /// The accuracy where it is worst.
    var worstAccuracy: LocationAccuracy { max(accuracy, backgroundAccuracy ?? accuracy) }

    package init(
        accuracy: LocationAccuracy = .best, backgroundAccuracy: LocationAccuracy? = nil,
        distanceFilter: Double = -1, allowsBackground: Bool = false,
        pausesAutomatically: Bool = true, noticesVisits: Bool = false
    ) {
        self.accuracy = accuracy
        self.backgroundAccuracy = backgroundAccuracy
        self.distanceFilter = distanceFilter
        self.allowsBackground = allowsBackground
        self.pausesAutomatically = pausesAutomatically
        self.noticesVisits = noticesVisits
    }
}

/// A failure that a client gets in place of a fix.
package enum LocationFailure: Hashable, Sendable {
    /// There is no fix at present; the source continues to try.
    case locationUnknown
    /// The user, or the system, does not allow it, for a reason.
    case denied(String)
    /// The user does not allow regions to be watched.
    case regionsDenied
    /// The region cannot be watched.
    case region(RegionFault)

    /// The reason, as a clause.
    package var reason: String {
        switch self {
        case .locationUnknown: "the place is not known at present"
        case .denied(let reason): reason
        case .regionsDenied: "the use of locations is not allowed"
        case .region(let fault): fault.reason
        }
    }
}

/// The reason why something that was started gets no fixes.
package enum LocationObstacle: String, Hashable, Sendable, CaseIterable {
    /// The host declares no usage.
    case noUsageDescription
    case notDetermined
    case restricted
    case denied
    /// The host is in the background without the mode `location`.
    case noBackgroundMode
    /// The client does not want updates in the background.
    case foregroundOnly
    /// The user allows the use in the foreground only.
    case whenInUseOnly
    /// The machine does not move.
    case paused
}
