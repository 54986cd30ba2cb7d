/// The user's login session and the machine as they concern the host: in front or not, locked,
/// about to sleep (behaviour 4).
package struct LoginState: Hashable, Sendable {
    /// A login session: a desktop, or a login on a console.
    package struct Session: Hashable, Sendable {
        /// True if this session has the screen, rather than another user's.
        package var isActive: Bool
        /// True if its screen is locked.
        package var isLocked: Bool
        /// True if it was not used for a while; nil if unknown.
        package var isIdle: Bool?

        package init(isActive: Bool, isLocked: Bool, isIdle: Bool? = nil) {
            self.isActive = isActive
            self.isLocked = isLocked
            self.isIdle = isIdle
        }
    }

    /// The session; nil if there is none or it is unknown.
    package var session: Session?
    /// True if the machine is about to sleep, or asleep.
    package var isSleeping: Bool

    /// Unknown: no login manager, or no session of this user.
    package static let unknown = LoginState(session: nil)

    package init(session: Session?, isSleeping: Bool = false) {
        self.session = session
        self.isSleeping = isSleeping
    }

    /// The limits of the host's state, in order of precedence.
    package enum Limit: String, Hashable, Sendable, CaseIterable {
        /// Another session has the screen: this host cannot be seen.
        case inactive
        /// The machine is about to sleep.
        case sleeping
        /// The screen is locked.
        case locked

        /// The most active state that the host can have under this limit.
        package var state: ApplicationState {
            switch self {
            case .inactive: .background
            case .sleeping, .locked: .inactive
            }
        }
    }

    /// The limit in force; nil if the clients alone decide.
    package var limit: Limit? {
        if session?.isActive == false { return .inactive }
        if isSleeping { return .sleeping }
        return session?.isLocked == true ? .locked : nil
    }

    /// True if sound is forbidden whatever the host's state and capabilities: samples written now
    /// would be heard after the machine wakes up, or never.
    package var requiresPause: Bool { isSleeping }

    /// `sleeping`, `inactive`, `locked` or `active`; nil if unknown.
    package var name: String? {
        if isSleeping { return Limit.sleeping.rawValue }
        guard session != nil else { return nil }
        return limit?.rawValue ?? "active"
    }
}
