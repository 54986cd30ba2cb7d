/// The state of the host that a service serves: what its attached clients, its user and the login
/// session say of it, made into one word (behaviour 4).
///
/// An active client makes the host active, else an inactive one makes it inactive; without a client
/// it is in the background. What the user has said beats the clients and the login session.
package struct HostClients: Hashable, Sendable {
    /// What a client says of itself.
    package struct Client: Hashable, Sendable {
        /// Who it is: the service's own number of it.
        package let identifier: Int
        /// Where it is.
        package var state: ApplicationState
        /// Where that was seen: `terminal`, `option`, `none`.
        package var source: String

        package init(identifier: Int, state: ApplicationState, source: String) {
            self.identifier = identifier
            self.state = state
            self.source = source
        }
    }

    /// The attached clients, in the order in which they came.
    package private(set) var clients: [Client] = []
    /// What the user has said; nil: nothing, or `auto`.
    package private(set) var override: ApplicationState?
    /// What the login session says.
    package private(set) var login = LoginState.unknown

    /// Makes a host that nobody has said anything of.
    package init() {}

    /// The host's state.
    package var state: ApplicationState { decision.state }

    /// What decided it: a client's own source, `no client`, `undersong host`, or what the login
    /// session says.
    package var source: String { decision.source }

    /// Whether no sound may be made, in whatever state: the machine is about to sleep.
    package var requiresPause: Bool { login.requiresPause }

    /// A client has come, or says anew where it is. Returns whether the host's state, its source or
    /// `requiresPause` has changed, as the others do.
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

    /// A client has gone. One that never came is ignored.
    package mutating func detach(_ identifier: Int) -> Bool {
        update { $0.clients.removeAll { $0.identifier == identifier } }
    }

    /// The user says what the state is; nil: what the others say.
    package mutating func override(with state: ApplicationState?) -> Bool {
        update { $0.override = state }
    }

    /// The login session says something new.
    package mutating func follow(_ login: LoginState) -> Bool {
        update { $0.login = login }
    }

    private struct Decision: Hashable {
        var state: ApplicationState
        var source: String
    }

    private var decision: Decision {
        if let override { return Decision(state: override, source: "undersong host") }
        guard let limit = login.limit, limit.state.rawValue > clientDecision.state.rawValue else {
            return clientDecision
        }
        return Decision(state: limit.state, source: limit.source)
    }

    /// The earliest client of those that are the most active decides.
    private var clientDecision: Decision {
        guard let client = clients.min(by: { $0.state.rawValue < $1.state.rawValue }) else {
            return Decision(state: .background, source: "no client")
        }
        return Decision(state: client.state, source: client.source)
    }

    private mutating func update(_ change: (inout HostClients) -> Void) -> Bool {
        let (decision, requiresPause) = (decision, requiresPause)
        change(&self)
        return self.decision != decision || self.requiresPause != requiresPause
    }
}

extension LoginState.Limit {
    /// What it is called where it decides the host's state.
    fileprivate var source: String {
        switch self {
        case .inactive: "login session inactive"
        case .sleeping: "system sleep"
        case .locked: "login session locked"
        }
    }
}
