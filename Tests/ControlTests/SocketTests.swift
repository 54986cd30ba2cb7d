import Foundation
import Testing

@testable import UndersongControl

@Suite struct `A session's socket` {
    @Test func `A session's socket is accessible to its user only`() throws {
        let folder = try TemporaryFolder()
        let listener = try ControlSocket(session: "a.b-c_1", runtimeFolder: folder.path).listen()
        defer { close(listener) }

        let path = folder.path + "/undersong/a.b-c_1.sock"

        #expect(ControlSocket(session: "a.b-c_1", runtimeFolder: folder.path).path == path)
        #expect(mode(of: path) == S_IFSOCK | 0o600)
        #expect(mode(of: folder.path + "/undersong") == S_IFDIR | 0o700)
    }

    @Test func `A session's socket is closed to others if its folder was open to them`() throws {
        let folder = try TemporaryFolder()
        mkdir(folder.path + "/undersong", 0o777)
        chmod(folder.path + "/undersong", 0o777)

        close(try ControlSocket(session: "x", runtimeFolder: folder.path).listen())

        #expect(mode(of: folder.path + "/undersong") == S_IFDIR | 0o700)
    }

    @Test(.enabled(if: geteuid() == 0, "needs root to make another user's folder"))
    func `A session's socket is not created in another user's folder`() throws {
        let (own, parent) = (try TemporaryFolder(), try TemporaryFolder())
        mkdir(own.path + "/undersong", 0o700)
        chown(own.path + "/undersong", 12345, 12345)
        chown(parent.path, 12345, 12345)

        for folder in [own, parent] {
            let error = #expect(throws: ControlError.self) {
                try ControlSocket(session: "x", runtimeFolder: folder.path).listen()
            }
            #expect(error?.message.hasSuffix("It is not a folder of this user") == true)
        }
    }

    @Test func `A session's socket replaces one left by a dead service`() throws {
        let folder = try TemporaryFolder()
        close(try ControlSocket(session: "x", runtimeFolder: folder.path).listen())
        let path = ControlSocket(session: "x", runtimeFolder: folder.path).path
        #expect(mode(of: path) == S_IFSOCK | 0o600)

        let listener = try ControlSocket(session: "x", runtimeFolder: folder.path).listen()

        defer { close(listener) }
        #expect(ControlSocket.answers(path))
    }

    @Test func `A session's socket is not seized from a service that answers`() throws {
        let service = try TestService()
        defer { service.stop() }

        let error = #expect(throws: ControlError.self) {
            try ControlSocket(session: "default", runtimeFolder: service.folder.path).listen()
        }

        #expect(error?.code == .notPossible)
        #expect(try service.client().call(Echo("x")).text == "x")
    }

    @Test func `A session's socket must have a path that fits`() throws {
        let folder = try TemporaryFolder()
        let long = folder.path + "/" + String(repeating: "x", count: 100)
        mkdir(long, 0o700)

        let error = #expect(throws: ControlError.self) {
            try ControlSocket(session: "default", runtimeFolder: long).listen()
        }

        #expect(error?.message.hasSuffix(": File name too long") == true)
    }

    @Test(arguments: [
        "", "a/b", "..", ".hidden", "-x", "ä", "a b", String(repeating: "x", count: 65),
    ])
    func `A session's socket cannot have a name that is not a valid file name`(name: String) throws
    {
        let folder = try TemporaryFolder()

        let error = #expect(throws: ControlError.self) {
            try ControlSocket(session: name, runtimeFolder: folder.path).listen()
        }

        #expect(error?.code == .invalidParams)
    }

    @Test func `A session's socket is listed while a service listens on it`() throws {
        let service = try TestService()
        defer { service.stop() }
        let folder = service.folder.path
        let other = try ControlSocket(session: "other", runtimeFolder: folder).listen()
        defer { close(other) }
        close(try ControlSocket(session: "dead", runtimeFolder: folder).listen())

        #expect(ControlSocket.sessions(runtimeFolder: folder) == ["default", "other"])
        #expect(ControlSocket.sessions(runtimeFolder: folder + "/none") == [])
    }

    @Test func `A session's socket refuses other users`() throws {
        let service = try TestService(users: [12345])
        defer { service.stop() }
        let client = try service.client()

        let error = #expect(throws: ControlError.self) { try client.call(Echo("x")) }

        #expect(error?.code == .unavailable)
        #expect(service.handler.opened.count == 0)
    }

    @Test func `A session's socket identifies the process and the user of a client`() throws {
        let service = try TestService()
        defer { service.stop() }

        let (client, connection) = try service.pair()
        defer { client.close() }

        #expect(connection.process == getpid())
        #expect(connection.user == geteuid())
    }

    @Test func `A session's socket refuses connections above its limit until others have closed`()
        throws
    {
        let service = try TestService(limits: ControlServer.Limits(connections: 2))
        defer { service.stop() }
        let (first, _) = try service.pair()
        let (second, _) = try service.pair()

        #expect(throws: ControlError.self) { try service.client().call(Echo("x")) }
        first.close()
        _ = service.handler.closed.next()
        let (third, _) = try service.pair()

        #expect(try second.call(Echo("2")).text == "2")
        #expect(try third.call(Echo("3")).text == "3")
    }

    @Test func `A session's socket limits the total size of incomplete lines`() throws {
        let service = try TestService(limits: ControlServer.Limits(input: 1_000_000))
        defer { service.stop() }
        let (client, _) = try service.pair()
        let greedy = try RawClient(service.path)
        greedy.send(bytes: [UInt8](repeating: 0x20, count: 600_000))
        let greediest = try #require(service.handler.opened.next())

        let modest = try RawClient(service.path)
        modest.send(bytes: [UInt8](repeating: 0x20, count: 500_000))

        #expect(service.handler.closed.next() == greediest)
        modest.send("")
        #expect(modest.greet()?.contains("0.5") == true)
        #expect(try client.call(Echo("x")).text == "x")
    }

    private func mode(of path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode : 0
    }
}
