import TestSupport
import Testing
import UndersongBackground
import UndersongControl
import UndersongPlayback

@testable import UndersongCLI

/// Problems with names that come from elsewhere.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `An error message` {
    @Test func `An error about a call is one line without control characters`() throws {
        let service = try FakeService(session: nil)
        defer { service.end() }

        let program = try Program(["a\u{1B}[31mb\nc"], environment: service.environment)

        #expect(try program.wait() == 64)
        #expect(
            program.errorText
                == "undersong: cannot run a [31mb c: There is no such verb or file; "
                + "'undersong --help' lists the verbs\n"
        )
    }

    @Test(
        arguments: [
            (["play", "-dash.mp3"], "-dash.mp3"),
            (["queue", "add", "a.mp3", "-dash.mp3"], "-dash.mp3"),
            (["play", "--", "-dash.mp3"], nil), (["play", "-other.mp3"], "-other.mp3"),
            (["play", "./-dash.mp3"], nil), (["play", "-d"], nil), (["play", "--dash"], nil),
            (["play", "-help"], nil), (["play", "-h"], nil), (["seek", "-1h"], nil),
            (["play", "-x.mp3"], nil),
        ] as [([String], String?)])
    func `An error about a file whose name is like options says how to write it`(
        arguments: [String], name: String?
    ) {
        let text = Undersong.misreadFile(in: arguments) {
            ["-dash.mp3", "-d", "--dash", "./-dash.mp3"].contains($0)
        }

        #expect(
            text
                == name.map {
                    "'\($0)' looks like an option; write ./\($0), or put -- before it"
                })
    }

    @Test(arguments: [
        (["play", ""], "cannot play '': The name is empty"),
        (["play", "/a.mp3", ""], "cannot play '': The name is empty"),
        (["queue", "add", ""], "cannot play '': The name is empty"),
        (["queue", "insert", ""], "cannot play '': The name is empty"),
        (["queue", "export", ""], "cannot export the queue: The name is empty"),
        (["play", "--files-from", ""], "cannot read '': The name is empty"),
        (["verify", ""], "cannot play '': The name is empty"),
        (["play", "-dash.mp3"], "'-dash.mp3' looks like an option"),
        (["verify", "-dash.mp3"], "'-dash.mp3' looks like an option"),
    ])
    func `An error about an empty name, or one like options, is that of a wrong call`(
        arguments: [String], message: String
    ) throws {
        let service = try FakeService()
        defer { service.end() }

        let program = try Program(arguments, environment: service.environment, in: "/usr")

        #expect(try program.wait() == 64)
        #expect(program.text == "" && program.errorText.hasPrefix("undersong: \(message)"))
        #expect(service.methods == [])
    }

    @Test(arguments: [
        (["seek", "9:99"], "seek: '9:99' is not a valid time\n", "such as 90"),
        (["queue", "jump"], "queue jump: no place given\n", "such as 3"),
        (["queue", "search"], "queue search: no word given\n", "artist:bjork"),
        (["queue", "add"], "queue add: no file given\n", "queue add --help"),
        (["volume", "200"], "volume: '200' is not a valid loudness\n", "0 to 100"),
        (["rate", "9"], "rate: the speed must be from 0.5 to 2\n", "rate --help"),
        (["repeat", "yes"], "repeat: 'yes' is not off, one, all or toggle\n", "repeat --help"),
        (
            ["repeat", "alll"],
            "repeat: 'alll' is not off, one, all or toggle; did you mean 'all'?\n", "repeat"
        ),
        (["why", "--foo"], "why: unknown option '--foo'\n", "why --help"),
        (
            ["status", "--jsn"], "status: unknown option '--jsn'; did you mean '--json'?\n",
            "status --help"
        ),
        (["status", "--session"], "status: no name given for --session\n", "side by side"),
        (["status", "--json=1"], "status: --json takes no value\n", "status --help"),
        (["status", "x"], "status: unexpected argument 'x'\n", "status --help"),
        (["events", "--kinds", "foo"], "events: 'foo' is not a kind of event\n", "time,state"),
        (["events", "--at", "x"], "events: 'x' is not valid for --at\n", "may be repeated"),
        (
            ["capability", "audio", "maybe"], "capability: 'maybe' is not on, off or toggle\n",
            "capability"
        ),
        (["fetch", "interval", "soon"], "fetch interval: 'soon' is not", "fetch interval --help"),
        (["location", "place", "add", "x"], "location place add: no center given\n", "or here"),
        (["push", "simulate"], "push simulate: name a FILE", "push"),
        (
            ["render", "a.mp3", "-o", "a"], "render: the output is a WAV file",
            "undersong render --help"
        ),
        (["--nosuch"], "unknown option '--nosuch'\n", "undersong --help"),
    ])
    func `An error of the parser's has the same form, and says what helps`(
        arguments: [String], complaint: String, advice: String
    ) throws {
        let service = try FakeService(session: nil)
        defer { service.end() }

        let program = try Program(arguments, environment: service.environment)

        #expect(try program.wait() == 64)
        #expect(program.errorText.hasPrefix("undersong: \(complaint)"))
        #expect(program.errorText.contains(advice))
        #expect(program.errorText.hasSuffix(" --help' shows more\n"))
    }

    @Test func `An error about an event is one line without control characters`() throws {
        let service = try FakeService { request, _ in
            switch request.method {
            case Play.method: ControlReply(Play.Reply(run: 1))
            default: ControlReply(Subscribe.Reply(subscription: 1))
            }
        }
        defer { service.end() }

        let program = try Program(["play", "/a.mp3"], environment: service.environment)
        try service.wait { $0.methods.contains(Play.method) }
        service.send(
            event: .error("cannot open /b\n\u{1B}[2Jc.mp3: It is not a file"))
        service.send(.end())

        #expect(try program.wait() == 0)
        #expect(program.errorText == "undersong: cannot open /b [2Jc.mp3: It is not a file\n")
    }
}
