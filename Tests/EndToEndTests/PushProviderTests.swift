import Control
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct `Pushes of a topic of ntfy` {
        @Test func `reach a program through both services, also after both were killed`() throws {
            let topic = try Topic()
            let folder = try RuntimeFolder()
            let daemon = try Daemon(in: folder.path)
            let handler = PushHandler()
            try handler.connect(to: daemon)
            var call = PushCall(.provider)
            (call.provider, call.url) = ("ntfy", topic.url)

            let state = try daemon.client().call(call).state
            topic.publish("one")
            // The server sends it with the next connection.
            try endTransfers(in: folder)
            daemon.end(by: SIGKILL)
            handler.disconnect()
            topic.publish("two")
            try daemon.start()
            try handler.connect(to: daemon)
            try handler.wait(for: ["one", "two"])
            let counts = try daemon.client().call(PushCall(.status)).state?.counts
            call.provider = "local"
            _ = try daemon.client().call(call)

            #expect(state?.provider == "ntfy" && state?.url == topic.url)
            #expect(handler.numbers.mapValues(\.count) == ["one": 1, "two": 1])
            #expect(counts?.received == 2)
            try endTransfers(in: folder)
        }

        @Test func `are not listened for at a URL that is none`() throws {
            let folder = try RuntimeFolder()
            let daemon = try Daemon(in: folder.path)
            var call = PushCall(.provider)
            (call.provider, call.url) = ("ntfy", "file:///etc/passwd")

            #expect(
                throws: ControlError(
                    .invalidParams,
                    "cannot listen for pushes: Only URLs of HTTP and HTTPS can be")
            ) {
                try daemon.client().call(call)
            }
            try endTransfers(in: folder)
        }

        /// Kills the program that uses the network.
        private func endTransfers(in folder: RuntimeFolder) throws {
            let path = ControlSocket.path(
                session: ControlSocket.transfers(of: "default"), runtimeFolder: folder.path)
            let client = try ControlClient(socket: path, name: "test")
            kill(try client.call(Hello(client: "test")).process, SIGKILL)
        }
    }
}

/// A topic whose connections stay open after what was published before.
private final class Topic: Sendable {
    private let names = Mutex<[String]>([])
    private let server = Mutex<ScriptedHTTPServer?>(nil)

    init() throws {
        let new = try ScriptedHTTPServer { [weak self] request in
            var response = ScriptedHTTPServer.Response()
            response.announcesLength = false
            response.body = Array((self?.lines(for: request.path) ?? "").utf8) + [0x0a]
            response.stall = response.body.count - 1
            return response
        }
        server.withLock { $0 = new }
    }

    var url: String { server.withLock { $0?.url("/t") ?? "" } }

    func publish(_ name: String) { names.withLock { $0.append(name) } }

    private func lines(for path: String) -> String {
        let last = path.split(separator: "=").dropFirst().first.map(String.init)
        return names.withLock { names in
            let start = names.firstIndex { $0 == last }.map { $0 + 1 } ?? 0
            return "{\"event\":\"open\"}\n"
                + names[start...].map { name in
                    let payload =
                        "{\\\"aps\\\":{\\\"content-available\\\":1},"
                        + "\\\"Simulator Target Bundle\\\":\\\"\(name)\\\"}"
                    return "{\"id\":\"\(name)\",\"event\":\"message\",\"message\":\"\(payload)\"}\n"
                }.joined()
        }
    }
}
