import CUndersongLinux
import Glibc
import UndersongBase

/// System calls for a Unix stream socket. Only `connect` waits for the other side.
package enum UnixSocket {
    /// The result of sending or receiving.
    enum Outcome: Equatable {
        /// The number of bytes transferred; 0 received bytes mean that the peer sends no more.
        case moved(Int)
        /// Nothing was transferred; the descriptor will be reported when there is room or data.
        case wouldWait
        /// Nothing was transferred, and nothing ever will be.
        case failed(Int32)
    }

    /// Creates a socket that started programs do not inherit.
    static func make() throws(ControlError) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else {
            throw ControlError(.unavailable, "cannot create a socket: \(SystemError.last.reason)")
        }
        return descriptor
    }

    /// Listens at `path`, where nothing may be.
    package static func listen(at path: String) throws(ControlError) -> Int32 {
        let listener = try make()
        // The mode of the socket is 0777 less the umask, and its folder is closed to others anyway;
        // the umask belongs to the whole process and is not changed for this.
        var code = unsafe withAddress(of: path) { unsafe bind(listener, $0, $1) }
        if code == 0, unsafe chmod(path, 0o600) != 0 { code = errno }
        if code == 0, Glibc.listen(listener, ControlSocket.backlog) != 0 { code = errno }
        guard code == 0 else {
            close(listener)
            throw ControlError(
                .unavailable, "cannot listen at \(path): \(SystemError(code).reason)")
        }
        return listener
    }

    /// Accepts the next connection, if one waits, and does not let it block. Returns its process too if
    /// that is on this machine.
    package static func accept(at listener: Int32) -> (descriptor: Int32, process: Int32?)? {
        let flags = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = accept4(listener, nil, nil, flags)
        guard descriptor >= 0 else { return nil }
        var (process, user): (pid_t, uid_t) = (0, 0)
        let isKnown = unsafe clinux_peer(descriptor, &process, &user) == 0 && process > 0
        return (descriptor, isKnown ? process : nil)
    }

    /// The process that listens on the socket at `path`; nil if none does.
    package static func holder(of path: String) -> Int32? {
        guard case .success(let descriptor)? = try? connect(to: path) else { return nil }
        defer { close(descriptor) }
        var (process, user): (pid_t, uid_t) = (0, 0)
        return unsafe clinux_peer(descriptor, &process, &user) == 0 ? process : nil
    }

    /// Calls `body`, `bind` or `connect`, with the address of `path`. Returns 0 or an `errno`.
    static func withAddress(
        of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            return ENAMETOOLONG
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let status = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return status == 0 ? 0 : errno
    }

    /// Connects to the socket at `path`, or returns an `errno`. Waits at most five seconds, and
    /// only for a service that already has thousands of connections waiting.
    static func connect(to path: String) throws(ControlError) -> Result<Int32, Errno> {
        let descriptor = try make()
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let code = unsafe withAddress(of: path) { unsafe Glibc.connect(descriptor, $0, $1) }
        guard code != 0 else { return .success(descriptor) }
        close(descriptor)
        return .failure(Errno(code: code))
    }

    /// Sends as much as possible at once; the descriptors go with the first byte.
    static func send(
        _ bytes: UnsafeRawBufferPointer, descriptors: [Int32] = [], to socket: Int32
    ) -> Outcome {
        outcome(
            unsafe clinux_send(
                socket, bytes.baseAddress, bytes.count, descriptors, Int32(descriptors.count)))
    }

    /// Receives the available data and its descriptors, which then belong to the caller. If some
    /// descriptors were lost on the way, the others are closed, and the call fails.
    static func receive(
        into buffer: UnsafeMutableRawBufferPointer, from socket: Int32
    ) -> (outcome: Outcome, descriptors: [Int32]) {
        var descriptors = [Int32](repeating: -1, count: Int(CLINUX_MOST_RECEIVED))
        var number: Int32 = 0
        var isTruncated: Int32 = 0
        let count = unsafe clinux_receive(
            socket, buffer.baseAddress, buffer.count, &descriptors, &number, &isTruncated)
        guard count >= 0, number > 0 || isTruncated != 0 else { return (outcome(count), []) }
        let received = Array(descriptors.prefix(Int(number)))
        guard isTruncated != 0 else { return (.moved(count), received) }
        closeAll(received)
        return (.failed(EMFILE), [])
    }

    private static func outcome(_ count: Int) -> Outcome {
        if count >= 0 { return .moved(count) }
        return [EAGAIN, EINTR].contains(errno) ? .wouldWait : .failed(errno)
    }
}

/// The reason why a call failed.
struct Errno: Error, Equatable {
    let code: Int32
}
