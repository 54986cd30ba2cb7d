import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import Threads
import Transfers

@testable import TransferIO

/// A gpsd by a test's hand, on a port of its own, which can be closed and opened again.
private final class FakeGpsd: Sendable {
    private struct State {
        var listener: Int32 = -1
        var connections: [Int32] = []
        var requests: [String] = []
    }

    let port: UInt16
    /// A value for each connection, request and end of a connection.
    let news = Inbox<String>()
    private let state = Mutex(State())

    init() throws {
        let (listener, port) = try Self.listen(0)
        self.port = port
        state.withLock { $0.listener = listener }
        serve(listener)
    }

    deinit { close() }

    private static func listen(_ port: UInt16) throws -> (Int32, UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var isReused: Int32 = 1
        setsockopt(
            listener, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && Glibc.listen(listener, 8) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRINUSE) }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    private func serve(_ listener: Int32) {
        // Threads close what they read: its number could be another file's by their next call.
        startThread(named: "gpsd") { [weak self] in
            defer { Glibc.close(listener) }
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                guard let self, begin(connection, of: listener) else {
                    Glibc.close(connection)
                    break
                }
                send("{\"class\":\"VERSION\",\"proto_major\":3}\r\n", to: connection)
                read(connection)
            }
        }
    }

    /// Notes a connection; false if the listener was closed meanwhile.
    private func begin(_ connection: Int32, of listener: Int32) -> Bool {
        state.withLock { state in
            guard state.listener == listener else { return false }
            state.connections.append(connection)
            return true
        }
    }

    private func read(_ connection: Int32) {
        startThread(named: "gpsd reader") { [news] in
            defer { Glibc.close(connection) }
            var bytes = [UInt8](repeating: 0, count: 1000)
            while case let count = recv(connection, &bytes, bytes.count, 0), count > 0 {
                news.put(String(decoding: bytes.prefix(count), as: UTF8.self))
            }
            news.put("end")
        }
    }

    private func send(_ text: String, to connection: Int32) {
        _ = Glibc.send(connection, text, text.utf8.count, Int32(MSG_NOSIGNAL))
    }

    func send(_ text: String) {
        for connection in state.withLock({ $0.connections }) { send(text, to: connection) }
    }

    /// Ends, as if it was killed.
    func close() {
        let (listener, connections) = state.withLock { state in
            defer { (state.listener, state.connections) = (-1, []) }
            return (state.listener, state.connections)
        }
        if listener >= 0 { shutdown(listener, Int32(SHUT_RDWR)) }
        for connection in connections { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    func open() throws {
        let (listener, _) = try Self.listen(port)
        state.withLock { $0.listener = listener }
        serve(listener)
    }
}

@Suite(.blockingThreads, .timeLimit(.minutes(3))) struct `An engine that watches gpsd` {
    private let reports = Inbox<GpsdWatcher.Report>()

    private func engine() -> GPSEngine {
        GPSEngine(clock: SystemClock()) { [reports] in reports.put($1) }
    }

    private static func position(_ number: Int) -> String {
        "{\"class\":\"TPV\",\"mode\":3,\"time\":\"\(number)\",\"lat\":1.5,\"lon\":-2.5}\r\n"
    }

    private func nextTime() throws -> String? {
        while true { if case .fix(let fix) = try reports.next() { return fix.time } }
    }

    @Test func `asks for reports, and gives the positions`() throws {
        let gpsd = try FakeGpsd()
        let engine = engine()

        let id = engine.open(host: "localhost", port: gpsd.port)
        let request = try gpsd.news.next()
        gpsd.send(Self.position(1) + String(Self.position(2).prefix(20)))
        let first = try nextTime()
        gpsd.send(String(Self.position(2).dropFirst(20)))
        let second = try nextTime()
        engine.close(id)

        #expect(request == GpsdWatcher.request)
        #expect([first, second] == ["1", "2"])
        #expect(try gpsd.news.next() == "end")
    }

    @Test func `LO7 asks again after each of twenty ends`() throws {
        let gpsd = try FakeGpsd()
        let engine = engine()
        let id = engine.open(host: "127.0.0.1", port: gpsd.port)

        for round in 1...20 {
            #expect(try gpsd.news.next() == GpsdWatcher.request)
            gpsd.send(Self.position(round))
            #expect(try nextTime() == "\(round)")
            gpsd.close()
            #expect(try gpsd.news.next() == "end")
            try gpsd.open()
        }
        engine.close(id)
    }

    @Test func `reports why there is no gpsd`() throws {
        let gpsd = try FakeGpsd()
        gpsd.close()
        let engine = engine()

        let id = engine.open(host: "127.0.0.1", port: gpsd.port)
        let refused = try reports.next()
        let other = engine.open(host: "no.such.host.invalid", port: 2947)
        var unknown = try reports.next()
        while case .unavailable("Connection refused", _) = unknown { unknown = try reports.next() }
        engine.close(id)
        engine.close(other)

        #expect(refused == .unavailable("Connection refused", retry: 1))
        guard case .unavailable(let reason, 1) = unknown else {
            Issue.record("\(unknown)")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test func `LO15 closes the connection when nobody watches`() throws {
        let gpsd = try FakeGpsd()
        let engine = engine()
        let ids = (0..<3).map { _ in engine.open(host: "127.0.0.1", port: gpsd.port) }
        for _ in ids { #expect(try gpsd.news.next() == GpsdWatcher.request) }

        for id in ids { engine.close(id) }

        for _ in ids { #expect(try gpsd.news.next() == "end") }
    }
}
