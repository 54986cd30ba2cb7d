import Foundation

/// A Unix socket that accepts connections and never answers.
final class SilentSocket: Sendable {
    /// The D-Bus address of the socket.
    var address: String { "unix:path=" + path }

    private let path: String
    private let descriptor: Int32

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "undersong-\(UUID())").path
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard bindSocket(descriptor, to: path), listen(descriptor, 1) == 0 else {
            throw POSIXError(.EADDRNOTAVAIL)
        }
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// Waits until a client has connected.
    func waitForConnection() {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, -1)
    }
}

/// Binds a socket to a path; false if that fails.
func bindSocket(_ descriptor: Int32, to path: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
    }
}
