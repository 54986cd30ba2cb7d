/// The substitutes for services of the machine that do not answer.
package enum MachineFallback: String, Hashable, Sendable, CaseIterable {
    /// NetworkManager.
    case network = "NetworkManager"
    /// UPower.
    case power = "UPower"
    /// The power profiles.
    case profiles = "power-profiles-daemon"
    /// logind, or a session of it.
    case login = "logind"

    /// A lower-case clause that names the silent service and the substitute. `power` is the
    /// knowledge about the power without the service.
    package func words(_ power: PowerState) -> String {
        switch self {
        case .network:
            "NetworkManager does not answer: a network is found by trying, and treated as unmetered"
        case .power where power.charge == nil:
            "UPower does not answer, and the kernel lists no battery: the "
                + "machine is treated as on external power"
        case .power: "UPower does not answer: the charge is read from the kernel"
        case .profiles:
            "power-profiles-daemon does not answer: the machine is treated as not saving power"
        case .login:
            "logind does not say whether the session is idle: the machine is in use while clients "
                + "are connected, music plays or the processors are busy"
        }
    }
}
