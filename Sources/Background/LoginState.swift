/// What this user's login session, and the machine under it, say of the host: whether its turn is
/// now, whether it is locked, and whether the machine is about to sleep (behaviour 4).
package struct LoginState: Hashable, Sendable {
    /// A login session: a desktop, or a login on a console.
    package struct Session: Hashable, Sendable {
        /// Whether it is this session's turn at the screen, and not another user's.
        package var isActive: Bool
        /// Whether its screen is locked.
        package var isLocked: Bool

        package init(isActive: Bool, isLocked: Bool) {
            self.isActive = isActive
            self.isLocked = isLocked
        }
    }

    /// The session; nil where there is none, or nobody who knows.
    package var session: Session?
    /// Whether the machine is about to sleep, or asleep.
    package var isSleeping: Bool

    /// Nobody knows: no login manager, or no session of this user.
    package static let unknown = LoginState(session: nil)

    package init(session: Session?, isSleeping: Bool = false) {
        self.session = session
        self.isSleeping = isSleeping
    }

    /// What stands in the host's way, the weightiest first in the declaration.
    package enum Limit: String, Hashable, Sendable, CaseIterable {
        /// Another session has the screen: nobody can see this host.
        case inactive
        /// The machine is about to sleep.
        case sleeping
        /// The screen is locked.
        case locked

        /// The most that the host's state can be under it.
        package var state: ApplicationState {
            switch self {
            case .inactive: .background
            case .sleeping, .locked: .inactive
            }
        }
    }

    /// What stands in the host's way; nil: the host is what its clients say.
    package var limit: Limit? {
        if session?.isActive == false { return .inactive }
        if isSleeping { return .sleeping }
        return session?.isLocked == true ? .locked : nil
    }

    /// Whether no sound may be made, whatever the host's state and capabilities: what is written
    /// now would be heard after the machine wakes up, or never.
    package var requiresPause: Bool { isSleeping }

    /// `sleeping`, `inactive`, `locked` or `active`; nil where nobody knows.
    package var name: String? {
        if isSleeping { return Limit.sleeping.rawValue }
        guard session != nil else { return nil }
        return limit?.rawValue ?? "active"
    }
}
