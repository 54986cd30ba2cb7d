import CUndersongLinux
import Glibc

/// The socket of the process that has a folder of state: it is in that folder, so that every client
/// of the state finds it, from any runtime folder and when the socket there is gone.
public struct StateEntrance: Hashable, Sendable {
    /// The folder of the state.
    public var folder: String

    /// Creates an entrance.
    public init(folder: String) { self.folder = folder }

    /// The socket.
    public var path: String { folder + "/socket" }

    /// The file that the process has locked which has the state.
    var lockPath: String { folder + "/lock" }

    /// Listens there, in place of an earlier process. Call it only while the state is locked.
    public func listen() throws(ControlError) -> Int32 {
        unsafe unlink(path)
        return try UnixSocket.listen(at: path)
    }

    /// Removes the socket. Call it only while the state is locked.
    public func remove() { unsafe unlink(path) }

    /// True if a process answers there.
    public var answers: Bool { ControlSocket.answers(path) }

    /// True if a process has the state, which may be about to end.
    var isLocked: Bool {
        let file = unsafe open(lockPath, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }
}
