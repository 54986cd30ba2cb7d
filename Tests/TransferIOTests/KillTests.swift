import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongControl
import UndersongTransfers

/// The number of times that the process is killed.
private let kills =
    Int(ProcessInfo.processInfo.environment["UNDERSONG_TRANSFER_KILLS"] ?? "") ?? 20

@Suite struct `A transferring process that is killed` {
    private static let size = 12 << 20

    /// TR1: the server kills, when it has sent so many bytes.
    @Test func `A killed transfer leaves the file whole or not there, and receives little twice`()
        throws
    {
        let file = bytes(Self.size)
        let victim = Victim()
        let server = try ScriptedHTTPServer { request in
            var response = ScriptedHTTPServer.Response(file: file, to: request)
            if request.number <= kills {
                response.stall = min(response.body.count, Self.size / kills + request.number)
                victim.killSoon()
            }
            return response
        }
        let home = try Home()
        let path = home.files.appending(path: "file").path
        let call = AddTransfer(url: server.url("/file"), to: path)
        var client = try home.connect(victim)
        // It may be killed before it answers.
        _ = try? client?.call(call)
        for _ in 0..<kills {
            victim.awaitEnd()
            let found = FileManager.default.contents(atPath: path).map(Array.init)
            #expect(found == nil || found == file)
            client = try home.connect(victim)
            _ = try? client?.call(ListTransfers())
        }

        let last = try #require(client)
        try waitUntil { try last.call(ListTransfers()).transfers.allSatisfy(\.isOver) }

        #expect(FileManager.default.contents(atPath: path).map(Array.init) == file)
        let names = try FileManager.default.contentsOfDirectory(atPath: home.files.path)
        #expect(names == ["file"])
        #expect(server.bytesSent <= Self.size + kills * (4 << 20))
        victim.kill()
    }
}

/// The process that is killed.
private final class Victim: Sendable {
    private struct State {
        var child: Child?
        var isKilled = false
    }

    private let state = Mutex(State())

    /// True if the process that began last has been killed.
    var isKilled: Bool { state.withLock(\.isKilled) }

    /// Starts the process. It may be killed as soon as it runs.
    func begin(_ start: () throws -> Child) throws {
        try state.withLock { $0 = State(child: try start()) }
    }

    /// Kills it a random while later, up to a twentieth of a second.
    func killSoon() {
        let delay = Double.random(in: 0...0.05)
        DispatchQueue.global().asyncAfter(deadline: .now() + delay) { self.signal() }
    }

    func kill() {
        signal()
        awaitEnd()
    }

    func awaitEnd() { _ = try? state.withLock(\.child)?.wait() }

    private func signal() {
        state.withLock { state in
            state.isKilled = true
            state.child?.send(SIGKILL)
        }
    }
}

/// The folders of a user, in which the process runs.
private final class Home {
    private let url = URL(filePath: "/tmp/transfers-\(UUID().uuidString.prefix(8))")

    var files: URL { url.appending(path: "files") }

    init() throws {
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Starts the process, and connects to it, unless it is killed before that.
    func connect(_ victim: Victim) throws -> ControlClient? {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "undersong-transferd").path
        let variables = ["XDG_RUNTIME_DIR": url.path, "XDG_STATE_HOME": url.path + "/state"]
        try victim.begin { try Child(program, [], variables, [null, null, null]) }
        let socket = ControlSocket(
            session: ControlSocket.transfers(of: "default"), runtimeFolder: url.path
        ).path
        var client: ControlClient?
        try waitUntil {
            client = try? ControlClient(socket: socket, name: "test")
            return client != nil || victim.isKilled
        }
        return client
    }
}
