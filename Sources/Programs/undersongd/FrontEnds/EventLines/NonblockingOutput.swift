import Glibc

/// Writes to a descriptor without ever waiting for its reader.
///
/// A flag on the descriptor itself would affect every program that shares it, and `poll` guarantees
/// nothing if two programs write to one pipe. So a pipe or terminal is opened a second time,
/// non-blocking for this program only; for a socket, each call is made non-blocking.
struct NonblockingOutput: ~Copyable, Sendable {
    /// The result of a write.
    enum Outcome: Equatable {
        /// The number of bytes written; the others would have had to wait.
        case written(Int)
        /// Nothing was written, for the reason given by this `errno`.
        case failed(Int32)
    }

    private enum Way {
        /// Never waits for a reader; a file may wait for its disk.
        case write(Int32)
        /// A socket.
        case send(Int32)
        /// No way to write.
        case none
    }

    private let way: Way
    /// The descriptor opened for this purpose, -1 for none.
    private let own: Int32

    /// Finds a way to write to `descriptor`, which has to stay open. If there is none, every
    /// `write` returns at once with nothing written.
    init(_ descriptor: Int32) {
        switch Self.kind(of: descriptor) {
        case S_IFREG:
            (way, own) = (.write(descriptor), -1)
        case S_IFSOCK:
            (way, own) = (.send(descriptor), -1)
        case S_IFIFO, S_IFCHR:
            own = unsafe open(
                "/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            way = own < 0 ? .none : .write(own)
        default:
            (way, own) = (.none, -1)
        }
    }

    deinit { if own >= 0 { close(own) } }

    /// Writes as many of `bytes` as possible without waiting. Never raises SIGPIPE on a socket.
    func write(_ bytes: [UInt8]) -> Outcome {
        let count = unsafe bytes.withUnsafeBytes { bytes in
            switch way {
            case .write(let descriptor):
                unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            case .send(let descriptor):
                unsafe send(
                    descriptor, bytes.baseAddress, bytes.count,
                    Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
            case .none: 0
            }
        }
        if count >= 0 { return .written(count) }
        return [EAGAIN, EINTR].contains(errno) ? .written(0) : .failed(errno)
    }

    /// The kind of file open for writing as `descriptor`, 0 for none.
    private static func kind(of descriptor: Int32) -> mode_t {
        var status = stat()
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, flags & O_ACCMODE != O_RDONLY, unsafe fstat(descriptor, &status) == 0
        else { return 0 }
        return status.st_mode & S_IFMT
    }
}
