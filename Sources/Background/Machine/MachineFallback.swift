/// What counts where a service of the machine does not answer that would know.
package enum MachineFallback: String, Hashable, Sendable, CaseIterable {
    /// NetworkManager.
    case network = "NetworkManager"
    /// UPower.
    case power = "UPower"
    /// The power profiles.
    case profiles = "power-profiles-daemon"
    /// logind, or a session of it.
    case login = "logind"

    /// A lower-case clause: who does not answer, and what counts. `power` is what is known of the
    /// power without the service.
    package func words(_ power: PowerState) -> String {
        switch self {
        case .network:
            "NetworkManager does not answer: trying shows whether there is a network, and none counts "
                + "as metered"
        case .power where power.charge == nil:
            "UPower does not answer, and the kernel lists no battery: external power is assumed"
        case .power: "UPower does not answer: the batteries count that the kernel lists"
        case .profiles:
            "power-profiles-daemon does not answer: the machine counts as not saving power"
        case .login:
            "logind does not say whether the session is idle: only clients, playing and the load "
                + "count as use"
        }
    }
}
