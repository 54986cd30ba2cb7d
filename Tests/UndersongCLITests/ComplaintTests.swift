import Control
import TestSupport
import Testing

@testable import UndersongCLI

/// Problems with names that come from elsewhere.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `An error message` {
    @Test func `about a call is one line without control characters`() throws {
        let service = try FakeService(session: nil)
        defer { service.end() }

        let program = try Program(["a\u{1B}[31mb\nc"], environment: service.environment)

        #expect(try program.wait() == 64)
        #expect(
            program.errorText
                == "undersong: cannot run a [31mb c: There is no such verb or file; "
                + "undersong --help lists the verbs\n"
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
    func `about a file whose name is like options says how to write it`(
        arguments: [String], name: String?
    ) {
        let text = Undersong.misreadFile(in: arguments) {
            ["-dash.mp3", "-d", "--dash", "./-dash.mp3"].contains($0)
        }

        #expect(
            text
                == name.map {
                    "cannot use \($0): A name that begins with - is taken for "
                        + "options; write ./\($0), or -- before it"
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
        (["play", "-dash.mp3"], "cannot use -dash.mp3: "),
        (["verify", "-dash.mp3"], "cannot use -dash.mp3: "),
    ])
    func `about an empty name, or one like options, is that of a wrong call`(
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
        (["seek", "9:99"], "cannot seek: The value '9:99' is invalid for '<time>'", "such as 90"),
        (
            ["queue", "jump"], "cannot jump to an item: Missing expected argument '<place>'",
            "such as 3"
        ),
        (["volume", "200"], "cannot set the volume: The value '200' is invalid", "0 to 100"),
        (["rate", "9"], "cannot set the speed: The speed must be from 0.5 to 2", "rate --help"),
        (
            ["capability", "audio", "maybe"],
            "cannot change the declared background modes: 'maybe' is not on or off", "capability"
        ),
        (
            ["fetch", "interval", "soon"],
            "cannot set how long the service waits at least between fetches: 'soon' is not",
            "fetch interval --help"
        ),
        (
            ["location", "place", "add", "x"],
            "cannot watch a place: Missing expected argument '<center>'", "or here"
        ),
        (
            ["push", "simulate"], "cannot send a push from a file made for simctl push: Name",
            "push"
        ),
        (
            ["render", "a.mp3", "-o", "a"],
            "cannot render: The output is a WAV file",
            "undersong render --help"
        ),
        (["--nosuch"], "Unknown option '--nosuch'", "undersong --help"),
    ])
    func `about the parser's refusal has the same form, and says what helps`(
        arguments: [String], complaint: String, advice: String
    ) throws {
        let service = try FakeService(session: nil)
        defer { service.end() }

        let program = try Program(arguments, environment: service.environment)

        #expect(try program.wait() == 64)
        #expect(program.errorText.hasPrefix("undersong: \(complaint)"))
        #expect(program.errorText.contains(advice))
        #expect(program.errorText.hasSuffix(" --help shows more\n"))
    }

    @Test func `about an event is one line without control characters`() throws {
        let service = try FakeService { request, _ in
            switch request.method {
            case Play.method: ControlReply(Play.Reply(run: 1))
            default: ControlReply(Subscribe.Reply(subscription: 1))
            }
        }
        defer { service.end() }

        let program = try Program(["play", "/a.mp3"], environment: service.environment)
        try service.wait { $0.methods.contains("play") }
        service.send(
            event: .error("cannot open /b\n\u{1B}[2Jc.mp3: It is not a file"))
        service.send(.end())

        #expect(try program.wait() == 0)
        #expect(program.errorText == "undersong: cannot open /b [2Jc.mp3: It is not a file\n")
    }
}
