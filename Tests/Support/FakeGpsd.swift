import Glibc
internal import Synchronization
internal import Threads

/// A gpsd by a test's hand, on a port of its own, which can be closed and opened again.
package final class FakeGpsd: Sendable {
    private struct State {
        var listener: Int32 = -1
        var connections: [Int32] = []
    }

    package let port: UInt16
    /// A value for each connection, request and end of a connection.
    package let news = Inbox<String>()
    private let state = Mutex(State())

    package init() throws {
        let (listener, port) = try listenOnLoopback()
        self.port = port
        state.withLock { $0.listener = listener }
        serve(listener)
    }

    deinit { close() }

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

    /// Sends it to everybody who is connected.
    package func send(_ text: String) {
        for connection in state.withLock({ $0.connections }) { send(text, to: connection) }
    }

    /// Ends, as if it was killed.
    package func close() {
        let (listener, connections) = state.withLock { state in
            defer { (state.listener, state.connections) = (-1, []) }
            return (state.listener, state.connections)
        }
        if listener >= 0 { shutdown(listener, Int32(SHUT_RDWR)) }
        for connection in connections { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    /// Listens again, after `close`.
    package func open() throws {
        let (listener, _) = try listenOnLoopback(port)
        state.withLock { $0.listener = listener }
        serve(listener)
    }
}
