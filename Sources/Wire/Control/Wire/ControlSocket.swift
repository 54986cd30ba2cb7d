import CUndersongLinux
import Glibc
import UndersongBase

/// The sockets on which a session's service listens: one in the user's runtime folder, and one in
/// the folder of its state, if it has that.
public struct ControlSocket: Hashable, Sendable {
    /// The session's name.
    public var session: String
    /// The user's runtime folder.
    public var runtimeFolder: String
    /// The socket in the folder of the state; nil if the service has none, or it is not known.
    public var entrance: StateEntrance?

    /// Creates a description of the sockets; the service need not run.
    public init(session: String, runtimeFolder: String, entrance: StateEntrance? = nil) {
        self.session = session
        self.runtimeFolder = runtimeFolder
        self.entrance = entrance
    }

    /// The number of connections that may wait to be accepted; also the system's default maximum.
    static let backlog: Int32 = 4096

    /// The user's runtime folder: XDG_RUNTIME_DIR from the environment, or else the one created by
    /// systemd, or else one in `/tmp`, which is created when needed.
    public static func runtimeFolder(variable: String?) -> String {
        if let variable, variable.hasPrefix("/") { return variable }
        let usual = "/run/user/\(getuid())"
        return unsafe access(usual, W_OK) == 0 ? usual : "/tmp/undersong-\(getuid())"
    }

    /// The folder for the sockets of a user's services, given the user's runtime folder.
    public static func folder(runtimeFolder: String) -> String { runtimeFolder + "/undersong" }

    /// The socket in the runtime folder.
    public var path: String { Self.folder(runtimeFolder: runtimeFolder) + "/\(session).sock" }

    /// The file for the stderr of a service started by a client.
    public var logPath: String { Self.folder(runtimeFolder: runtimeFolder) + "/\(session).log" }

    /// The name under which the transfers of a session listen, which is not a session's.
    public static func transfers(of session: String) -> String { session + transferSuffix }

    private static let transferSuffix = ".transfer"

    /// True if a session may have this name: 1 to 64 ASCII letters, digits, `.`, `_` and `-`, not
    /// starting with `.` or `-`.
    public static func isValid(session: String) -> Bool {
        let allowed = session.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f: true
            default: false
            }
        }
        guard allowed, (1...64).contains(session.utf8.count) else { return false }
        return !session.hasPrefix(".") && !session.hasPrefix("-")
    }

    /// Listens for the session's clients: creates the folder (0700) and the socket (0600),
    /// replacing one left by a dead service. The descriptor is not inherited by programs started
    /// from this one.
    ///
    /// - Throws: `notPossible` if a service already answers there; another error if the name or path
    ///   is not valid for a socket, or if the folder is accessible to other users.
    public func listen() throws(ControlError) -> Int32 { try SessionLock(self).listen() }

    /// Listens again if this process's own socket is missing although its runtime folder is there.
    /// Nil if it is not missing, or not now: this does not wait for anyone.
    public func restore() -> Int32? {
        guard unsafe access(path, F_OK) != 0, unsafe access(runtimeFolder, W_OK) == 0,
            let lock = try? SessionLock(self, waits: false)
        else { return nil }
        return try? lock.listen()
    }

    /// Removes the socket of the session as it ends. Call it only while still listening there: then
    /// nobody else does.
    public func remove() { (try? SessionLock(self))?.remove() }

    /// The sessions with a service that listens in the runtime folder, or in the session's own
    /// folder of the state, sorted by name. Each of these services sees a connection that sends
    /// nothing.
    public static func sessions(runtimeFolder: String, stateFolder: String? = nil) -> [String] {
        let folder = folder(runtimeFolder: runtimeFolder)
        let listening = Folder.names(in: folder).filter { $0.hasSuffix(".sock") }
            .map { String($0.dropLast(5)) }
            .filter { !$0.hasSuffix(transferSuffix) && answers("\(folder)/\($0).sock") }
        let keeping = stateFolder.map { state in
            Folder.names(in: state).filter { StateEntrance(folder: "\(state)/\($0)").answers }
        }
        return Set(listening + (keeping ?? [])).filter { isValid(session: $0) }.sorted()
    }

    /// True if a process listens on the socket at `path`.
    package static func answers(_ path: String) -> Bool {
        guard let attempt = try? UnixSocket.connect(to: path) else { return false }
        switch attempt {
        case .success(let descriptor):
            close(descriptor)
            return true
        case .failure(let reason): return reason.code == EAGAIN
        }
    }
}
