import Glibc
import UndersongBase

/// A numeric address of the internet protocol with a port, as `127.0.0.1:6600` or `[::1]:6600`.
struct MPDAddress: Equatable, Sendable {
    private let bytes: [UInt8]
    private let text: String

    /// Parses an address; nil if it is none. Names of hosts are not looked up.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        self.text = text
        let host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            let number = String(host.dropFirst().dropLast())
            guard unsafe inet_pton(AF_INET6, number, &address.sin6_addr) == 1 else { return nil }
            bytes = unsafe withUnsafeBytes(of: address) { unsafe Array($0) }
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            guard unsafe inet_pton(AF_INET, String(host), &address.sin_addr) == 1 else {
                return nil
            }
            bytes = unsafe withUnsafeBytes(of: address) { unsafe Array($0) }
        }
    }

    /// Listens there.
    func listen() throws(MPDListener.Problem) -> Int32 {
        let isSix = bytes.count == MemoryLayout<sockaddr_in6>.size
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let listener = socket(isSix ? AF_INET6 : AF_INET, kind, 0)
        var isOn: Int32 = 1
        unsafe setsockopt(
            listener, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        let isBound = unsafe bytes.withUnsafeBytes { bytes in
            unsafe bind(
                listener, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(bytes.count)) == 0
        }
        guard listener >= 0, isBound, Glibc.listen(listener, 128) == 0 else {
            let reason = SystemError.last.reason
            if listener >= 0 { close(listener) }
            throw MPDListener.Problem(description: "cannot listen at \(text): \(reason)")
        }
        return listener
    }
}
