import Foundation
import Glibc

/// Lets clients other than this user, if they have the cookie, play on a test's sound server.
struct NetworkServer {
    let address: String
    /// The path of the cookie, and of a wrong one.
    let cookie: String
    let wrongCookie: String

    /// Makes `server` accept connections over this machine's network.
    init(_ server: SoundServer) throws {
        (cookie, wrongCookie) = (server.folder.path + "/cookie", server.folder.path + "/wrong")
        for path in [cookie, wrongCookie] {
            let bytes = (0..<256).map { _ in UInt8.random(in: .min ... .max) }
            try Data(bytes).write(to: URL(filePath: path))
        }
        let port = try Self.freePort()
        address = "tcp:127.0.0.1:\(port)"
        let arguments = [
            "load-module", "module-native-protocol-tcp", "listen=127.0.0.1", "port=\(port)",
            "auth-anonymous=0", "auth-cookie=\(cookie)",
        ]
        let program = try Program("/usr/bin/pactl", arguments, environment: server.environment)
        guard try program.wait() == 0 else {
            throw HelperFailure(command: "pactl", text: program.errorText)
        }
    }

    /// A port of this machine on which nothing is listening.
    static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
            }
        }
        guard status == 0 else { throw HelperFailure(command: "bind", text: "no free port") }
        return UInt16(bigEndian: address.sin_port)
    }
}
