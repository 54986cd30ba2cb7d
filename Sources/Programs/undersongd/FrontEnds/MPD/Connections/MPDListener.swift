import Dispatch
import Glibc
import UndersongBase
import UndersongControl

/// A socket on which clients of MPD's protocol are expected.
final class MPDListener: Sendable {
    /// The reason why there is no socket.
    struct Problem: Error, CustomStringConvertible {
        var description: String
    }

    /// True for the Unix socket.
    let isLocal: Bool
    private let descriptor: Int32
    /// The path of the Unix socket, and the file that it is.
    private let file: (path: String, inode: UInt64)?

    /// Listens at `path`, where MPD's clients look first. Another server that answers there is left
    /// alone.
    init(path: String) throws(Problem) {
        let folder = path.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw Problem(description: "cannot create \(folder): \(SystemError.last.reason)")
        }
        guard !ControlSocket.answers(path) else {
            throw Problem(description: "cannot listen at \(path): Another server answers there")
        }
        unsafe unlink(path)
        do throws(ControlError) {
            descriptor = try UnixSocket.listen(at: path)
        } catch {
            throw Problem(description: error.message)
        }
        isLocal = true
        file = Self.inode(of: path).map { (path, $0) }
        Self.makeNonblocking(descriptor)
    }

    /// Listens at `address`, as `127.0.0.1:6600`.
    init(address: MPDAddress) throws(Problem) {
        isLocal = false
        file = nil
        descriptor = try address.listen()
        Self.makeNonblocking(descriptor)
    }

    private static func makeNonblocking(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    private static func inode(of path: String) -> UInt64? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    /// Calls `onClient` on `queue` whenever clients have come, until the source is cancelled, which
    /// closes the socket and removes its file.
    func source(
        on queue: DispatchQueue, _ onClient: @escaping @Sendable () -> Void
    ) -> any DispatchSourceRead {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler(handler: onClient)
        source.setCancelHandler { [self] in
            if let file, Self.inode(of: file.path) == file.inode { unsafe unlink(file.path) }
            Glibc.close(descriptor)
        }
        return source
    }

    /// The next client that waits to be accepted, and its process if that is known; nil for none.
    func accept() -> (descriptor: Int32, process: Int32?)? {
        guard let client = UnixSocket.accept(at: descriptor) else { return nil }
        if !isLocal {
            var isOn: Int32 = 1
            unsafe setsockopt(
                client.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn,
                socklen_t(MemoryLayout<Int32>.size))
        }
        return client
    }
}
