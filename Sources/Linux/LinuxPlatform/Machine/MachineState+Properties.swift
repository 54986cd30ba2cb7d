import UndersongBackground

extension NetworkState {
    /// The state that NetworkManager's properties describe; unknown if it is not running.
    init(_ properties: [String: BusValue]?) {
        self.init()
        if case .uint32(let number)? = properties?["Connectivity"] {
            connectivity =
                switch number {
                case 1: .none
                case 2: .portal
                case 3: .limited
                case 4: .full
                default: .unknown
                }
        }
        // Where it does not check for the Internet, its state still says that there is no network:
        // asleep, or disconnected.
        if case .uint32(let number)? = properties?["State"], number == 10 || number == 20 {
            connectivity = .none
        }
        // 1 is yes, 3 is what NetworkManager guesses to be yes.
        if case .uint32(let number)? = properties?["Metered"] {
            isMetered = number == 1 || number == 3
        }
    }
}

extension PowerState {
    /// The state that the properties of UPower and its batteries describe; nil if UPower is not
    /// running.
    init?(_ power: [String: BusValue]?, battery: [String: BusValue]?) {
        guard case .boolean(let isOnBattery)? = power?["OnBattery"] else { return nil }
        self.init(isOnBattery: isOnBattery)
        guard case .boolean(true)? = battery?["IsPresent"] else { return }
        if case .double(let charge)? = battery?["Percentage"] { self.charge = charge }
        // 3 is low, 4 critical; at 5 the machine is about to be switched off.
        if case .uint32(let level)? = battery?["WarningLevel"] { warnsOfLowCharge = level >= 3 }
    }

    /// Whether the properties of the power profiles say that power is to be saved.
    static func isSaving(_ profiles: [String: BusValue]?) -> Bool {
        profiles?["ActiveProfile"] == .string("power-saver")
    }
}
