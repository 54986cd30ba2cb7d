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
            "NetworkManager does not answer: a network is found by trying, and none is taken "
                + "to be metered"
        case .power where power.charge == nil:
            "UPower does not answer, and the kernel lists no battery: external power is assumed"
        case .power: "UPower does not answer: the batteries that the kernel lists are used"
        case .profiles:
            "power-profiles-daemon does not answer: the machine is taken not to save power"
        case .login:
            "logind does not report whether the session is idle: clients, playback and the load "
                + "alone show that it is in use"
        }
    }
}
