internal import Foundation
import Glibc

/// Listens on `port` of this machine, or on a free one. The descriptor is the caller's to close.
package func listenOnLoopback(
    _ port: UInt16 = 0
) throws -> (descriptor: Int32, port: UInt16) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var isReused: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
            bind(listener, pointer, length) == 0 && listen(listener, 8) == 0
                && getsockname(listener, pointer, &length) == 0
        }
    }
    guard isListening else {
        close(listener)
        throw POSIXError(.EADDRINUSE)
    }
    return (listener, UInt16(bigEndian: address.sin_port))
}

/// Sends bytes over a connection, waiting for room. Returns false if the other end takes no more.
@discardableResult
package func sendAll(_ bytes: some Collection<UInt8>, to connection: Int32) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes {
            send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
    }
    return true
}
