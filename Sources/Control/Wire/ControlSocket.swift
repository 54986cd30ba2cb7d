import CLinux
import Glibc

/// Names and makes the sockets on which services listen.
public enum ControlSocket {
    /// How many connections may wait to be accepted; the system allows as many, by default.
    static let backlog: Int32 = 4096

    /// The user's folder for sockets and the like: what the environment's XDG_RUNTIME_DIR says,
    /// else the one that systemd makes, else one in `/tmp`, which is made when it is needed.
    public static func runtimeFolder(variable: String?) -> String {
        if let variable, variable.hasPrefix("/") { return variable }
        let usual = "/run/user/\(getuid())"
        return unsafe access(usual, W_OK) == 0 ? usual : "/tmp/undersong-\(getuid())"
    }

    /// Where the sockets of a user's services stand, given the user's folder for such things.
    public static func folder(runtimeFolder: String) -> String { runtimeFolder + "/undersong" }

    /// The socket of a session.
    public static func path(session: String, runtimeFolder: String) -> String {
        folder(runtimeFolder: runtimeFolder) + "/\(session).sock"
    }

    /// Where what the service says on stderr is kept, when a client has started it.
    public static func logPath(session: String, runtimeFolder: String) -> String {
        folder(runtimeFolder: runtimeFolder) + "/\(session).log"
    }

    /// Whether a session may be called so: 1 to 64 letters, digits, `.`, `_` and `-` of ASCII, the
    /// first of them no `.` or `-`.
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

    /// Listens for a session's clients: makes the folder (0700) and the socket (0600), in place of
    /// one that a dead service has left. The descriptor is closed in programs that this one starts.
    ///
    /// Throws where a service answers there already (`notPossible`), where the name or the path is
    /// none for a socket, or the folder is not this user's alone.
    public static func listen(
        session: String, runtimeFolder: String
    ) throws(ControlError) -> Int32 {
        let lock = try SessionLock(session: session, runtimeFolder: runtimeFolder)
        return try lock.listen()
    }

    /// Removes the socket of a session that ends. For a service that still listens there: nobody
    /// else does then.
    public static func remove(session: String, runtimeFolder: String) {
        guard let lock = try? SessionLock(session: session, runtimeFolder: runtimeFolder) else {
            return
        }
        lock.remove()
    }

    /// The sessions with a socket that somebody listens to, in order of their names. Costs each of
    /// these services a connection that says nothing.
    public static func sessions(runtimeFolder: String) -> [String] {
        let folder = folder(runtimeFolder: runtimeFolder)
        guard let directory = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
                unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasSuffix(".sock") else { continue }
            let session = String(name.dropLast(5))
            if isValid(session: session), answers("\(folder)/\(name)") { names.append(session) }
        }
        return names.sorted()
    }

    /// Whether somebody listens to the socket at `path`.
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
