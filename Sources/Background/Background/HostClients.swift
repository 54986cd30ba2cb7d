import UndersongBase

/// Derives the host's state from its attached clients, the user's override, the login session and
/// calls (behaviour 4).
///
/// The host is active if any client is, otherwise inactive if any client is; without a client it is
/// in the background. The user's override takes precedence over everything else but a simulated fetch
/// (K1).
package struct HostClients: Hashable, Sendable {
    /// A client and the state that it reported.
    package struct Client: Hashable, Sendable {
        /// The number that the service gave it.
        package let identifier: Int
        /// The state.
        package var state: ApplicationState
        /// The origin of the state: `terminal`, `option`, `none`.
        package var source: String

        package init(identifier: Int, state: ApplicationState, source: String) {
            self.identifier = identifier
            self.state = state
            self.source = source
        }
    }

    /// The attached clients, in the order in which they attached.
    package private(set) var clients: [Client] = []
    /// The state that the user has set; nil for `auto`.
    package private(set) var override: ApplicationState?
    /// The number of simulated fetches that are running.
    package private(set) var simulations = 0
    /// The state of the login session.
    package private(set) var login = LoginState.unknown
    /// The call that interrupts the host; nil for none.
    package private(set) var call: InterruptionSource?

    /// Creates a host without clients.
    package init() {}

    /// The host's state.
    package var state: ApplicationState { status.state }

    /// The origin of the state: a client's own source, `no client`, `undersong host`, the login
    /// session's limit, a call, or `simulated fetch`.
    package var source: String { status.source }

    /// True if sound is forbidden in every state because the machine is about to sleep.
    package var requiresPause: Bool { login.requiresPause }

    /// Attaches a client, or updates its state. Returns whether the host's state, its source or
    /// `requiresPause` changed, as do the methods below.
    package mutating func attach(
        _ identifier: Int, state: ApplicationState, source: String
    ) -> Bool {
        let client = Client(identifier: identifier, state: state, source: source)
        return update { host in
            if let index = host.clients.firstIndex(where: { $0.identifier == identifier }) {
                host.clients[index] = client
            } else {
                host.clients.append(client)
            }
        }
    }

    /// Detaches a client; an unknown one is ignored.
    package mutating func detach(_ identifier: Int) -> Bool {
        update { $0.clients.removeAll { $0.identifier == identifier } }
    }

    /// Overrides the state; nil removes the override.
    package mutating func override(with state: ApplicationState?) -> Bool {
        update { $0.override = state }
    }

    /// Keeps the host in the background until `endSimulation` is called as often.
    package mutating func beginSimulation() -> Bool { update { $0.simulations += 1 } }

    /// Ends the stay in the background for a simulated fetch.
    package mutating func endSimulation() -> Bool { update { $0.simulations -= 1 } }

    /// Updates the state of the login session.
    package mutating func follow(_ login: LoginState) -> Bool {
        update { $0.login = login }
    }

    /// Updates the call that interrupts the host; nil for none.
    package mutating func follow(call: InterruptionSource?) -> Bool {
        update { $0.call = call }
    }

    /// The host's state and its source.
    package var status: HostStatus {
        simulations > 0
            ? HostStatus(state: .background, source: "simulated fetch") : statusWithoutSimulations
    }

    /// The host's state and its source if no simulated fetch is running: the use from which habits are
    /// learned.
    package var statusWithoutSimulations: HostStatus {
        if let override { return HostStatus(state: override, source: "undersong host") }
        let clients = clientDecision
        if let limit = login.limit, limit.state.rawValue > clients.state.rawValue {
            return HostStatus(state: limit.state, source: limit.source)
        }
        if let call, clients.state == .active {
            return HostStatus(state: .inactive, source: call.hostSource)
        }
        return clients
    }

    /// Among the most active clients, the one that attached first decides.
    private var clientDecision: HostStatus {
        guard let client = clients.min(by: { $0.state.rawValue < $1.state.rawValue }) else {
            return HostStatus(state: .background, source: "no client")
        }
        return HostStatus(state: client.state, source: client.source)
    }

    private mutating func update(_ change: (inout HostClients) -> Void) -> Bool {
        let (status, requiresPause) = (status, requiresPause)
        change(&self)
        return self.status != status || self.requiresPause != requiresPause
    }
}

extension LoginState.Limit {
    /// The name of this limit where it decides the host's state.
    fileprivate var source: String {
        switch self {
        case .inactive: "login session inactive"
        case .sleeping: "system sleep"
        case .locked: "login session locked"
        }
    }
}

extension InterruptionSource {
    /// The name of this call where it decides the host's state.
    fileprivate var hostSource: String {
        switch self {
        case .call(let application): application.isEmpty ? "call" : "call in \(application)"
        case .command: "undersong interrupt"
        case .session(let name): name
        case .sleep: "system sleep"
        }
    }
}

/// A host's state and what determined it.
package struct HostStatus: Codable, Hashable, Sendable {
    package var state: ApplicationState
    package var source: String

    package init(state: ApplicationState, source: String) {
        self.state = state
        self.source = source
    }
}

/// Describes the host.
package struct GetHostStatus: ControlCall {
    package typealias Reply = HostStatus
    package static let method = "host.status"

    package init() {}
}

/// Overrides the host's state, whatever its clients report.
package struct SetHost: ControlCall {
    package typealias Reply = HostStatus
    package static let method = "host.set"
    package var state: ApplicationState

    package init(_ state: ApplicationState) { self.state = state }
}

/// Removes the override of the host's state: its clients decide again.
package struct FollowClients: ControlCall {
    package typealias Reply = HostStatus
    package static let method = "host.auto"

    package init() {}
}
