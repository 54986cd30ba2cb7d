import Foundation
import Glibc
import TestSupport
import Testing
import UndersongBase

@testable import UndersongControl

/// The place where a service is found that has a state, whatever becomes of its runtime folder.
@Suite(.blockingThreads) struct `An entrance to a state` {
    private static let absent = ServiceStarter.Program(path: "/dev/null/none", arguments: [])

    @Test
    func `An entrance leads to the service from any runtime folder, and when its own is gone`()
        throws
    {
        let service = try EntranceService()
        defer { service.stop() }
        try FileManager.default.removeItem(atPath: service.runtime.path + "/undersong")
        let other = try TemporaryFolder()

        let answers = try [service.runtime.path, other.path].map { folder in
            let client = try ServiceStarter.connect(
                to: ControlSocket(
                    session: "default", runtimeFolder: folder, entrance: service.entrance),
                program: Self.absent, name: "test")
            return try client.call(Echo(folder)).text
        }

        #expect(answers == [service.runtime.path, other.path])
    }

    @Test func `An entrance has the service listen again where its socket is gone`() throws {
        let service = try EntranceService()
        defer { service.stop() }
        try FileManager.default.removeItem(atPath: service.runtime.path + "/undersong")

        let sessions = ControlSocket.sessions(
            runtimeFolder: service.runtime.path, stateFolder: service.state.path)
        let client = try ServiceStarter.connect(
            to: ControlSocket(
                session: "default", runtimeFolder: service.runtime.path, entrance: service.entrance),
            program: Self.absent, name: "test")
        _ = try client.call(Echo("x"))
        let direct = try ControlClient(
            socket: ControlSocket(session: "default", runtimeFolder: service.runtime.path).path,
            name: "test")

        #expect(sessions == ["default"])
        #expect(try direct.call(Echo("again")).text == "again")
    }

    @Test func `An entrance does not make a runtime folder that is gone itself`() throws {
        let service = try EntranceService()
        defer { service.stop() }
        try FileManager.default.removeItem(atPath: service.runtime.path)

        let client = try ServiceStarter.connect(
            to: ControlSocket(
                session: "default", runtimeFolder: service.runtime.path, entrance: service.entrance),
            name: "test")
        _ = try client.call(Echo("x"))

        #expect(access(service.runtime.path, F_OK) != 0)
    }

    @Test func `An entrance is tried again when a service ends that was connected to`() throws {
        let (folder, ends) = (try TemporaryFolder(), 3)
        let path = ControlSocket(session: "default", runtimeFolder: folder.path).path
        let listener = try ControlSocket(session: "default", runtimeFolder: folder.path).listen()
        let closed = Mailbox<String>()
        // As of a process that is being killed, whose connections are lost before they are answered.
        Thread.detachNewThread {
            for _ in 0..<ends { close(accept(listener, nil, nil)) }
            unlink(path)
            close(listener)
            closed.put("gone")
        }
        let losses = Mailbox<String>()

        let error = #expect(throws: ControlError.self) {
            try ServiceStarter.connect(
                to: ControlSocket(session: "default", runtimeFolder: folder.path, entrance: nil),
                program: Self.absent, name: "test", onClose: { losses.put($0.message) })
        }

        // The program would have been started.
        #expect(error?.message.hasPrefix("cannot start the service /dev/null/none") == true)
        #expect(closed.next() == "gone")
        #expect(losses.count == 0)
    }
}

/// A service with a state.
private final class EntranceService {
    let runtime: TemporaryFolder
    let state: TemporaryFolder
    let entrance: StateEntrance
    private let server: ControlServer
    private let handler = TestHandler()

    init() throws {
        runtime = try TemporaryFolder()
        state = try TemporaryFolder()
        entrance = StateEntrance(folder: state.path + "/default")
        try FileManager.default.createDirectory(
            atPath: entrance.folder, withIntermediateDirectories: false)
        let path = runtime.path
        server = ControlServer(
            listener: try ControlSocket(session: "default", runtimeFolder: path).listen(),
            entrance: ControlServer.Entrance(listener: try entrance.listen()) {
                ControlSocket(session: "default", runtimeFolder: path).restore()
            }, handler: handler, clock: SystemClock())
        server.start()
    }

    func stop() { server.stop(within: 0) }
}
