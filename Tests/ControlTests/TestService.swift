import Foundation
import Synchronization

@testable import Control

/// A folder of its own for sockets, removed at the end.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = "/tmp/control-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A service on a socket in a folder of its own.
final class TestService: Sendable {
    let folder: TemporaryFolder
    let server: ControlServer
    let handler = TestHandler()

    init(users: Set<UInt32>? = nil) throws {
        folder = try TemporaryFolder()
        let listener = try ControlSocket.listen(session: "default", runtimeFolder: folder.path)
        server = ControlServer(listener: listener, handler: handler, users: users)
        server.start()
    }

    var path: String { ControlSocket.path(session: "default", runtimeFolder: folder.path) }

    func client() throws -> ControlClient { try ControlClient(socket: path, name: "test") }

    func stop() { server.stop() }
}

final class TestHandler: ControlHandler {
    func opened(_ connection: ControlConnection) {}

    func handle(
        _ request: ControlRequest, from connection: ControlConnection,
        reply: @escaping @Sendable (Result<ControlReply, ControlError>) -> Void
    ) {
        switch request.method {
        case Hello.method:
            reply(
                .success(
                    ControlReply(
                        Hello.Reply(protocol: 1, version: "0", session: "default", process: 1))))
        case BeginTask.method:
            reply(.success(ControlReply(BeginTask.Reply(task: 7, timeRemaining: 1.5))))
        default:
            reply(.failure(ControlError(.methodNotFound, "cannot do \(request.method)")))
        }
    }

    func closed(_ connection: ControlConnection) {}
}
