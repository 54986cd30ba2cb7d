/// The machine's network, as far as it is known.
package struct NetworkState: Hashable, Sendable {
    /// The reach of the network.
    package enum Connectivity: String, Hashable, Sendable, CaseIterable {
        /// The reach is unknown. Whether a server can be reached shows when it is tried.
        case unknown
        /// There is no network.
        case none
        /// A portal intercepts everything until the user has logged in to it.
        case portal
        /// There is a network, but the Internet does not seem to be reachable.
        case limited
        /// The Internet is reachable.
        case full
    }

    package var connectivity = Connectivity.unknown
    /// True if traffic may cost money, or is believed to.
    package var isMetered = false

    /// The unknown state, which forbids nothing.
    package static let unknown = NetworkState()

    package init(connectivity: Connectivity = .unknown, isMetered: Bool = false) {
        self.connectivity = connectivity
        self.isMetered = isMetered
    }
}
