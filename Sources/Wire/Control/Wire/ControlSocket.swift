import CUndersongLinux
import Glibc
import UndersongBase

/// Names and creates the sockets on which services listen.
public enum ControlSocket {
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

    /// The socket of a session.
    public static func path(session: String, runtimeFolder: String) -> String {
        folder(runtimeFolder: runtimeFolder) + "/\(session).sock"
    }

    /// The file for the stderr of a service started by a client.
    public static func logPath(session: String, runtimeFolder: String) -> String {
        folder(runtimeFolder: runtimeFolder) + "/\(session).log"
    }

    /// The name under which the transfers of a session listen, which is not a session's.
    public static func transfers(of session: String) -> String { session + transferSuffix }

    private static let transferSuffix = ".transfer"

    /// Whether a session may have this name: 1 to 64 ASCII letters, digits, `.`, `_` and `-`, not
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

    /// Listens for a session's clients: creates the folder (0700) and the socket (0600), replacing
    /// one left by a dead service. The descriptor is not inherited by programs started from this
    /// one.
    ///
    /// Throws if a service already answers there (`notPossible`), if the name or path is not valid
    /// for a socket, or if the folder is accessible to other users.
    public static func listen(
        session: String, runtimeFolder: String
    ) throws(ControlError) -> Int32 {
        let lock = try SessionLock(session: session, runtimeFolder: runtimeFolder)
        return try lock.listen()
    }

    /// Listens again if this process's own socket is missing although its runtime folder is there. Nil if
    /// it is not missing, or not now: this does not wait for anyone.
    public static func restore(session: String, runtimeFolder: String) -> Int32? {
        let path = path(session: session, runtimeFolder: runtimeFolder)
        guard unsafe access(path, F_OK) != 0, unsafe access(runtimeFolder, W_OK) == 0,
            let lock = try? SessionLock(
                session: session, runtimeFolder: runtimeFolder, waits: false)
        else { return nil }
        return try? lock.listen()
    }

    /// Removes the socket of a session that ends. Call it only while still listening there: then
    /// nobody else does.
    public static func remove(session: String, runtimeFolder: String) {
        guard let lock = try? SessionLock(session: session, runtimeFolder: runtimeFolder) else {
            return
        }
        lock.remove()
    }

    /// The sessions with a service that listens in the runtime folder, or in the session's own folder
    /// of the state, sorted by name. Each of these services sees a connection that sends nothing.
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

    /// Whether a process listens on the socket at `path`.
    static func answers(_ path: String) -> Bool {
        guard let attempt = try? UnixSocket.connect(to: path) else { return false }
        switch attempt {
        case .success(let descriptor):
            close(descriptor)
            return true
        case .failure(let reason): return reason.code == EAGAIN
        }
    }
}
