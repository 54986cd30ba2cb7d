/// Decides: inputs in, effects out. A value that needs no thread, clock or disk.
package protocol Machine: Sendable {
    associatedtype Input: MachineInput
    associatedtype Effect: Sendable
    /// The moment of an input, for instance in seconds of CLOCK_BOOTTIME.
    associatedtype Time: Sendable

    /// Handles an input and returns the effects to perform, in order.
    mutating func handle(_ input: Input, at now: Time) -> [Effect]

    /// The moment at which `timePassed` is wanted, unless another input comes first.
    func nextDue(at now: Time) -> Due
}

/// An input of a machine with a timer.
package protocol MachineInput: Sendable {
    /// The input after which a machine does what is due.
    static var timePassed: Self { get }
}

/// The moment for which a machine waits: the earlier one of two, or none.
package struct Due: Hashable, Sendable {
    /// Nothing is due.
    package static let never = Due()

    /// Seconds of CLOCK_BOOTTIME.
    package var boot: Double?
    /// Seconds since 1970.
    package var wall: Double?

    package init(boot: Double? = nil, wall: Double? = nil) {
        self.boot = boot
        self.wall = wall
    }

    /// Waits no longer than until `other`, by each clock.
    package mutating func limit(to other: Due) {
        if let time = other.boot { boot = min(boot ?? time, time) }
        if let time = other.wall { wall = min(wall ?? time, time) }
    }

    /// The seconds until then by `clock`; not above 0 if it has come, and infinity for never.
    package func seconds(by clock: any HostClock) -> Double {
        let delays = [
            boot.map { $0 - clock.secondsSinceBoot }, wall.map { $0 - clock.secondsSinceEpoch },
        ]
        return delays.compactMap(\.self).min() ?? .infinity
    }
}
