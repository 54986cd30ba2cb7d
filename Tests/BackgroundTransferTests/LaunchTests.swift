import Foundation
import Glibc
import TestSupport
import Testing
import UndersongControl
import UndersongTransfers

@testable import UndersongBackgroundTransfer
@testable import UndersongExamples

private typealias Server = ScriptedHTTPServer

/// The worked example (J20), whose program is an application of its own.
@Suite(.blockingThreads) struct `An application with a background session` {
    private static let file = bytes(200_000)
    private static let session = "net.undersong.BackgroundDownloadExample"

    /// T70, T71: what has to be in the log once the application was launched, in this order.
    private static let wake = [
        "Launched in background 1",
        "Rejoining session with identifier \(session)",
        "downloadTask:Podcast Episode 42 didFinishDownloadingToURL:1.download",
        "Podcast Episode 42 is complete",
        "Background URL session \(session) finished events.",
        "Calling completion handler for session \(session)",
    ]

    private static let begin = [
        "Launched in background 0", "Received remote notification with content-id 42",
        "Downloading Podcast Episode 42",
    ]

    @Test(.rule("J14"))
    func `An application is launched when its download is done, although it was killed`()
        throws
    {
        let server = try Server { request in
            var response = Server.Response(file: Self.file, to: request)
            if request.number == 1 { response.stall = 100_000 }
            return response
        }
        let application = try Application(server)
        try application.start()
        try waitUntil { server.bytesSent == 100_000 }
        application.kill()

        // The connection is lost, and the rest comes.
        let client = try application.bench.client()
        _ = try client.call(PauseTransfers(ids: nil))
        _ = try client.call(ResumeTransfers(ids: nil))

        try waitUntil { application.log.count >= Self.begin.count + Self.wake.count }
        #expect(application.log == Self.begin + Self.wake)
        #expect(try application.contents("Podcast Episode 42.mp3") == Self.file)
        #expect(server.requests.map(\.path) == ["/42", "/42"])
        try waitUntil { application.bench.names(in: "done") == [] }
        #expect(application.bench.names(in: "files") == [])
    }

    /// As by `undersong push run`, which runs it for each push.
    @Test func `An application is launched by a push, and again by its download`() throws {
        let server = try Server { request in
            var response = Server.Response(file: Self.file, to: request)
            if request.number == 1 { response.stall = 100_000 }
            return response
        }
        let application = try Application(server)

        let status = try application.wake(
            "{\"aps\":{\"content-available\":1},\"content-id\":42}")
        let idle = try application.wake("{\"aps\":{\"content-available\":1}}")
        let wrong = try application.wake("[]")

        try waitUntil { server.bytesSent == 100_000 }
        let client = try application.bench.client()
        _ = try client.call(PauseTransfers(ids: nil))
        _ = try client.call(ResumeTransfers(ids: nil))

        #expect([status, idle, wrong] == [0, 1, 2])
        let launched = ["Launched in background 1"]
        let lines = launched + Self.begin.dropFirst() + launched + Self.wake
        try waitUntil { application.log.count >= lines.count }
        #expect(application.log == lines)
        #expect(try application.contents("Podcast Episode 42.mp3") == Self.file)
    }

    @Test(.rule("J11"))
    func `An application gets its session's events at once while it is in the foreground`()
        throws
    {
        let server = try Server { Server.Response(file: Self.file, to: $0) }
        let application = try Application(server)

        try application.start()

        try waitUntil { application.log.count >= Self.begin.count + 2 }
        // Until it has acknowledged them, its end would be a reason to launch it.
        try waitUntil { application.bench.names(in: "done") == [] }
        application.kill()
        #expect(application.log == Self.begin + Self.wake[2...3])
    }

    @Test(.rule("J13"))
    func `An application's second handler for a session is logged, and only that one called`()
        throws
    {
        let bench = try SessionBench()
        let downloads = DownloadController(
            server: "http://127.0.0.1", library: EpisodeLibrary(folder: bench.url),
            service: bench.location, launchCommand: ["/usr/bin/true"])
        defer {
            downloads.session.invalidateAndCancel()
            try? waitUntil { downloads.session.isInvalid }
        }
        let calls = Inbox<Int>()

        downloads.rejoin(Self.session) { calls.put(1) }
        downloads.rejoin(Self.session) { calls.put(2) }
        downloads.urlSessionDidFinishEvents(forBackgroundURLSession: downloads.session)
        downloads.urlSessionDidFinishEvents(forBackgroundURLSession: downloads.session)

        #expect(calls.rest == [2])
        let log = try String(contentsOf: bench.url.appending(path: "log.txt"), encoding: .utf8)
        let end = "Background URL session \(Self.session) finished events."
        #expect(
            log.split(separator: "\n") == [
                "Error: Got multiple handlers for a single session identifier.  "
                    + "This should not happen.",
                end[...], "Calling completion handler for session \(Self.session)", end[...],
            ])
    }

    @Test(.rule("J16"))
    func `An application is not launched without a command, or when it wants no events`()
        throws
    {
        let server = try Server { Server.Response(file: Self.file, to: $0) }
        let bench = try SessionBench()
        let marks = ["silent", "quiet", "loud"].map { bench.url.appending(path: $0).path }
        let touch = { (mark: String) in ["/usr/bin/touch", mark] }
        var clients: [ControlClient] = []
        for (name, launch) in [
            ("silent", nil), ("quiet", nil), ("loud", touch(marks[2])),
        ] {
            _ = try bench.session("starter \(name)").allTasksNow()
            let client = try bench.client()
            _ = try client.call(OpenSession(session: name, launch: launch))
            try client.beginTask(of: name, server.url("/"))
            clients.append(client)
        }
        try waitUntil { bench.names(in: "files").count == 3 }
        #expect(marks.filter { FileManager.default.fileExists(atPath: $0) } == [])

        for client in clients { client.close() }

        try waitUntil { FileManager.default.fileExists(atPath: marks[2]) }
        #expect(marks.filter { FileManager.default.fileExists(atPath: $0) } == [marks[2]])
        // Once for what has ended, also after the process that transfers was killed.
        try FileManager.default.removeItem(atPath: marks[2])
        bench.kill()
        let session = bench.session("other")
        _ = try session.allTasksNow()
        #expect(!FileManager.default.fileExists(atPath: marks[2]))
    }

    /// `systemd-run` is one of the test's own, which starts the program or refuses to.
    @Test(arguments: [true, false])
    func `An application is launched outside of a service's unit where that is possible`(
        isPossible: Bool
    ) throws {
        let server = try Server { Server.Response(file: Self.file, to: $0) }
        let bench = try SessionBench()
        let (calls, mark) = (bench.url.path + "/calls", bench.url.path + "/mark")
        let run = isPossible ? "shift 4; exec \"$@\"" : "exit 1"
        let bin = bench.url.appending(path: "bin")
        try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
        try makeExecutable(
            "#!/bin/sh\necho \"$@\" > \(calls)\n\(run)\n",
            at: bin.appending(path: "systemd-run").path)
        try bench.startProcess(["INVOCATION_ID": "42", "PATH": bin.path + ":/usr/bin:/bin"])
        let client = try bench.client()
        _ = try client.call(OpenSession(session: "a", launch: ["/usr/bin/touch", mark]))
        try client.beginTask(of: "a", server.url("/"))
        try waitUntil { bench.names(in: "files").count == 1 }

        client.close()

        try waitUntil { FileManager.default.fileExists(atPath: mark) }
        let words = try String(contentsOfFile: calls, encoding: .utf8)
        #expect(words == "--user --quiet --collect -- /usr/bin/touch \(mark)\n")
    }

    @Test(.rule("J18")) func `A session's configuration needs an identifier`() async {
        await #expect(processExitsWith: .failure) {
            _ = URLSessionConfiguration.background(withIdentifier: "")
        }
    }

    @Test func `A session's configuration says if the application is launched`() throws {
        let configuration = URLSessionConfiguration.background(withIdentifier: "a")
        configuration.launchCommand = ["/usr/bin/true"]
        #expect(configuration.sessionSendsLaunchEvents)
        #expect(configuration.options.launch == ["/usr/bin/true"])

        configuration.sessionSendsLaunchEvents = false

        #expect(configuration.options.launch == nil)
    }
}

/// The example's program, and its folders.
private final class Application {
    let bench: SessionBench
    private let server: Server
    private let folder: URL
    private var program: Child?

    init(_ server: Server) throws {
        self.server = server
        bench = try SessionBench()
        folder = bench.url.appending(path: "episodes")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { kill() }

    /// The lines of its log.
    var log: [String] {
        let text = try? String(contentsOf: folder.appending(path: "log.txt"), encoding: .utf8)
        return (text ?? "").split(separator: "\n").map(String.init)
    }

    func contents(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appending(path: name)))
    }

    func start() throws {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        program = try Child(
            SessionBench.path(of: "UndersongExamples"),
            [
                "BackgroundDownload", "push", "42", server.url(""), folder.path, bench.url.path,
                bench.url.path + "/state",
            ],
            [:], [null, null, null])
    }

    /// Launches it for a push, and returns its exit status.
    func wake(_ payload: String) throws -> Int32 {
        let file = bench.url.appending(path: "payload")
        try Data(payload.utf8).write(to: file)
        let input = open(file.path, O_RDONLY | O_CLOEXEC)
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { for descriptor in [null, input] { close(descriptor) } }
        return try Child(
            SessionBench.path(of: "UndersongExamples"),
            [
                "BackgroundDownload", "wake", server.url(""), folder.path, bench.url.path,
                bench.url.path + "/state",
            ],
            [:], [input, null, null]
        ).wait()
    }

    func kill() {
        program?.end()
        program = nil
    }
}
