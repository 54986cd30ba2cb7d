/// The machine's power supply, as far as it is known.
package struct PowerState: Hashable, Sendable {
    /// The charge in percent below which only essential work is done.
    package static let lowCharge = 20.0

    /// True if the machine runs on its battery.
    package var isOnBattery = false
    /// The charge of the machine's batteries in percent; nil if it has none.
    package var charge: Double?
    /// True if the system warns that the charge is low.
    package var warnsOfLowCharge = false
    /// True if the user has asked the machine to save power.
    package var isSavingPower = false

    /// External power, which is also assumed of a machine without a known battery.
    package static let external = PowerState()

    package init(isOnBattery: Bool = false, charge: Double? = nil) {
        self.isOnBattery = isOnBattery
        self.charge = charge
    }

    /// True if the batteries are nearly empty.
    package var isLow: Bool { warnsOfLowCharge || charge.map { $0 < Self.lowCharge } ?? false }
}
