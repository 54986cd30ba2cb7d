import CUndersongLinux
import Foundation
import TestSupport

@testable import UndersongControl

/// A client that sends arbitrary data.
final class RawClient {
    let descriptor: Int32
    private var received: [UInt8] = []

    init(_ path: String) throws {
        guard case .success(let descriptor) = try UnixSocket.connect(to: path) else {
            throw Unexpected()
        }
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Sends the greeting and reads the reply.
    func greet() -> String? {
        send(#"{"jsonrpc":"2.0","id":0,"method":"hello","params":{"protocol":1,"client":"raw"}}"#)
        return line()
    }

    /// Sends a line.
    func send(_ line: String) { send(bytes: Array((line + "\n").utf8)) }

    /// Sends bytes, waiting for room; what the service no longer takes is lost.
    func send(bytes: [UInt8]) {
        sendAll(bytes, to: descriptor)
    }

    /// Sends bytes with descriptors.
    func send(_ text: String, descriptors: [Int32]) {
        Array(text.utf8).withUnsafeBytes {
            _ = clinux_send(
                descriptor, $0.baseAddress, $0.count, descriptors, Int32(descriptors.count))
        }
    }

    /// Sends a line repeatedly until the service takes no more for a while. Returns the number of
    /// complete lines, after finishing a partly sent one by reading meanwhile.
    func flood(_ line: String) -> Int {
        let bytes = Array((line + "\n").utf8)
        var sent = 0
        while true {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count == bytes.count {
                sent += 1
            } else if count < 0, errno == EAGAIN {
                var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                if poll(&polled, 1, 300) == 0 { return sent }
            } else {
                return -1
            }
        }
    }

    /// The next line; nil at the end, or if none arrives for a long time.
    func line() -> String? {
        while true {
            if let end = received.firstIndex(of: 0x0a) {
                defer { received.removeFirst(end + 1) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            var buffer = [UInt8](repeating: 0, count: 65536)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            received += buffer.prefix(count)
        }
    }

    /// True if the service has closed the connection, with nothing more to read.
    var isClosed: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, 0)
        return received.isEmpty && (count == 0 || count < 0 && errno == ECONNRESET)
    }
}

/// A pipe whose contents a test reads.
final class TestPipe {
    let writer: Int32
    private let reader: Int32
    private var isClosed = false

    init() {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        (reader, writer) = (ends[0], ends[1])
    }

    deinit {
        closeWriter()
        close(reader)
    }

    /// Closes the test's own writing end, once.
    func closeWriter() {
        if !isClosed { close(writer) }
        isClosed = true
    }

    /// Everything written until the last writer closes the pipe, including the test's own. Nil if a
    /// writer keeps it open.
    func contents() -> String? {
        closeWriter()
        var bytes: [UInt8] = []
        while true {
            var polled = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, 20_000) > 0 else { return nil }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(reader, &buffer, buffer.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer.prefix(count)
        }
    }
}
