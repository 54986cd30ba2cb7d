/// The conditions of the machine for work in the background.
package struct MachineState: Hashable, Sendable {
    package var network = NetworkState.unknown
    package var power = PowerState.external
    /// True if the machine is about to sleep, or asleep.
    package var isSleeping = false
    /// The substitutes that count because services of the machine do not answer.
    package var fallbacks: Set<MachineFallback> = []

    package init(network: NetworkState = .unknown, power: PowerState = .external) {
        self.network = network
        self.power = power
    }
}
