/// What decides whether work in the background is welcome.
package struct MachineState: Hashable, Sendable {
    package var network = NetworkState.unknown
    package var power = PowerState.external
    /// Whether the machine is about to sleep, or asleep.
    package var isSleeping = false
    /// Which services of the machine do not answer, so that something else counts.
    package var fallbacks: Set<MachineFallback> = []

    package init(network: NetworkState = .unknown, power: PowerState = .external) {
        self.network = network
        self.power = power
    }
}
