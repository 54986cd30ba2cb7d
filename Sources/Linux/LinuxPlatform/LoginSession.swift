import Glibc
import UndersongBackground
import UndersongBase

/// The owner of the login session to follow; the first of these that has one counts.
package struct LoginIdentity: Hashable, Sendable {
    /// The session's identifier, as in `XDG_SESSION_ID`.
    package var session: String?
    /// A process in the session.
    package var process: Int32?
    /// A user: the session is the display's, that is, the user's first one with a screen.
    package var user: UInt32

    /// Creates an identity; by default the session of this process, or else of its user.
    package init(session: String? = nil, process: Int32? = getpid(), user: UInt32 = getuid()) {
        self.session = session
        self.process = process
        self.user = user
    }
}

/// A connection to systemd's login manager, which reports about one login session and the machine's
/// sleep. It is owned by one thread, which waits in it.
struct LoginSession: ~Copyable {
    private static let service = "org.freedesktop.login1"
    private static let managerPath = "/org/freedesktop/login1"
    private static let managerInterface = "org.freedesktop.login1.Manager"
    private static let userInterface = "org.freedesktop.login1.User"
    private static let sessionInterface = "org.freedesktop.login1.Session"
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let bus = "org.freedesktop.DBus"

    private let connection: BusConnection
    private let identity: LoginIdentity
    private var sessionPath: String?
    private var userPath: String?

    /// The state known so far.
    private(set) var state = LoginState.unknown
    /// The login manager's connection; nil if there is none.
    private var manager: String?

    /// Connects; nil if there is no such bus. Nothing is requested before `begin`.
    init?(_ identity: LoginIdentity, address: String?) {
        guard let connection = BusConnection(address.map { .at($0) } ?? .system) else { return nil }
        self.connection = connection
        self.identity = identity
    }

    /// True if the login manager is running.
    var hasManager: Bool { manager != nil }

    /// The socket to the bus; `shutdown` on it ends every wait.
    var descriptor: Int32 { connection.descriptor }

    /// Requests the signals and the current state. Returns false if the bus does not accept this
    /// process.
    mutating func begin() -> Bool {
        let isHeard = connection.match(
            "type='signal',sender='\(Self.bus)',member='NameOwnerChanged',arg0='\(Self.service)'")
        guard isHeard else { return false }
        connection.match(Self.rule(Self.managerInterface, "PrepareForSleep"))
        connection.match(Self.rule(Self.managerInterface, "UserNew"))
        readAll()
        return true
    }

    /// Waits for the next signal and handles it, or for `wakeup`. Returns false if the bus is lost.
    mutating func follow(or wakeup: Wakeup) -> Bool {
        switch connection.next(or: wakeup) {
        case .message(let signal): handle(signal)
        case .wakeup: break
        case .nothing: break
        case .loss: return false
        }
        return true
    }

    /// Handles a signal. Anybody may send one that looks like the login manager's.
    private mutating func handle(_ signal: borrowing BusMessage) {
        if signal.sender == Self.bus {
            if signal.isSignal(Self.bus, "NameOwnerChanged") { readAll() }
        } else if signal.sender == manager {
            handleManagerSignal(signal)
        }
    }

    private mutating func handleManagerSignal(_ signal: borrowing BusMessage) {
        if signal.isSignal(Self.managerInterface, "PrepareForSleep") {
            state.isSleeping = signal.boolean() ?? false
        } else if signal.isSignal(Self.managerInterface, "UserNew") {
            if userPath == nil { findSession() }
        } else if signal.isSignal(Self.managerInterface, "SessionRemoved")
            || signal.path == userPath
        {
            findSession()
        } else if signal.path == sessionPath {
            handleSessionSignal(signal)
        }
    }

    /// The strengths of an inhibitor.
    enum InhibitorMode: String {
        /// Delays it by a few seconds at most.
        case delay
        /// Prevents it, unless an administrator insists.
        case block
    }

    /// Inhibits `what` while the returned descriptor is open: `sleep`, `idle`, or both with a colon
    /// between them. Nil if that is impossible or refused.
    func inhibit(_ what: String, why: String, _ mode: InhibitorMode) -> Int32? {
        let reply = connection.call(
            "Inhibit", of: Self.target(Self.managerPath, Self.managerInterface), .string(what),
            .string("Undersong"), .string(why), .string(mode.rawValue))
        return reply?.duplicateDescriptor()
    }

    /// Reads everything: the login manager appeared, disappeared or was replaced, or this is the
    /// first time.
    private mutating func readAll() {
        manager = connection.owner(of: Self.service)
        let reply = get("PreparingForSleep", of: Self.managerPath, Self.managerInterface)
        state.isSleeping = reply?.variant("b") { $0.boolean() } ?? false
        findSession()
    }

    private mutating func findSession() {
        let path = path(by: identity)
        if path != sessionPath {
            if let sessionPath { listen(to: sessionPath, false) }
            if let path { listen(to: path, true) }
            sessionPath = path
        }
        state.session = path.flatMap { readSession($0) }
    }

    private mutating func path(by identity: LoginIdentity) -> String? {
        let manager = Self.target(Self.managerPath, Self.managerInterface)
        // The user first: a display session may appear later than this.
        let display = displayPath()
        if let session = identity.session,
            let reply = connection.call("GetSession", of: manager, .string(session)),
            let path = reply.objectPath()
        {
            return path
        }
        if let process = identity.process,
            let reply = connection.call(
                "GetSessionByPID", of: manager, .uint32(UInt32(bitPattern: process))),
            let path = reply.objectPath()
        {
            return path
        }
        return display
    }

    private mutating func displayPath() -> String? {
        let manager = Self.target(Self.managerPath, Self.managerInterface)
        let path = connection.call("GetUser", of: manager, .uint32(identity.user))?.objectPath()
        if path != userPath {
            if let userPath {
                connection.match(Self.changes(Self.userInterface, of: userPath), false)
            }
            if let path { connection.match(Self.changes(Self.userInterface, of: path)) }
            userPath = path
        }
        guard let path, let reply = get("Display", of: path, Self.userInterface) else { return nil }
        let display = reply.variant("(so)") { variant in
            variant.structure("so") { $0.string() == nil ? nil : $0.objectPath() }
        }
        return display == "/" ? nil : display
    }

    private func readSession(_ path: String) -> LoginState.Session? {
        let target = Self.target(path, Self.properties)
        guard let reply = connection.call("GetAll", of: target, .string(Self.sessionInterface))
        else {
            return nil
        }
        let values = reply.booleans()
        guard let isActive = values["Active"] else { return nil }
        return LoginState.Session(
            isActive: isActive, isLocked: values["LockedHint"] ?? false, isIdle: values["IdleHint"])
    }

    /// Handles a signal of the session. If a screen locker does not report whether it has locked,
    /// the request to lock is all that is known.
    private mutating func handleSessionSignal(_ signal: borrowing BusMessage) {
        if signal.isSignal(Self.sessionInterface, "Lock") {
            state.session?.isLocked = true
        } else if signal.isSignal(Self.sessionInterface, "Unlock") {
            state.session?.isLocked = false
        } else if signal.isSignal(Self.properties, "PropertiesChanged"), signal.string() != nil {
            let values = signal.booleans()
            if let isActive = values["Active"] { state.session?.isActive = isActive }
            if let isLocked = values["LockedHint"] { state.session?.isLocked = isLocked }
            if let isIdle = values["IdleHint"] { state.session?.isIdle = isIdle }
        }
    }

    private func listen(to path: String, _ isWanted: Bool) {
        connection.match(Self.changes(Self.sessionInterface, of: path), isWanted)
        connection.match(Self.rule(Self.sessionInterface, "Lock") + ",path='\(path)'", isWanted)
        connection.match(Self.rule(Self.sessionInterface, "Unlock") + ",path='\(path)'", isWanted)
        connection.match(
            Self.rule(Self.managerInterface, "SessionRemoved") + ",arg1path='\(path)'", isWanted)
    }

    private func get(_ property: String, of path: String, _ interface: String) -> BusMessage? {
        connection.call(
            "Get", of: Self.target(path, Self.properties), .string(interface), .string(property))
    }

    private static func target(_ path: String, _ interface: String) -> BusConnection.Target {
        BusConnection.Target(service: service, path: path, interface: interface)
    }

    private static func rule(_ interface: String, _ member: String) -> String {
        "type='signal',sender='\(service)',interface='\(interface)',member='\(member)'"
    }

    private static func changes(_ interface: String, of path: String) -> String {
        rule(properties, "PropertiesChanged") + ",path='\(path)',arg0='\(interface)'"
    }
}
