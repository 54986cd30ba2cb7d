public import Foundation
import UndersongLocation

/// A region that can be watched. Those that exist are circles: `CLCircularRegion`.
open class CLRegion: NSObject, NSCopying, @unchecked Sendable {
    // Unchecked because the class is open: what changes is under the lock.

    /// Its name, one for each watched region of the application.
    public let identifier: String
    private let lock = NSLock()
    private var onEntry = true
    private var onExit = true

    fileprivate init(identifier: String) { self.identifier = identifier }

    /// True if entering it is reported; set before it is watched.
    open var notifyOnEntry: Bool {
        get { lock.withLock { onEntry } }
        set { lock.withLock { onEntry = newValue } }
    }

    /// True if leaving it is reported; set before it is watched.
    open var notifyOnExit: Bool {
        get { lock.withLock { onExit } }
        set { lock.withLock { onExit = newValue } }
    }

    /// Returns another one with the same values.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns true if the other one has the same identifier.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? CLRegion)?.identifier == identifier
    }

    /// The hash of the identifier.
    open override var hash: Int { identifier.hashValue }
}

/// A circle on the Earth.
open class CLCircularRegion: CLRegion, @unchecked Sendable {
    /// Its middle.
    public let center: CLLocationCoordinate2D
    /// The radius in meters.
    public let radius: CLLocationDistance

    /// Creates a circle. A center that is nowhere, or a radius of 0 or less, is an error when it is to
    /// be watched.
    public init(
        center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String
    ) {
        self.center = center
        self.radius = radius
        super.init(identifier: identifier)
    }

    convenience init(_ region: CircularRegion) {
        self.init(
            center: CLLocationCoordinate2D(region.center), radius: region.radius,
            identifier: region.identifier)
        notifyOnEntry = region.notifiesOnEntry
        notifyOnExit = region.notifiesOnExit
    }

    var value: CircularRegion {
        CircularRegion(
            identifier: identifier, center: Coordinate(center), radius: radius,
            notifiesOnEntry: notifyOnEntry, notifiesOnExit: notifyOnExit)
    }

    /// Returns another one with the same values.
    open override func copy(with zone: NSZone? = nil) -> Any { CLCircularRegion(value) }

    /// Returns true if a place is in it.
    open func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
        value.contains(Coordinate(coordinate))
    }

    /// Its identifier, center and radius.
    open override var description: String {
        let numbers = String(
            format: "center:<%+.8f,%+.8f>, radius:%.2fm", center.latitude, center.longitude, radius)
        return "CLCircularRegion (identifier:'\(identifier)', \(numbers))"
    }
}

/// The side of a region's edge on which the machine is.
public enum CLRegionState: Int, Sendable {
    /// It is not known.
    case unknown = 0
    /// In it.
    case inside = 1
    /// Not in it.
    case outside = 2

    init(_ state: RegionState) {
        switch state {
        case .unknown: self = .unknown
        case .inside: self = .inside
        case .outside: self = .outside
        }
    }
}
