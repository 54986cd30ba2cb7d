internal import Foundation
internal import Synchronization
internal import UndersongBase
package import UndersongControl

/// A mock of `undersong-transferd` in a runtime folder of its own, which counts its connections. It
/// answers greetings by itself; tests answer the other requests.
package final class MockTransferd: ControlHandler {
    package typealias Reply = @Sendable (Result<ControlReply, ControlError>) -> Void
    package typealias Answer =
        @Sendable (ControlRequest, ControlConnection, @escaping Reply) -> Void

    private struct State {
        var server: ControlServer?
        var openedCount = 0
        var closedCount = 0
    }

    /// The runtime folder.
    package let folder: String
    private let answer: Answer
    private let state = Mutex(State())

    /// Starts it. `answer` is called on the connection's thread.
    package init(_ answer: @escaping Answer) throws {
        self.answer = answer
        folder = "/tmp/transferd-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        let listener = try ControlSocket(
            session: ControlSocket.transfers(of: "default"), runtimeFolder: folder
        ).listen()
        let server = ControlServer(listener: listener, handler: self, clock: SystemClock())
        state.withLock { $0.server = server }
        server.start()
    }

    package var openedCount: Int { state.withLock(\.openedCount) }
    package var openCount: Int { state.withLock { $0.openedCount - $0.closedCount } }

    package func opened(_ connection: ControlConnection) {
        state.withLock { $0.openedCount += 1 }
    }

    package func closed(_ connection: ControlConnection) {
        state.withLock { $0.closedCount += 1 }
    }

    package func handle(
        _ request: ControlRequest, from connection: ControlConnection, reply: @escaping Reply
    ) {
        defer { while let descriptor = request.descriptors.takeFirst() { close(descriptor) } }
        guard request.method == Hello.method else { return answer(request, connection, reply) }
        let hello = Hello.Reply(
            protocol: ControlProtocol.version, version: "0.1.0", session: "default",
            process: getpid())
        reply(.success(ControlReply(hello)))
    }

    /// Ends it, and all connections.
    package func end() {
        state.withLock { $0.server.take() }?.stop(within: 0)
        try? FileManager.default.removeItem(atPath: folder)
    }
}
