import Testing
import UndersongCommandOptions
import UndersongControl

import enum UndersongPlayback.PlayerCommand

@testable import UndersongCLI

/// Calls that are read without the parser, with the same meaning as by the parser.
@Suite struct `A plain call` {
    @Test(arguments: [
        ["/a.mp3"], ["/a.mp3", "b.mp3"], [], ["-"], ["--json", "/a.mp3"], ["/a.mp3", "--no-time"],
        ["--session", "kitchen", "/a.mp3", "--json"],
    ])
    func `A plain call of play means the same as to the parser`(arguments: [String]) throws {
        let parsed = try PlayVerb.parse(arguments).run

        #expect(PlainCall(["play"] + arguments) == .play(parsed))
    }

    @Test func `A plain call of play without files keeps the output, unless one is given`() throws {
        let plain = try PlayVerb.parse(["--json"]).run
        let server = try PlayVerb.parse(["--server", "tcp:x"]).run
        let device = try PlayVerb.parse(["--device", "y"]).run
        let simple = try PlayVerb.parse(["--output", "pulse-simple"]).run
        let silence = try PlayVerb.parse(["--output", "null"]).run
        let file = try PlayVerb.parse(["/a.mp3"]).run

        #expect(plain.request.output == nil)
        #expect(server.request.output == OutputOption.pulse.choice(server: "tcp:x", device: nil))
        #expect(
            device.request.output
                == OutputOption.pulse.choice(server: PlayRun.usualServer, device: "y"))
        #expect(
            simple.request.output
                == OutputOption.pulseSimple.choice(server: PlayRun.usualServer, device: nil))
        #expect(silence.request.output == .null)
        #expect(file.request.output == PlayRun.usualOutput)
    }

    @Test(arguments: [[], ["--json"], ["--session", "kitchen"], ["--json", "--session", "a"]])
    func `A plain call of one word means the same as to the parser`(arguments: [String]) throws {
        let parsed = try PauseVerb.parse(arguments).options
        let status = try StatusVerb.parse(arguments).options

        #expect(
            PlainCall(["pause"] + arguments)
                == .command(.pause, session: parsed.session, isJSON: parsed.json))
        #expect(
            PlainCall(["status"] + arguments)
                == .status(session: status.session, isJSON: status.json))
    }

    @Test(arguments: PlayerCommand.allCases) func `A plain call can be any of the words`(
        verb: PlayerCommand
    ) {
        #expect(
            PlainCall([verb.rawValue]) == .command(verb, session: "default", isJSON: false))
    }

    @Test(arguments: [
        [], ["--help"], ["play", "--help"], ["play", "-h"], ["play", "--interval", "1", "a"],
        ["play", "--volume=3", "a"], ["play", "--", "a"], ["play", "--session"],
        ["play", "--session", "a/b", "c"], ["play", "--default-file", "/a"], ["pause", "x"],
        ["pause", "--no-time"], ["status", "x"],
        ["seek", "10"], ["volume"], ["pley", "x"], ["help", "play"],
    ])
    func `A plain call cannot be anything else`(arguments: [String]) {
        #expect(PlainCall(arguments) == nil)
    }
}
