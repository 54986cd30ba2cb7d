import Background
import Glibc
import Threads

/// Whose login session is meant; the first of these that has one counts.
package struct LoginIdentity: Hashable, Sendable {
    /// The session's identifier, as `XDG_SESSION_ID` carries it.
    package var session: String?
    /// A process in the session.
    package var process: Int32?
    /// A user: the session is that of the display, the first of the user's that has a screen.
    package var user: UInt32

    /// By default the session of this process, else of this process's user.
    package init(session: String? = nil, process: Int32? = getpid(), user: UInt32 = getuid()) {
        self.session = session
        self.process = process
        self.user = user
    }
}

/// What systemd's login manager says of one login session and of the machine's sleep, over one
/// connection. It is owned by one thread, which waits in it.
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

    /// What is known by now.
    private(set) var state = LoginState.unknown
    /// The login manager's connection; nil: there is none.
    private var manager: String?

    /// Connects; nil where there is no such bus. Nothing is asked before `begin`.
    init?(_ identity: LoginIdentity, address: String?) {
        guard let connection = BusConnection(address.map { .at($0) } ?? .system) else { return nil }
        self.connection = connection
        self.identity = identity
    }

    /// Whether the login manager is there.
    var hasManager: Bool { manager != nil }

    /// The socket to the bus; `shutdown` of it ends every wait.
    var descriptor: Int32 { connection.descriptor }

    /// Asks for the signals and for the state of now. False: the bus does not want us.
    mutating func begin() -> Bool {
        let isHeard = connection.match(
            "type='signal',sender='\(Self.bus)',member='NameOwnerChanged',arg0='\(Self.service)'")
        guard isHeard else { return false }
        connection.match(Self.rule(Self.managerInterface, "PrepareForSleep"))
        connection.match(Self.rule(Self.managerInterface, "UserNew"))
        readAll()
        return true
    }

    /// Waits for the next signal and takes it in, or for `wakeup`. False: the bus is lost.
    mutating func follow(or wakeup: Wakeup) -> Bool {
        switch connection.next(or: wakeup) {
        case .message(let signal): take(signal)
        case .wakeup: break
        case .nothing: break
        case .loss: return false
        }
        return true
    }

    /// Takes in a signal. What looks like one of the login manager anybody may send.
    private mutating func take(_ signal: borrowing BusMessage) {
        if signal.sender == Self.bus {
            if signal.isSignal(Self.bus, "NameOwnerChanged") { readAll() }
        } else if signal.sender == manager {
            takeOfManager(signal)
        }
    }

    private mutating func takeOfManager(_ signal: borrowing BusMessage) {
        if signal.isSignal(Self.managerInterface, "PrepareForSleep") {
            state.isSleeping = signal.boolean() ?? false
        } else if signal.isSignal(Self.managerInterface, "UserNew") {
            if userPath == nil { findSession() }
        } else if signal.isSignal(Self.managerInterface, "SessionRemoved")
            || signal.path == userPath
        {
            findSession()
        } else if signal.path == sessionPath {
            takeOfSession(signal)
        }
    }

    /// How much an inhibitor keeps from happening.
    enum InhibitorMode: String {
        /// It happens a few seconds later at most.
        case delay
        /// It does not happen, unless an administrator insists.
        case block
    }

    /// Keeps what `what` names from happening for as long as the descriptor that is returned is
    /// open: `sleep`, `idle`, or both with a colon between them. Nil where nobody can or will.
    func inhibit(_ what: String, why: String, _ mode: InhibitorMode) -> Int32? {
        let reply = connection.call(
            "Inhibit", of: Self.target(Self.managerPath, Self.managerInterface), .string(what),
            .string("Undersong"), .string(why), .string(mode.rawValue))
        return reply?.duplicateDescriptor()
    }

    /// The login manager has come, gone or was replaced, or this is the first look.
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
        // The user first: a session of the display may be there later than this.
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
        return LoginState.Session(isActive: isActive, isLocked: values["LockedHint"] ?? false)
    }

    /// Takes in a signal of the session. Where a screen locker tells nobody whether it has locked,
    /// that it was told to is all there is to know.
    private mutating func takeOfSession(_ signal: borrowing BusMessage) {
        if signal.isSignal(Self.sessionInterface, "Lock") {
            state.session?.isLocked = true
        } else if signal.isSignal(Self.sessionInterface, "Unlock") {
            state.session?.isLocked = false
        } else if signal.isSignal(Self.properties, "PropertiesChanged"), signal.string() != nil {
            let values = signal.booleans()
            if let isActive = values["Active"] { state.session?.isActive = isActive }
            if let isLocked = values["LockedHint"] { state.session?.isLocked = isLocked }
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
