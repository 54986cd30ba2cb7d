import UndersongBackground

extension MachineState {
    /// What forbids a transfer. A discretionary one does not run at all on a metered network or
    /// without enough power (J7): it is not just slower.
    func reasons(isDiscretionary: Bool) -> Set<WaitReason> {
        var reasons: Set<WaitReason> = []
        if network.connectivity == .none || network.connectivity == .portal {
            reasons.insert(.offline)
        }
        guard isDiscretionary else { return reasons }
        if network.isMetered { reasons.insert(.metered) }
        if power.isOnBattery { reasons.insert(.battery) }
        if power.isLow { reasons.insert(.lowBattery) }
        if power.isSavingPower { reasons.insert(.savingPower) }
        return reasons
    }
}
