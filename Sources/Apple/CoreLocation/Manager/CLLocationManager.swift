public import Foundation
import UndersongLocation

/// Reports where the machine is, what regions it enters and leaves, and where it stays.
///
/// Any thread may use it; the delegate is called on the main queue. All managers of a process share
/// the source, the authorization and the regions. The system's part is played by the program: see
/// `CLLocationManager.host`.
open class CLLocationManager: NSObject, @unchecked Sendable {
    // Unchecked because the class is open and a delegate need not be Sendable: what changes is under
    // the lock.

    private struct State {
        weak var delegate: (any CLLocationManagerDelegate)?
        var options = LocationOptions()
        var activityType = CLActivityType.other
        var showsBackgroundLocationIndicator = false
        var newest: CLLocation?
        var previous: CLLocation?
    }

    let center: LocationCenter
    let number: Int
    private let lock = NSLock()
    private var state = State()

    /// Creates a manager. The delegate gets the authorization as soon as the main queue runs.
    public override convenience init() { self.init(.shared) }

    /// A manager of a center of its own, for tests.
    package init(_ center: LocationCenter) {
        self.center = center
        number = center.makeNumber()
        super.init()
        center.add(self)
    }

    deinit { center.remove(number) }

    private func read<Value>(_ value: KeyPath<State, Value>) -> Value {
        lock.withLock { state[keyPath: value] }
    }

    private func write<Value>(_ value: WritableKeyPath<State, Value>, _ new: Value) {
        lock.withLock { state[keyPath: value] = new }
    }

    private func setOption<Value>(_ option: WritableKeyPath<LocationOptions, Value>, _ new: Value) {
        let options = lock.withLock {
            state.options[keyPath: option] = new
            return state.options
        }
        center.handle(.options(number, options))
    }

    // MARK: Properties

    /// Receives what this reports. Not retained.
    open var delegate: (any CLLocationManagerDelegate)? {
        get { read(\.delegate) }
        set { write(\.delegate, newValue) }
    }

    /// The desired accuracy of places, in meters or by one of the constants: the less exact, the less
    /// power it takes (D3). May be changed at any time, also in the background (D1).
    open var desiredAccuracy: CLLocationAccuracy {
        get { read(\.options.accuracy.value) }
        set { setOption(\.accuracy, LocationAccuracy(newValue)) }
    }

    /// Meters of movement below which no place is reported, unless one is more exact than the last
    /// (D4); `kCLDistanceFilterNone` for all places.
    open var distanceFilter: CLLocationDistance {
        get { read(\.options.distanceFilter) }
        set { setOption(\.distanceFilter, newValue) }
    }

    /// The user's activity; kept, but not used here.
    open var activityType: CLActivityType {
        get { read(\.activityType) }
        set { write(\.activityType, newValue) }
    }

    /// True if updates in the background pause when the machine has not moved 50 m in 15 minutes.
    /// They continue when it moves, or in the foreground.
    open var pausesLocationUpdatesAutomatically: Bool {
        get { read(\.options.pausesAutomatically) }
        set { setOption(\.pausesAutomatically, newValue) }
    }

    /// True if updates continue in the background (D11). It is a mistake of the program, which ends
    /// it, to set this without the background mode `location`.
    open var allowsBackgroundLocationUpdates: Bool {
        get { read(\.options.allowsBackground) }
        set {
            if newValue, !center.hasBackgroundMode {
                fatalError(
                    "allowsBackgroundLocationUpdates needs 'location' among the UIBackgroundModes")
            }
            setOption(\.allowsBackground, newValue)
        }
    }

    /// A value that is kept, but has no effect: there is no status bar.
    open var showsBackgroundLocationIndicator: Bool {
        get { read(\.showsBackgroundLocationIndicator) }
        set { write(\.showsBackgroundLocationIndicator, newValue) }
    }

    /// The newest place that any manager has got; nil if there is none.
    open var location: CLLocation? { center.lastFix.map { CLLocation($0) } }

    /// The location before the one that is being reported, for the old method of the delegate.
    var previousLocation: CLLocation? { read(\.previous) }

    // MARK: Authorization

    /// The user's decision.
    open var authorizationStatus: CLAuthorizationStatus { CLAuthorizationStatus(center.status) }

    /// The user's decision, as programs asked for it before iOS 14.
    open class func authorizationStatus() -> CLAuthorizationStatus {
        CLAuthorizationStatus(LocationCenter.shared.status)
    }

    /// Always exact.
    open var accuracyAuthorization: CLAccuracyAuthorization { .fullAccuracy }

    /// Asks the user, in the foreground, to allow the use of places while the application is in use.
    /// Does nothing if the user has decided, or without `NSLocationWhenInUseUsageDescription` in
    /// `Info.plist` (D9).
    open func requestWhenInUseAuthorization() { center.handle(.requestAuthorization(.whenInUse)) }

    /// Asks the user, in the foreground, to allow the use of places at any time. A user who allows
    /// it while the application is in use is asked once more when the application uses places in the
    /// background (D11). Does nothing if the user has decided, or without
    /// `NSLocationAlwaysAndWhenInUseUsageDescription` and `NSLocationWhenInUseUsageDescription`, or
    /// `NSLocationAlwaysUsageDescription`, in `Info.plist` (D9).
    open func requestAlwaysAuthorization() { center.handle(.requestAuthorization(.always)) }

    // MARK: Places

    /// Starts updates (D5): the delegate gets each place that is far enough from the last one.
    open func startUpdatingLocation() { center.handle(.start(number, .updates)) }

    /// Stops updates, and a request.
    open func stopUpdatingLocation() { center.handle(.stop(number, .updates)) }

    /// Requests one place: the first that is exact enough, or the best after ten seconds, or the
    /// error `locationUnknown`.
    open func requestLocation() { center.handle(.request(number)) }

    /// Starts reporting changes of 500 m or more, five minutes apart or more.
    open func startMonitoringSignificantLocationChanges() {
        center.handle(.start(number, .significantChanges))
    }

    /// Stops reporting significant changes.
    open func stopMonitoringSignificantLocationChanges() {
        center.handle(.stop(number, .significantChanges))
    }

    /// Starts reporting stays of ten minutes or more.
    open func startMonitoringVisits() { center.handle(.start(number, .visits)) }

    /// Stops reporting stays.
    open func stopMonitoringVisits() { center.handle(.stop(number, .visits)) }

    // MARK: Regions

    /// The watched regions, of all managers.
    open var monitoredRegions: Set<CLRegion> {
        Set(center.regions.map { CLCircularRegion($0) })
    }

    /// The largest radius in meters.
    open var maximumRegionMonitoringDistance: CLLocationDistance { RegionMonitor.maximumRadius }

    /// Watches a region, in place of one with the same identifier: twenty at most. A crossing is
    /// reported 20 s after it, to the delegates of all managers. Regions that are no
    /// `CLCircularRegion` do not exist.
    open func startMonitoring(for region: CLRegion) {
        guard let region = region as? CLCircularRegion else { return }
        center.handle(.watch(region.value, by: number))
    }

    /// Watches a region no more.
    open func stopMonitoring(for region: CLRegion) { center.handle(.unwatch(region.identifier)) }

    /// Asks where the machine is, seen from a region that is watched: the delegate is notified as soon
    /// as that is known.
    open func requestState(for region: CLRegion) {
        center.handle(.requestState(region.identifier, by: number))
    }

    // MARK: The machine

    /// Always true: whether there is a source shows when it is used.
    open class func locationServicesEnabled() -> Bool { true }

    /// Always true.
    open class func significantLocationChangeMonitoringAvailable() -> Bool { true }

    /// Returns true for the class of regions that can be watched: circles.
    open class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool {
        regionClass == CLCircularRegion.self
    }

    /// Always false: there is no compass.
    open class func headingAvailable() -> Bool { false }

    // MARK: Reports

    /// Gives the delegate a place.
    func report(_ location: CLLocation) {
        lock.withLock {
            state.previous = state.newest
            state.newest = location
        }
        delegate?.locationManager(self, didUpdateLocations: [location])
    }
}

extension CLAuthorizationStatus {
    init(_ status: LocationAuthorization.Status) {
        switch status {
        case .notDetermined: self = .notDetermined
        case .restricted: self = .restricted
        case .never: self = .denied
        case .always: self = .authorizedAlways
        case .whenInUse: self = .authorizedWhenInUse
        }
    }
}

extension LocationAuthorization.Status {
    init(_ status: CLAuthorizationStatus) {
        switch status {
        case .notDetermined: self = .notDetermined
        case .restricted: self = .restricted
        case .denied: self = .never
        case .authorizedAlways: self = .always
        case .authorizedWhenInUse: self = .whenInUse
        }
    }
}
