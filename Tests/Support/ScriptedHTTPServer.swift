import CUndersongLinux
internal import Foundation
import Glibc
internal import Synchronization
internal import UndersongBase

/// A server of HTTP/1.1 whose answers are closures, and which can also cut, stall and contradict
/// itself. Each connection has a thread, and serves one request.
package final class ScriptedHTTPServer: Sendable {
    /// A request.
    package struct Request: Sendable {
        package let method: String
        package let path: String
        /// By name in lower case.
        package let fields: [String: String]
        /// As long as announced; nothing else is read.
        package let body: [UInt8]
        /// Which of the server's requests it is, from 1.
        package let number: Int

        /// The first byte that is asked for by `Range: bytes=N-`.
        package var rangeStart: Int? {
            guard let range = fields["range"], range.hasPrefix("bytes="), range.hasSuffix("-")
            else { return nil }
            return Int(range.dropFirst(6).dropLast())
        }
    }

    /// The answer of the server.
    package struct Response: Sendable {
        package var status = 200
        /// The first line; nil for one of HTTP/1.1 with the status.
        package var statusLine: String?
        package var fields: [(String, String)] = []
        /// Another line of the header, whose bytes need not be text.
        package var rawField: [UInt8] = []
        package var body: [UInt8] = []
        /// True if the length is announced.
        package var announcesLength = true
        /// Sends so many bytes of the body only, and closes the connection.
        package var cut: Int?
        /// Sends so many bytes of the body only, and then nothing more until the client goes.
        package var stall: Int?
        /// Sends the body a byte at a time, with so many seconds between two.
        package var drip: Double?
        /// Sends so many bytes of the body at once and then this many a second.
        package var pace: (burst: Int, rate: Int)?
        /// Is called when so many bytes of the body are sent, before the rest is.
        package var pause: (after: Int, wait: @Sendable () -> Void)?
        /// Sends a line that is not of HTTP, and closes the connection.
        package var isNotHTTP = false
        /// Sends nothing at all, and closes the connection.
        package var isSilent = false

        package init() {}
    }

    package typealias Answer = @Sendable (Request) -> Response

    private struct State {
        var number = 0
        var requests: [Request] = []
        var bytesSent = 0
        var connections: Set<Int32> = []
        var isOpen = true
    }

    package let host: String
    package let port: UInt16
    private let listener: Int32
    private let state = Mutex(State())

    /// Serves on a free port of `host`, an address of the loopback device. With `sendBuffer`, the
    /// kernel keeps about so many bytes of what is sent and not received yet.
    package init(
        host: String = "127.0.0.1", sendBuffer: Int32? = nil, _ answer: @escaping Answer
    ) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        // Its connections inherit that.
        if var sendBuffer {
            setsockopt(
                listener, SOL_SOCKET, SO_SNDBUF, &sendBuffer, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr(host)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard bind(listener, pointer, length) == 0, listen(listener, 64) == 0,
                    getsockname(listener, pointer, &length) == 0
                else { return errno }
                return 0
            }
        }
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
        self.host = host
        port = UInt16(bigEndian: address.sin_port)
        self.listener = listener
        startThread(named: "http server") { [weak self] in
            // Not where it is stopped: the number could be another file's by the next `accept4`.
            defer { Glibc.close(listener) }
            while true {
                let connection = accept4(listener, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
                if connection < 0 && (errno == EINTR || errno == ECONNABORTED) { continue }
                guard connection >= 0 else { return }
                guard let self, self.open(connection) else {
                    Glibc.close(connection)
                    return
                }
                startThread(named: "http client") {
                    self.serve(connection, answer)
                    self.close(connection)
                }
            }
        }
    }

    deinit { stop() }

    /// The URL of a path.
    package func url(_ path: String) -> String { "http://\(host):\(port)\(path)" }

    /// The requests so far.
    package var requests: [Request] { state.withLock(\.requests) }

    /// The bytes of all bodies that were sent.
    package var bytesSent: Int { state.withLock(\.bytesSent) }

    /// Closes all connections, and accepts no more.
    package func stop() {
        state.withLock { state in
            guard state.isOpen else { return }
            state.isOpen = false
            shutdown(listener, Int32(SHUT_RDWR))
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    private func open(_ connection: Int32) -> Bool {
        state.withLock { state in
            if state.isOpen { state.connections.insert(connection) }
            return state.isOpen
        }
    }

    private func close(_ connection: Int32) {
        state.withLock { _ = $0.connections.remove(connection) }
        Glibc.close(connection)
    }

    private func serve(_ connection: Int32, _ answer: Answer) {
        guard let request = read(connection) else { return }
        let response = answer(request)
        guard !response.isSilent else { return }
        guard !response.isNotHTTP else {
            sendAll("hello\r\n\r\n".utf8, to: connection)
            return
        }
        let line = response.statusLine ?? "HTTP/1.1 \(response.status) Scripted"
        var head = line + "\r\nConnection: close\r\n"
        for (name, value) in response.fields { head += "\(name): \(value)\r\n" }
        if response.announcesLength { head += "Content-Length: \(response.body.count)\r\n" }
        let lines = response.rawField.isEmpty ? [] : response.rawField + Array("\r\n".utf8)
        guard sendAll(Array(head.utf8) + lines + Array("\r\n".utf8), to: connection) else {
            return
        }
        let end = min(response.cut ?? response.stall ?? response.body.count, response.body.count)
        let step = response.drip != nil ? 1 : response.pace == nil ? 16384 : 1600
        let begin = SystemClock().now
        for start in stride(from: 0, to: end, by: step) {
            let piece = response.body[start..<min(start + step, end)]
            if let drip = response.drip { usleep(UInt32(drip * 1e6)) }
            if let pace = response.pace, start > pace.burst {
                let due = Int64(Double(start - pace.burst) / Double(pace.rate) * 1e9)
                SystemClock().sleep(until: begin + due)
            }
            if let pause = response.pause, piece.indices.contains(pause.after) { pause.wait() }
            guard sendAll(piece, to: connection) else { return }
            state.withLock { $0.bytesSent += piece.count }
        }
        if response.stall != nil {
            var byte: UInt8 = 0
            while recv(connection, &byte, 1, 0) > 0 {}
        }
    }

    private func read(_ connection: Int32) -> Request? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        var end: Int?
        while end == nil {
            let count = recv(connection, &buffer, buffer.count, 0)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return nil }
            bytes += buffer.prefix(count)
            end = bytes.firstRange(of: [13, 10, 13, 10])?.lowerBound
        }
        var body = Array(bytes[((end ?? 0) + 4)...])
        let head = bytes[..<(end ?? 0)]
        let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count == 3 else { return nil }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...]
            fields[line[..<colon].lowercased()] = value.trimmingCharacters(in: .whitespaces)
        }
        while body.count < Int(fields["content-length"] ?? "") ?? 0 {
            let count = recv(connection, &buffer, buffer.count, 0)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return nil }
            body += buffer.prefix(count)
        }
        return state.withLock { state in
            state.number += 1
            let request = Request(
                method: String(words[0]), path: String(words[1]), fields: fields, body: body,
                number: state.number)
            state.requests.append(request)
            return request
        }
    }
}

extension ScriptedHTTPServer.Response {
    /// A file as an honest server gives it: with ranges, as long as `If-Range` allows.
    package init(
        file bytes: [UInt8], tag: String? = "\"1\"", modified: String? = nil,
        to request: ScriptedHTTPServer.Request
    ) {
        self.init()
        if let tag { fields.append(("ETag", tag)) }
        if let modified {
            fields.append(("Last-Modified", modified))
            fields.append(("Date", "Sun, 06 Nov 1994 08:49:37 GMT"))
        }
        fields.append(("Accept-Ranges", "bytes"))
        let condition = request.fields["if-range"]
        let isSame = condition == nil || condition == tag || condition == modified
        guard let start = request.rangeStart, isSame else {
            body = bytes
            return
        }
        guard start < bytes.count else {
            status = 416
            fields.append(("Content-Range", "bytes */\(bytes.count)"))
            return
        }
        status = 206
        fields.append(("Content-Range", "bytes \(start)-\(bytes.count - 1)/\(bytes.count)"))
        body = Array(bytes[start...])
    }
}
