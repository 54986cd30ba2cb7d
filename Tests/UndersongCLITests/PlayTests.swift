import CUndersongLinux
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongPlayback

@testable import UndersongCLI

/// `undersong play` as a program, against a scripted service.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `The play verb` {
    @Test func `The play verb sends all its requests before any answer`() throws {
        let service = try FakeService(session: nil)
        defer { service.end() }
        let listener = try ControlSocket(session: "default", runtimeFolder: service.runtimeFolder)
            .listen()
        defer { close(listener) }

        let program = try Program(["play", "/a.mp3"], environment: service.environment)
        let connection = accept(listener, nil, nil)
        defer { close(connection) }
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = recv(connection, &bytes, bytes.count, 0)

        let lines = String(decoding: bytes[..<max(count, 0)], as: UTF8.self).split(separator: "\n")
        #expect(
            lines.compactMap(Self.method)
                == [Hello.method, Attach.method, Subscribe.method, Subscribe.method, Play.method])
        program.signal(SIGKILL)
    }

    @Test(arguments: [
        ["play", "/a.mp3"], ["capability"], ["capability", "audio", "on"], ["volume", "40"],
        ["status"], ["stop-after", "item"],
    ])
    func `The play verb starts the service in its own folder if none is running`(
        arguments: [String]
    ) throws {
        let service = try FakeService(session: nil)
        defer { service.end() }
        let folder = service.runtimeFolder + "/bin"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        try copyExecutable(from: Program.undersong, to: folder + "/undersong")
        let script =
            "#!/bin/sh\necho \"$@\" > '\(folder)/call'\ntest -S /proc/self/fd/3\n"
            + "echo $? >> '\(folder)/call'\n"
        try makeExecutable(script, at: folder + "/undersongd")

        let program = try Program(
            arguments + ["--session", "kitchen"], environment: service.environment,
            by: folder + "/undersong")

        // If there will be sound, the service connects to the sound server at once.
        let isPlaying = arguments.first == "play"
        #expect(try program.wait() == 69)
        #expect(
            try String(contentsOfFile: folder + "/call", encoding: .utf8)
                == "serve --session kitchen --listen-fd 3 --on-demand"
                + (isPlaying ? " --sound-server \n0\n" : "\n0\n"))
    }

    @Test func `The play verb requests the files by absolute paths, with the run's options`() throws
    {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(
            [
                "play", "a.mp3", "/b.mp3", "--session", "default", "--server", "here", "--device",
                "sink", "--background-audio", "on", "--volume", "80", "--shuffle", "--repeat",
                "all", "--start", "10", "--end", "1:30",
            ], environment: service.environment, in: "/usr")
        try service.wait { try !$0.calls(Play.self).isEmpty }
        service.send(.end())
        try program.wait()

        var settings = SettingsChange()
        (settings.volume, settings.shuffle, settings.repeat) = (80, true, .all)
        let play = try #require(service.calls(Play.self).first)
        #expect(play.output == .pulse(server: "here", device: "sink"))
        #expect(play.backgroundAudio == true)
        #expect(play.settings == settings)
        #expect(
            play.files
                == Files(
                    ["/usr/a.mp3", "/b.mp3"], start: WireTime(value: 10, timescale: 1),
                    end: WireTime(value: 90, timescale: 1)))
    }

    @Test func `The play verb with --quiet asks for no events to be written`() throws {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(
            ["play", "--quiet", "/a.mp3"], environment: service.environment)
        try service.wait { try !$0.calls(Play.self).isEmpty }
        service.send(.end())

        #expect(try program.wait() == 0)
        #expect(program.text == "" && program.errorText == "")
        let calls = try service.calls(Subscribe.self)
        #expect(calls.count == 1 && calls.first?.isWritten != true)
        #expect(service.descriptors(with: Subscribe.self) == [0])
    }

    @Test(arguments: [(false, 0), (true, 77)] as [(Bool, Int32)])
    func `The play verb with --detach starts the run and leaves it to the service`(
        isSilent: Bool, status: Int32
    ) throws {
        let service = try FakeService { request, _ in
            if request.method == Play.method { return ControlReply(Play.Reply(run: 1)) }
            if request.method == Subscribe.method {
                return ControlReply(Subscribe.Reply(subscription: 1))
            }
            var status = PlayerStatus.paused
            (status.status, status.wantsPlayback) = (.playing, true)
            status.item = ListedItem(id: 1, title: "One", path: "/a.mp3")
            if isSilent { (status.status, status.reason) = (.paused, .known(.appBackgrounded)) }
            return ControlReply(status)
        }
        defer { service.end() }

        let program = try Program(
            ["play", "--detach", "/a.mp3"], environment: service.environment)

        #expect(try program.wait() == status)
        #expect(service.methods == [Subscribe.method, Play.method, GetStatus.method])
        #expect(program.text.contains("One") != isSilent)
        #expect(program.errorText.contains("capability audio on") == isSilent)
    }

    @Test(arguments: [0, 1])
    func `The play verb with --detach reports why nothing can be played, and fails`(run: Int) throws
    {
        let service = try FakeService { request, _ in
            switch request.method {
            case Play.method: return ControlReply(Play.Reply(run: run))
            case Subscribe.method: return ControlReply(Subscribe.Reply(subscription: 1))
            default:
                var status = PlayerStatus.paused
                // Without a run, what played before goes its way.
                if run > 0 { status.item = nil }
                return ControlReply(status)
            }
        }
        defer { service.end() }

        let program = try Program(
            ["play", "--detach", "/empty"], environment: service.environment)

        #expect(try program.wait() == 1)
        #expect(program.text == "")
    }

    @Test func `The play verb with --detach waits for a server, and says what becomes of it`()
        throws
    {
        let isGivenUp = Mutex(false)
        let service = try FakeService { request, _ in
            switch request.method {
            case Play.method: return ControlReply(Play.Reply(run: 1))
            case Subscribe.method: return ControlReply(Subscribe.Reply(subscription: 1))
            default:
                var status = PlayerStatus.paused
                status.item = nil
                guard !isGivenUp.withLock({ $0 }) else { return ControlReply(status) }
                (status.status, status.reason) = (.waiting, .known(.evaluatingBufferingRate))
                status.item = ListedItem(id: 1, title: "x", path: "http://nowhere.invalid/x")
                return ControlReply(status)
            }
        }
        defer { service.end() }

        let program = try Program(
            ["play", "--detach", "http://nowhere.invalid/x"], environment: service.environment)
        try service.wait { $0.methods.count { $0 == GetStatus.method } == 1 }
        let trouble = NetworkEvent(
            host: "nowhere.invalid", network: .waiting, trouble: "The server answers 503",
            retry: 1)
        for count in 2...3 {
            service.send(event: PlayerEvent(.network(trouble)))
            try service.wait { $0.methods.count { $0 == GetStatus.method } == count }
        }
        isGivenUp.withLock { $0 = true }
        service.send(event: .error("cannot play http://nowhere.invalid/x: The server answers 503"))

        #expect(try program.wait() == 1)
        #expect(program.text == "")
        #expect(
            program.errorText == """
                connecting to nowhere.invalid
                nowhere.invalid: The server answers 503
                undersong: cannot play http://nowhere.invalid/x: The server answers 503

                """)
    }

    @Test func `The play verb with --quiet and --json is called incorrectly`() throws {
        let service = try FakeService(session: nil)
        defer { service.end() }

        let program = try Program(
            ["play", "--quiet", "--json", "/a.mp3"], environment: service.environment)

        #expect(try program.wait() == 64)
        #expect(program.errorText.contains("--quiet cannot be combined with --json"))
    }

    @Test func `The play verb is what a file without a verb means`() throws {
        let service = try Self.service()
        defer { service.end() }

        let all = [["passwd", "--volume", "50"], ["./passwd"], ["http://x/a.mp3"]]
        for (index, arguments) in all.enumerated() {
            let program = try Program(
                arguments, environment: service.environment, in: "/etc")
            try service.wait { try $0.calls(Play.self).count == index + 1 }
            service.send(.end())
            #expect(try program.wait() == 0)
        }

        let calls = try service.calls(Play.self)
        #expect(
            calls.map(\.files?.paths) == [["/etc/passwd"], ["/etc/passwd"], ["http://x/a.mp3"]])
        #expect(calls.first?.settings?.volume == 50)
    }

    @Test func `The play verb plays the files that a list names, as many as there are`() throws {
        let service = try Self.service()
        defer { service.end() }
        let names = (0..<300).map { "/\($0)" + String(repeating: "x", count: 1000) }
        let list = service.runtimeFolder + "/list"
        try Data(names.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: list))

        let program = try Program(
            ["-c", "'\(Program.undersong)' play --files-from - < '\(list)'"],
            environment: service.environment, by: "/bin/sh")
        try service.wait { try !$0.queueRequests.isEmpty }
        service.send(.end())
        try program.wait()

        let first = try #require(service.calls(Play.self).first?.files?.paths)
        guard case .add(let rest)? = try service.queueRequests.first else {
            Issue.record("nothing was added")
            return
        }
        #expect((first + rest.paths).map(\.description) == names)
    }

    @Test func `The play verb without files plays the current queue`() throws {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(["play"], environment: service.environment)
        try service.wait { try !$0.calls(Play.self).isEmpty }
        service.send(.end())

        #expect(try program.wait() == 0)
        let play = try #require(service.calls(Play.self).first)
        #expect(play.files == nil)
        #expect(play.output == nil)
    }

    @Test(arguments: [
        (["--output", "null"], OutputChoice.null),
        ([], .pulse(server: "there", device: nil, cookie: "/cookie")),
        (["--server", "here"], .pulse(server: "here", device: nil, cookie: "/cookie")),
        (
            ["--output", "pulse-simple"],
            .pulseSimple(server: "there", device: nil, cookie: "/cookie")
        ),
        (
            ["--output", "pulse-simple", "--server", "here", "--device", "it"],
            .pulseSimple(server: "here", device: "it", cookie: "/cookie")
        ),
    ])
    func `The play verb has the sound server and its cookie from its own environment`(
        arguments: [String], output: OutputChoice
    ) throws {
        let service = try Self.service()
        defer { service.end() }
        let environment = service.environment.merging([
            "PULSE_SERVER": "there", "PULSE_COOKIE": "/cookie",
        ]) { $1 }

        let program = try Program(["play", "/a.mp3"] + arguments, environment: environment)
        try service.wait { try !$0.calls(Play.self).isEmpty }
        service.send(.end())
        try program.wait()

        #expect(try service.calls(Play.self).first?.output == output)
    }

    @Test func `The play verb passes its standard input for a stream`() throws {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(["play", "-"], environment: service.environment)
        try service.wait { try !$0.calls(Play.self).isEmpty }
        service.send(.end())
        try program.wait()

        #expect(try service.calls(Play.self).first?.files?.paths == ["-"])
        #expect(service.descriptors(with: Play.self) == [1])
    }

    @Test func `The play verb without a standard input passes no other descriptor in its place`()
        throws
    {
        let passed = Mutex("")
        let service = try FakeService { request, _ in
            guard request.method == Play.method else {
                return ControlReply(Subscribe.Reply(subscription: 1))
            }
            let stream = request.descriptors.takeFirst() ?? -1
            let path = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/\(stream)")
            passed.withLock { $0 = path ?? "" }
            close(stream)
            return ControlReply(Play.Reply(run: 1))
        }
        defer { service.end() }

        let program = try Program(
            ["-c", "exec '\(Program.undersong)' play - <&-"], environment: service.environment,
            by: "/bin/sh")
        try service.wait { _ in passed.withLock { !$0.isEmpty } }
        service.send(.end())
        try program.wait()

        #expect(passed.withLock { $0 } == "/dev/null")
    }

    @Test func `The play verb lets the service write the events to its standard output`() throws {
        let service = try Self.service { request, _ in
            if let descriptor = request.descriptors.takeFirst() {
                write(descriptor, "{\"event\":\"end\"}\n", 16)
                close(descriptor)
            }
        }
        defer { service.end() }

        let program = try Program(
            ["play", "/a.mp3", "--interval", "1/50", "--at", "1:30"],
            environment: service.environment)
        try service.wait { try !$0.calls(Play.self).isEmpty }
        service.send(.end())
        try program.wait()

        #expect(program.text == "{\"event\":\"end\"}\n")
        let calls = try service.calls(Subscribe.self)
        #expect(calls.map(\.isWritten) == [false, true])
        let own = [
            "application", "error", "state", "mediaServicesWereLost", "mediaServicesWereReset",
        ]
        #expect(calls.map(\.kinds) == [own, nil])
        #expect(calls.last?.interval == WireTime(value: 1, timescale: 50))
        #expect(calls.last?.boundaries == [WireTime(value: 90, timescale: 1)])
    }

    @Test func `The play verb with --no-time requests no time events`() throws {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(
            ["play", "/a.mp3", "--no-time"], environment: service.environment)
        try service.wait { try !$0.calls(Play.self).isEmpty }
        service.send(.end())
        try program.wait()

        #expect(try service.calls(Subscribe.self).map(\.interval) == [nil, nil])
    }

    @Test(arguments: [
        (SessionEnd.end(played: 2), Int32(0)), (.end(played: 0, failed: 1), 1),
        (.end(.stopped, played: 1), 0), (.end(.stopped, played: 0), 1),
        (.end(.outputFailed(.serverUnavailable)), 69),
        (.end(.outputFailed(.serverLost), played: 1), 69),
        (.end(.outputFailed(.noSuchDevice)), 1),
    ])
    func `The play verb ends with the run, and its status reflects how that ended`(
        end: SessionEnd, status: Int32
    ) throws {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(["play", "/a.mp3"], environment: service.environment)
        try service.wait { try !$0.calls(Play.self).isEmpty }
        service.send(end)

        #expect(try program.wait() == status)
        #expect(program.errorText == "")
    }

    @Test func `The play verb reports errors on the standard error`() throws {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(["play", "/a.mp3"], environment: service.environment)
        try service.wait { try !$0.calls(Play.self).isEmpty }
        service.send(
            event: .error("cannot open /a.mp3: No such file or directory"))
        service.send(.end(played: 0, failed: 1))

        #expect(try program.wait() == 1)
        #expect(
            program.errorText == "undersong: cannot open /a.mp3: No such file or directory\n")
    }

    @Test func `The play verb reports that the service has gone away, and fails with 69`() throws {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(["play", "/a.mp3"], environment: service.environment)
        try service.wait { try !$0.calls(Play.self).isEmpty }
        service.end()

        #expect(try program.wait() == 69)
        #expect(
            program.errorText
                == "undersong: cannot follow the queue: The service has gone away\n")
    }

    @Test func `The play verb fails the same if the service goes away before it has answered`()
        throws
    {
        let service = try FakeService { _, _ in nil }
        defer { service.end() }

        let program = try Program(["play", "/a.mp3"], environment: service.environment)
        try service.wait { $0.methods.contains(Subscribe.method) }
        service.end()

        #expect(try program.wait() == 69)
        #expect(
            program.errorText
                == "undersong: cannot follow the queue: The service has gone away\n")
    }

    @Test func `The play verb reports why it is refused`() throws {
        let service = try FakeService { request, _ in
            guard request.method == Play.method else {
                return ControlReply(Subscribe.Reply(subscription: 1))
            }
            throw ControlError(.notPossible, "cannot play: The queue is empty")
        }
        defer { service.end() }

        let program = try Program(["play"], environment: service.environment)

        #expect(try program.wait() == 1)
        #expect(program.errorText == "undersong: cannot play: The queue is empty\n")
    }

    @Test func `The play verb dies of SIGPIPE when the reader of its events goes`() throws {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(["play", "/a.mp3"], environment: service.environment)
        try service.wait { try !$0.calls(Play.self).isEmpty }
        service.send(ReaderGone(subscription: 2))

        #expect(try program.wait() == 128 + SIGPIPE)
        try service.wait { $0.methods.last == Command.method }
        #expect(try service.calls(Command.self).map(\.verb) == [.stop])
    }

    @Test func `The play verb continues if its events cannot be written, and fails in the end`()
        throws
    {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(["play", "/a.mp3"], environment: service.environment)
        try service.wait { try !$0.calls(Play.self).isEmpty }
        service.send(ReaderGone(subscription: 2, reason: "no space left on device"))
        service.send(.end())

        #expect(try program.wait() == 1)
        #expect(
            program.errorText
                == "undersong: cannot write to standard output: no space left on device\n")
        #expect(try service.calls(Command.self).isEmpty)
    }

    @Test(
        arguments: [
            ("", nil), ("--json", 0.01), ("--interval 1/2", 0.5), ("--json --no-time", nil),
        ] as [(String, Double?)])
    func `The play verb writes time events to a file only if they are asked for`(
        options: String, seconds: Double?
    ) throws {
        let service = try Self.service()
        defer { service.end() }
        let file = service.runtimeFolder + "/nohup.out"

        let program = try Program(
            ["-c", "exec '\(Program.undersong)' play \(options) /a.mp3 >'\(file)'"],
            environment: service.environment, by: "/bin/sh")
        try service.wait { try !$0.calls(Play.self).isEmpty }
        service.send(.end())

        #expect(try program.wait() == 0)
        let written = try #require(service.calls(Subscribe.self).first { $0.isWritten == true })
        #expect(written.interval?.seconds == seconds && written.kinds == nil)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGQUIT])
    func `The play verb stops the run when a signal ends it, and does not wait for long`(
        number: Int32
    ) throws {
        let service = try Self.service(answersStop: false)
        defer { service.end() }

        let program = try Program(["play", "/a.mp3"], environment: service.environment)
        try service.wait { try !$0.calls(Play.self).isEmpty }
        let start = ContinuousClock.now
        program.signal(number)
        let status = try program.wait()
        let duration = start.duration(to: .now)

        #expect(status == 128 + number)
        #expect(duration < .seconds(1))
        #expect(try service.calls(Command.self).map(\.verb) == [.stop])
    }

    @Test func `The play verb ends with the run after a signal, with the signal's status`() throws {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(["play", "/a.mp3"], environment: service.environment)
        try service.wait { try !$0.calls(Play.self).isEmpty }
        program.signal(SIGTERM)
        try service.wait { try !$0.calls(Command.self).isEmpty }
        service.send(.end(.stopped, played: 1))

        #expect(try program.wait() == 143)
    }

    @Test func `The play verb is in the background after a hang-up, and ends when that is silent`()
        throws
    {
        let service = try Self.service(isSuspended: true)
        defer { service.end() }

        let program = try Program(["play", "/a.mp3"], environment: service.environment)
        try service.wait { try !$0.calls(Play.self).isEmpty }
        program.signal(SIGHUP)

        #expect(try program.wait() == 129)
        #expect(try service.calls(Attach.self).map(\.state) == [.active, .background])
        #expect(try service.calls(Command.self).isEmpty)
    }

    @Test func `The play verb continues after a hang-up while there is sound`() throws {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(["play", "/a.mp3"], environment: service.environment)
        try service.wait { try !$0.calls(Play.self).isEmpty }
        program.signal(SIGHUP)
        try service.wait { $0.methods.last == GetStatus.method }
        service.send(.end())

        #expect(try program.wait() == 0)
        #expect(try service.calls(Attach.self).map(\.state) == [.active, .background])
    }

    @Test(arguments: ApplicationState.allCases)
    func `The play verb reports the host's state given by its option`(state: ApplicationState)
        throws
    {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(
            ["play", "/a.mp3", "--host", state.name], environment: service.environment)
        try service.wait { try !$0.calls(Play.self).isEmpty }
        service.send(.end())
        try program.wait()

        let attach = try #require(service.calls(Attach.self).first)
        #expect(attach.state == state)
        #expect(attach.source == "option")
    }

    @Test func `The play verb without a terminal is in the foreground`() throws {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(["play", "/a.mp3"], environment: service.environment)
        try service.wait { try !$0.calls(Play.self).isEmpty }
        service.send(.end())
        try program.wait()

        let attach = try #require(service.calls(Attach.self).first)
        #expect(attach.state == .active)
        #expect(attach.source == "none")
    }

    /// A service that plays; `subscribed` is called with the subscriptions.
    private static func service(
        answersStop: Bool = true, isSuspended: Bool = false,
        subscribed: @escaping @Sendable (ControlRequest, ControlConnection) -> Void = { _, _ in }
    ) throws -> FakeService {
        try FakeService { request, connection in
            switch request.method {
            case Play.method: return ControlReply(Play.Reply(run: 1))
            case AddToQueue.method:
                return ControlReply(ExtendedQueue(queue: QueueList(items: [], current: nil)))
            case Subscribe.method:
                subscribed(request, connection)
                return ControlReply(Subscribe.Reply(subscription: 1))
            default:
                var status = PlayerStatus.paused
                status.suspended = isSuspended
                return answersStop ? ControlReply(status) : nil
            }
        }
    }

    private static func method(_ line: Substring) -> String? {
        let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return object?["method"] as? String
    }
}

extension SessionEnd {
    static func end(
        _ reason: Reason = .finished, played: Int = 1, failed: Int = 0
    ) -> SessionEnd {
        SessionEnd(reason: reason, playedCount: played, failedCount: failed, run: 1)
    }
}

extension ControlNotice where Self == SessionEnd {
    static func end(
        _ reason: SessionEnd.Reason = .finished, played: Int = 1, failed: Int = 0
    ) -> SessionEnd {
        SessionEnd(reason: reason, playedCount: played, failedCount: failed, run: 1)
    }
}
