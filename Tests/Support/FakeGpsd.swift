import Glibc
internal import Synchronization
internal import UndersongBase

/// A gpsd by a test's hand, on a port of its own, which can be closed and opened again.
package final class FakeGpsd: Sendable {
    private struct State {
        var listener: Int32 = -1
        var connections: [Int32] = []
    }

    /// Threads that read may outlive this object.
    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    package let port: UInt16
    /// A value for each connection, request and end of a connection.
    package let news = Inbox<String>()
    private let shared = Shared()

    package init() throws {
        let (listener, port) = try listenOnLoopback()
        self.port = port
        shared.state.withLock { $0.listener = listener }
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
                read(connection)
            }
        }
    }

    /// Notes a connection, and greets it; false if the listener was closed meanwhile.
    private func begin(_ connection: Int32, of listener: Int32) -> Bool {
        shared.state.withLock { state in
            guard state.listener == listener else { return false }
            state.connections.append(connection)
            Self.send("{\"class\":\"VERSION\",\"proto_major\":3}\r\n", to: connection)
            return true
        }
    }

    private func read(_ connection: Int32) {
        startThread(named: "gpsd reader") { [news, shared] in
            var bytes = [UInt8](repeating: 0, count: 1000)
            while case let count = recv(connection, &bytes, bytes.count, 0), count > 0 {
                news.put(String(decoding: bytes.prefix(count), as: UTF8.self))
            }
            // From here on its number may be another file's.
            shared.state.withLock { state in
                state.connections.removeAll { $0 == connection }
                Glibc.close(connection)
            }
            news.put("end")
        }
    }

    private static func send(_ text: String, to connection: Int32) {
        _ = Glibc.send(connection, text, text.utf8.count, Int32(MSG_NOSIGNAL))
    }

    /// Sends it to everybody who is connected.
    package func send(_ text: String) {
        shared.state.withLock { state in
            for connection in state.connections { Self.send(text, to: connection) }
        }
    }

    /// Ends, as if it was killed.
    package func close() {
        shared.state.withLock { state in
            if state.listener >= 0 { shutdown(state.listener, Int32(SHUT_RDWR)) }
            state.listener = -1
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    /// Listens again, after `close`.
    package func open() throws {
        let (listener, _) = try listenOnLoopback(port)
        shared.state.withLock { $0.listener = listener }
        serve(listener)
    }
}
