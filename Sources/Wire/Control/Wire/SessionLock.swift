import CUndersongLinux
import Glibc
import UndersongBase

/// Keeps others from checking whether a session has a service, and from starting one, until it is
/// deinitialized. Waits for the holder of the lock, which is never held for long.
struct SessionLock: ~Copyable {
    private let descriptor: Int32
    private let path: String

    /// Creates the folder, if necessary, and takes the lock. Fails rather than wait for it unless
    /// it `waits`.
    init(_ socket: ControlSocket, waits: Bool = true) throws(ControlError) {
        let (session, runtimeFolder) = (socket.session, socket.runtimeFolder)
        guard ControlSocket.isValid(session: session) else {
            throw ControlError(
                .invalidParams,
                "cannot name a session \(session): A name has 1 to 64 letters, digits, ., _ and -")
        }
        let folder = ControlSocket.folder(runtimeFolder: runtimeFolder)
        try Self.makeFolder(folder, in: runtimeFolder)
        let lock = "\(folder)/\(session).lock"
        let file = unsafe open(lock, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            throw ControlError(.unavailable, "cannot open \(lock): \(SystemError.last.reason)")
        }
        var code: Int32
        repeat {
            code = flock(file, waits ? LOCK_EX : LOCK_EX | LOCK_NB) == 0 ? 0 : errno
        } while code == EINTR
        guard code == 0 else {
            close(file)
            throw ControlError(.unavailable, "cannot lock \(lock): \(SystemError(code).reason)")
        }
        descriptor = file
        path = socket.path
    }

    deinit { close(descriptor) }

    /// Binds and listens.
    func listen() throws(ControlError) -> Int32 {
        guard !ControlSocket.answers(path) else {
            throw ControlError(
                .notPossible, "cannot listen at \(path): A service answers there already")
        }
        unsafe unlink(path)
        return try UnixSocket.listen(at: path)
    }

    /// Removes a socket on which nobody listens.
    func remove() { unsafe unlink(path) }

    /// Creates a folder for this user only, which would be pointless inside another user's folder.
    private static func makeFolder(
        _ path: String, in parent: String
    ) throws(ControlError) {
        try makeFolder(parent, users: [geteuid(), 0])
        let status = try makeFolder(path, users: [geteuid()])
        if status.st_mode & 0o077 != 0, unsafe chmod(path, 0o700) != 0 {
            throw ControlError(
                .unavailable, "cannot restrict access to \(path): \(SystemError.last.reason)")
        }
    }

    /// Creates a folder if there is none; fails if it belongs to another user.
    @discardableResult
    private static func makeFolder(
        _ path: String, users: [UInt32]
    ) throws(ControlError) -> stat {
        if unsafe mkdir(path, 0o700) != 0 && errno != EEXIST {
            throw ControlError(.unavailable, "cannot create \(path): \(SystemError.last.reason)")
        }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            throw ControlError(.unavailable, "cannot check \(path): \(SystemError.last.reason)")
        }
        guard status.st_mode & S_IFMT == S_IFDIR, users.contains(status.st_uid) else {
            throw ControlError(.unavailable, "cannot use \(path): It is not a folder of this user")
        }
        return status
    }
}
