import Glibc

/// The machine's network interfaces.
enum NetworkInterfaces {
    /// True if any interface but the loopback is up and has an address.
    static var areUp: Bool {
        var first: UnsafeMutablePointer<ifaddrs>?
        // Unknown: a request will show it.
        guard unsafe getifaddrs(&first) == 0 else { return true }
        defer { unsafe freeifaddrs(first) }
        var next = unsafe first
        while let interface = unsafe next {
            unsafe next = interface.pointee.ifa_next
            let flags = unsafe Int32(bitPattern: interface.pointee.ifa_flags)
            let isUp = flags & Int32(IFF_UP) != 0 && flags & Int32(IFF_RUNNING) != 0
            guard isUp, flags & Int32(IFF_LOOPBACK) == 0,
                let address = unsafe interface.pointee.ifa_addr
            else { continue }
            if unsafe isRoutable(address) { return true }
        }
        return false
    }

    /// True if it is an address other than those that interfaces give themselves.
    private static func isRoutable(_ address: UnsafeMutablePointer<sockaddr>) -> Bool {
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET:
            unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                unsafe UInt32(bigEndian: $0.pointee.sin_addr.s_addr) >> 16 != 0xA9FE
            }
        case AF_INET6:
            unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                unsafe withUnsafeBytes(of: &address.pointee.sin6_addr) { bytes in
                    unsafe !(bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80)
                }
            }
        default: false
        }
    }
}
