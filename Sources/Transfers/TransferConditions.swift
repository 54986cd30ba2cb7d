/// The machine's network and power, as far as they are known.
package struct TransferConditions: Hashable, Sendable {
    /// Whether the network leads anywhere.
    package enum Connectivity: Hashable, Sendable {
        case unknown
        case none
        /// A portal wants to be logged in to.
        case portal
        case limited
        case full
    }

    /// The charge below which only what is essential is done, in percent.
    package static let lowCharge = 20.0

    package var connectivity = Connectivity.unknown
    package var isMetered = false
    package var isOnBattery = false
    /// The charge of the battery in percent; nil if there is none.
    package var charge: Double?
    package var isSavingPower = false

    package init() {}

    /// What forbids a transfer under these conditions.
    package func reasons(isDiscretionary: Bool) -> Set<WaitReason> {
        var reasons: Set<WaitReason> = []
        if connectivity == .none || connectivity == .portal { reasons.insert(.offline) }
        guard isDiscretionary else { return reasons }
        if isMetered { reasons.insert(.metered) }
        if isOnBattery || isSavingPower || charge.map({ $0 < Self.lowCharge }) ?? false {
            reasons.insert(.battery)
        }
        return reasons
    }
}
