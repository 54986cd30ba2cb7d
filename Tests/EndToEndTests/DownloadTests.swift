import Foundation
import Glibc
import TestSupport
import Testing
import UndersongControl
import UndersongPlayback
import UndersongTransfers

private typealias Server = ScriptedHTTPServer

extension EndToEnd {
    /// `undersong download` and the programs after it, as a user has them.
    @Suite struct `A user's download` {
        private static let songPath = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Resources/Demo/01 Slack Water.mp3").path
        private static let song =
            FileManager.default.contents(atPath: songPath).map(Array.init) ?? []

        /// TR2, TR14: nothing is left but what is on the disk, and then the login unit's command runs.
        @Test func `A download arrives although its terminal, all programs and sockets are gone`()
            throws
        {
            let large = Array(Array(repeating: Self.song, count: 16).joined())
            let server = try Server { request in
                let file = request.path == "/a.mp3" ? large : Self.song
                var response = Server.Response(file: file, to: request)
                // Two at a time come from one host.
                if request.number <= 2 { response.stall = min(5 << 20, file.count / 2) }
                return response
            }
            let names = ["a.mp3"] + (1...19).map { "\($0).mp3" }
            let desk = try DownloadDesk()
            var terminal: Terminal? = try Terminal(environment: desk.environment)
            let urls = names.map { server.url("/" + $0) }.joined(separator: " ")
            try terminal?.run(
                "\(Program.undersong) download \(urls) --to \(desk.files)/ --queue end",
                untilPrompt: false)
            try waitUntil { try desk.recordedOffset() > 0 && server.requests.count == 2 }
            #expect(try desk.run(["queue", "add", Self.songPath]).status == 0)

            terminal = nil
            try desk.kill("default")
            try desk.kill(ControlSocket.transfers(of: "default"))
            #expect(desk.names == [])
            try desk.wipeRuntimeFolder()
            try desk.startTransfers()

            #expect(try desk.run(["download", "wait"]).status == 0)
            #expect(desk.names == names.sorted())
            #expect(desk.contents("a.mp3") == large && desk.contents("19.mp3") == Self.song)
            let list = try desk.run(["download", "list"]).text
            #expect(list.components(separatedBy: "finished, in the queue").count == 21)
            let queue = try desk.run(["queue", "list", "--json"]).text
            #expect(names.allSatisfy { queue.contains("\(desk.files)/\($0)\"") })
            #expect(queue.contains("01 Slack Water.mp3"))
            let starts = server.requests.filter { $0.path == "/a.mp3" }.map { $0.rangeStart ?? 0 }
            #expect(starts.count == 2 && starts[0] == 0 && starts[1] > 0)
        }

        /// TR11, from mocks of NetworkManager, UPower and the power profiles.
        @Test func `A download waits for what the machine has to allow, also after a restart`()
            throws
        {
            let mock = try MockProgram("mock-machine")
            for service in ["network", "power", "profiles"] { try mock.send("start \(service)") }
            for change in ["IsPresent b true", "Percentage d 80"] {
                try mock.send("battery \(change)")
            }
            try mock.send("set network Metered u 1")
            let server = try Server { Server.Response(file: Self.song, to: $0) }
            let desk = try DownloadDesk(systemBus: mock.address)
            let words = ["--to", desk.files + "/", "--discretionary", "--detach"]

            #expect(try desk.run(["download", server.url("/a.mp3")] + words).status == 0)
            try waitUntil {
                try desk.run(["download", "list"]).text.contains(
                    "waiting for a network that is not metered")
            }
            for (change, reasons) in [
                ("set power OnBattery b true", ["battery", "metered"]),
                ("set network Metered u 2", ["battery"]),
                ("set network Metered u 3", ["battery", "metered"]),
                ("set power OnBattery b false", ["metered"]),
                ("battery Percentage d 19", ["low-battery", "metered"]),
                ("set network Metered u 4", ["low-battery"]),
                ("set profiles ActiveProfile s power-saver", ["low-battery", "saving-power"]),
                ("battery Percentage d 20", ["saving-power"]),
            ] {
                try mock.send(change)
                try waitUntil { try desk.reasons() == reasons }
            }
            // What nobody has forbidden is not held back.
            let other = try desk.run(["download", server.url("/b.mp3"), "--to", desk.files + "/"])
            #expect(other.status == 0)
            try desk.kill(ControlSocket.transfers(of: "default"))
            try desk.startTransfers()
            try waitUntil { (try? desk.reasons()) == ["saving-power"] }
            try mock.send("set network Connectivity u 2")
            try waitUntil { try desk.reasons() == ["offline", "saving-power"] }
            try mock.send("set profiles ActiveProfile s balanced")
            try waitUntil { try desk.reasons() == ["offline"] }
            #expect(server.requests.map(\.path) == ["/b.mp3"])
            try mock.send("set network Connectivity u 4")

            #expect(try desk.run(["download", "wait"]).status == 0)
            #expect(desk.contents("a.mp3") == Self.song)
            #expect(server.requests.map(\.path) == ["/b.mp3", "/a.mp3"])
        }

        /// Without it, the next client would start a program outside of systemd's unit.
        @Test func `A download leaves systemd its socket when nothing is to be done`() throws {
            let desk = try DownloadDesk()
            let socket = try desk.makeSocketPath()
            let program = try desk.startTransfers(listeningAt: socket)
            try waitUntil { access(socket, F_OK) == 0 }

            #expect(try desk.run(["download", "list"]).status == 0)

            #expect(try program.wait() == 0)
            #expect(access(socket, F_OK) == 0)
        }

        /// Deliverable 6: each refusal names the file and the reason, and leaves nothing.
        @Test(
            arguments: [
                ("/loop", "The server redirects more than 20 times"),
                ("/file", "The server redirects to a URL that is neither of HTTP nor of HTTPS"),
                ("/gone", "The server answers 404"),
                ("/page", "The server sends text/html instead of sound"),
                ("/markup", "The server sends a web page instead of sound"),
                ("/text", "The server sends text instead of sound"),
                ("/gzip", "The server sends it compressed (gzip), which was not requested"),
            ])
        func `A download fails with its reason, and leaves nothing`(path: String, reason: String)
            throws
        {
            let server = try Server { request in
                var response = Server.Response(file: Self.song, to: request)
                switch request.path {
                case "/loop.mp3":
                    response.status = 302
                    response.fields = [("Location", "loop.mp3")]
                case "/file.mp3":
                    response.status = 302
                    response.fields = [("Location", "file:///etc/passwd")]
                case "/gone.mp3": response.status = 404
                case "/page.mp3":
                    response.fields.append(("Content-Type", "text/html"))
                    response.body = Array("Log in".utf8)
                case "/markup.mp3": response.body = Array("<!doctype html><p>Log in".utf8)
                case "/text.mp3": response.body = Array("{\"error\": \"No such episode\"}\n".utf8)
                case "/gzip.mp3": response.fields.append(("Content-Encoding", "gzip"))
                default: break
                }
                return response
            }
            let desk = try DownloadDesk()

            let program = try desk.run([
                "download", server.url(path + ".mp3"), "--to", desk.files + "/",
            ])

            #expect(program.status == 1)
            #expect(program.text.contains(reason), "\(program.text)")
            #expect(program.text.contains("\(desk.files)\(path).mp3"))
            #expect(desk.names == [])
        }

        @Test(
            arguments: [
                "ftp://host/a.mp3", "file:///etc/passwd", "http:///a.mp3",
                "http://host:99999/a.mp3",
            ])
        func `A download is refused if its URL is not of HTTP`(url: String) throws {
            let desk = try DownloadDesk()

            let program = try desk.run(["download", url, "--to", desk.files + "/a.mp3"])

            #expect(program.status == 64)
            #expect(
                program.errorText
                    == "undersong: cannot download \(url): It is not a valid HTTP or HTTPS URL\n"
            )
            #expect(desk.names == [])
        }

        @Test func `A download says why it was not complete in its time`() throws {
            let server = try Server { _ in
                var response = Server.Response()
                response.status = 500
                return response
            }
            let desk = try DownloadDesk()

            let program = try desk.run([
                "download", server.url("/a.mp3"), "--to", desk.files + "/", "--within", "1s",
            ])

            #expect(program.status == 1)
            #expect(
                program.text.contains(
                    "failed: It was not complete after 1 second: The server answers 500"))
        }

        @Test func `A download is refused if its folder is not there`() throws {
            let desk = try DownloadDesk()

            let program = try desk.run(["download", "http://host/a.mp3", "--to", "/nowhere/a.mp3"])

            #expect(program.status == 1)
            #expect(
                program.errorText == "undersong: cannot download http://host/a.mp3: "
                    + "The folder /nowhere: No such file or directory\n")
        }
    }
}

/// The folders of a user with programs of the user's own.
private final class DownloadDesk {
    private let home: String
    /// The folder for files.
    let files: String
    let environment: [String: String]

    /// `systemBus` is the address of the bus of the system's services; there is none by default.
    init(systemBus: String = "unix:path=/nowhere") throws {
        home = "/tmp/undersong-\(UUID().uuidString.prefix(13))"
        files = home + "/files"
        environment = [
            "HOME": home, "XDG_RUNTIME_DIR": home + "/run", "XDG_CONFIG_HOME": home + "/config",
            "XDG_STATE_HOME": home + "/state", "XDG_CACHE_HOME": home + "/cache",
            "DBUS_SESSION_BUS_ADDRESS": "", "DBUS_SYSTEM_BUS_ADDRESS": systemBus,
        ]
        for folder in [home, files, home + "/run"] { try Self.make(folder) }
    }

    deinit {
        for session in ["default", ControlSocket.transfers(of: "default")] { try? kill(session) }
        try? FileManager.default.removeItem(atPath: home)
    }

    /// The names of the files that have come, also of hidden ones.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: files)) ?? []).sorted()
    }

    func contents(_ name: String) -> [UInt8]? {
        (try? Data(contentsOf: URL(filePath: files + "/" + name))).map(Array.init)
    }

    /// Runs `undersong` to its end.
    func run(_ arguments: [String]) throws -> (status: Int32, text: String, errorText: String) {
        let program = try Program(Program.undersong, arguments, environment: environment)
        return (try program.wait(), program.text, program.errorText)
    }

    /// Why the first download waits.
    func reasons() throws -> [String]? {
        let path = ControlSocket(
            session: ControlSocket.transfers(of: "default"), runtimeFolder: home + "/run"
        ).path
        let client = try ControlClient(socket: path, name: "test")
        return try client.call(ListTransfers(ids: [1])).transfers.first?.waitReasons.map(\.word)
    }

    /// The number of bytes that the first download's record counts.
    func recordedOffset() throws -> Int {
        let path = home + "/state/undersong/default/transfers/pending/1.task"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.firstMatch(of: #/"offset":(\d+)/#).flatMap { Int($0.1) } ?? 0
    }

    /// Kills the program that answers at a session's socket, as `kill -9` does.
    func kill(_ session: String) throws {
        let path = ControlSocket(session: session, runtimeFolder: home + "/run").path
        let client = try ControlClient(socket: path, name: "test")
        let process = try client.call(Hello(client: "test")).process
        Glibc.kill(process, SIGKILL)
        try waitUntil { Glibc.kill(process, 0) != 0 }
    }

    /// Does what a restart of the machine does to sockets and locks.
    func wipeRuntimeFolder() throws {
        try FileManager.default.removeItem(atPath: home + "/run")
        try Self.make(home + "/run")
    }

    /// Starts what the login unit starts.
    func startTransfers() throws {
        let silence = FileHandle.nullDevice.fileDescriptor
        _ = try Child(
            Program.path(of: "undersong-transferd"), [], environment,
            [silence, silence, STDERR_FILENO])
    }

    /// The path of the program's socket, in a folder that is there.
    func makeSocketPath() throws -> String {
        let folder = ControlSocket.folder(runtimeFolder: home + "/run")
        try Self.make(folder)
        chmod(folder, 0o700)
        return ControlSocket(
            session: ControlSocket.transfers(of: "default"), runtimeFolder: home + "/run"
        ).path
    }

    /// Listens as systemd does, and starts the program for the first client.
    func startTransfers(listeningAt socket: String) throws -> Child {
        let variables = environment.flatMap { ["-E", "\($0)=\($1)"] }
        let silence = FileHandle.nullDevice.fileDescriptor
        return try Child(
            "/usr/bin/systemd-socket-activate",
            variables + [
                "-l", socket, Program.path(of: "undersong-transferd"), "--idle-exit", "0.2",
            ], environment, [silence, silence, silence])
    }

    private static func make(_ folder: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }
}
