import CUndersongLinux
internal import Foundation
import Glibc
internal import Synchronization

/// A server of ntfy on the loopback device, which can be killed, stopped and started again with what
/// it has kept: `Mocks/mock-ntfy`, or, where the environment variable `NTFY` has its path,
/// the real one.
package final class NtfyServer: Sendable {
    /// The server.
    package enum Kind: Sendable, CustomStringConvertible {
        case mock
        case real(String)

        /// The servers for a test of what both do.
        package static let all: [Kind] =
            [.mock]
            + [ProcessInfo.processInfo.environment["NTFY"]].compactMap { $0.map { .real($0) } }

        package var description: String { if case .mock = self { "mock" } else { "ntfy" } }
    }

    private struct State {
        var child: Child?
        var port: UInt16 = 0
        var input: Int32 = -1
        var output: Int32 = -1
    }

    private let kind: Kind
    private let arguments: [String]
    private let folder: String
    private let state = Mutex(State())

    /// Starts a server; `arguments` are further ones of the program.
    package init(_ kind: Kind = .mock, _ arguments: [String] = []) throws {
        self.kind = kind
        self.arguments = arguments
        folder = "/tmp/undersong-ntfy-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        try start()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The URL of a topic. With `user`, its name and password, separated by a colon.
    package func url(_ topic: String = "t", user: String? = nil) -> String {
        "http://\(user.map { $0 + "@" } ?? "")127.0.0.1:\(state.withLock(\.port))/\(topic)"
    }

    // MARK: The process

    /// Starts it again after `stop`, on the same port.
    package func start() throws {
        let port = try state.withLock(\.port) == 0 ? Self.freePort() : state.withLock(\.port)
        var input: [Int32] = [-1, -1]
        var output: [Int32] = [-1, -1]
        guard pipe(&input) == 0, pipe(&output) == 0 else { throw POSIXError(.EMFILE) }
        for end in [input[1], output[0]] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (program, options) = command(port)
        let silence = FileHandle.nullDevice.fileDescriptor
        let child = try Child(
            program, options + arguments, [:], [input[0], output[1], silence])
        close(input[0])
        close(output[1])
        state.withLock {
            $0 = State(child: child, port: port, input: input[1], output: output[0])
        }
        if case .mock = kind { _ = try line() }
        try waitUntil { (try? request("GET", "/v1/health"))?.status == 200 }
    }

    private func command(_ port: UInt16) -> (String, [String]) {
        switch kind {
        case .mock:
            let path = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "Mocks/mock-ntfy").path
            return (path, ["--port", "\(port)", "--cache-file", folder + "/cache"])
        case .real(let path):
            return (
                path,
                [
                    "serve", "--listen-http", "127.0.0.1:\(port)", "--cache-file",
                    folder + "/cache",
                    "--base-url", "http://127.0.0.1:\(port)",
                    "--attachment-cache-dir", folder + "/files",
                    "--visitor-request-limit-burst", "100000",
                    "--visitor-message-daily-limit", "100000",
                ]
            )
        }
    }

    /// Kills it. Connections end.
    package func stop() {
        let old = state.withLock { state in
            defer { (state.child, state.input, state.output) = (nil, -1, -1) }
            return state
        }
        guard let child = old.child else { return }
        child.end()
        close(old.input)
        close(old.output)
    }

    /// Stops it without ending it, so that connections stay open and nothing answers; or lets it
    /// continue.
    package func freeze(_ isFrozen: Bool = true) {
        state.withLock(\.child)?.send(isFrozen ? SIGSTOP : SIGCONT)
    }

    /// Has the mock do something; see there.
    package func send(_ command: String) throws {
        let input = state.withLock(\.input)
        let bytes = Array((command + "\n").utf8)
        guard write(input, bytes, bytes.count) == bytes.count, try line() == "done" else {
            throw Overdue("the mock of ntfy does not do '\(command)'")
        }
    }

    /// The next line of the mock's output.
    private func line() throws -> String {
        let output = state.withLock(\.output)
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, Int32(patience * 1000)) != 0 else {
                throw Overdue("the mock of ntfy does not answer")
            }
            let count = read(output, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { throw Overdue("the mock of ntfy has ended") }
            if byte == 0x0a { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
    }

    // MARK: Requests

    /// Publishes a message, and returns its identifier.
    @discardableResult
    package func publish(
        _ body: some Sequence<UInt8>, to topic: String = "t", fields: [String: String] = [:]
    ) throws -> String {
        let answer = try request("POST", "/" + topic, Array(body), fields)
        guard answer.status == 200, let start = answer.body.firstRange(of: "\"id\":\"")?.upperBound
        else { throw Overdue("nothing could be published: \(answer.body)") }
        return String(answer.body[start...].prefix { $0 != "\"" })
    }

    /// Publishes a push that asks for a wake, with more members after `aps`.
    @discardableResult
    package func push(_ members: String = "", to topic: String = "t") throws -> String {
        let rest = members.isEmpty ? "" : "," + members
        return try publish("{\"aps\":{\"content-available\":1}\(rest)}".utf8, to: topic)
    }

    private func request(
        _ method: String, _ path: String, _ body: [UInt8] = [], _ fields: [String: String] = [:]
    ) throws -> (status: Int, body: String) {
        let port = state.withLock(\.port)
        let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(connection) }
        var limit = timeval(tv_sec: Int(patience), tv_usec: 0)
        setsockopt(
            connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = Self.address(port)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        head += "Content-Length: \(body.count)\r\n\r\n"
        let bytes = Array(head.utf8) + body
        guard Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw POSIXError(.EPIPE)
        }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            answer += buffer.prefix(count)
        }
        let text = String(decoding: answer, as: UTF8.self)
        let words = text.prefix { $0 != "\r\n" }.split(separator: " ")
        return (words.count > 1 ? Int(words[1]) ?? 0 : 0, text)
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }

    /// A port that nobody uses.
    private static func freePort() throws -> UInt16 {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(listener) }
        var address = address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 ? getsockname(listener, $0, &length) : -1
            }
        }
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return UInt16(bigEndian: address.sin_port)
    }
}
