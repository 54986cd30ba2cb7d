import Glibc

/// A client of MPD's protocol, which waits for each reply.
package final class MPDTestClient {
    private let descriptor: Int32
    private var received: [UInt8] = []

    /// Connects to a Unix socket, and reads the greeting.
    ///
    /// - Throws: Nobody answers there.
    package convenience init(path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        try self.init(address, AF_UNIX)
    }

    /// Connects to a port of this machine, and reads the greeting.
    ///
    /// - Throws: Nobody answers there.
    package convenience init(port: UInt16) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        try self.init(address, AF_INET)
    }

    private init(_ address: some BitwiseCopyable, _ family: Int32) throws {
        descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        let isConnected = withUnsafeBytes(of: address) { bytes in
            connect(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(bytes.count)) == 0
        }
        guard isConnected else { throw Overdue("nobody answers") }
        greeting = try line()
    }

    deinit { close(descriptor) }

    /// The first line from the server.
    package private(set) var greeting = ""

    /// Sends text as it is.
    package func send(_ text: String) { send(Array(text.utf8)) }

    /// Sends bytes as they are. What a server that has closed does not take is lost.
    package func send(_ bytes: [UInt8]) {
        sendAll(bytes, to: descriptor)
    }

    /// Sends a command, or a whole list of them, and returns the lines of the reply, the last of
    /// which is `OK` or an error.
    @discardableResult
    package func call(_ command: String) throws -> [String] {
        send(command + "\n")
        return try reply()
    }

    /// The lines of the next reply.
    package func reply() throws -> [String] {
        var lines: [String] = []
        while true {
            let line = try line()
            lines.append(line)
            if line == "OK" || line.hasPrefix("ACK ") { return lines }
        }
    }

    /// True if the server has closed the connection, after what it may have sent.
    package func isClosed() throws -> Bool {
        while true {
            if try receive() == 0 { return true }
        }
    }

    private func line() throws -> String {
        while true {
            if let end = received.firstIndex(of: 0x0a) {
                defer { received.removeFirst(end + 1) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            guard try receive() > 0 else { throw Overdue("the server has closed the connection") }
        }
    }

    private func receive() throws -> Int {
        var interest = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&interest, 1, Int32(patience * 1000)) > 0 else {
            throw Overdue("the server does not answer")
        }
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count > 0 { received += bytes[..<count] }
        return max(count, 0)
    }
}

extension [String] {
    /// The value of the first line with this name; nil if there is none.
    package func value(_ name: String) -> String? {
        first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
    }

    /// The values of all lines with this name.
    package func values(_ name: String) -> [String] {
        filter { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
    }
}
