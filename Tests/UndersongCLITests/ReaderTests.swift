import Foundation
import Glibc
import TestSupport
import Testing
import UndersongBackground
import UndersongControl
import UndersongPlayback

@testable import UndersongCLI

/// The verbs that write until their reader goes, as programs.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `A reader that goes away` {
    private func run(_ verb: String) throws -> (program: Program, service: FakeService) {
        let service = try FakeService { request, _ in
            switch request.method {
            case Play.method: ControlReply(Play.Reply(run: 1))
            default: ControlReply(Subscribe.Reply(subscription: 1))
            }
        }
        let script = "\(Program.undersong) \(verb) | true; echo ${PIPESTATUS[0]}"
        let program = try Program(
            ["-c", script], environment: service.environment, by: "/bin/bash")
        return (program, service)
    }

    @Test(arguments: ["events --no-time --kinds state", "play --json /a.mp3"])
    func `A reader that goes away ends the program even if nothing is written`(verb: String) throws
    {
        let (program, service) = try run(verb)
        defer { service.end() }

        #expect(try program.wait() == 0)
        #expect(program.text == "141\n")
    }
}

/// A standard output that cannot be written, for all kinds of verbs.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `An output that cannot be written` {
    private static let calls = [
        "status", "status --json", "status --format '{title}'", "queue", "queue --json",
        "queue export -", "sessions", "volume", "why", "--help", "--version", "verify --help",
        "verify '\(song)'", "verify --json '\(song)'",
    ]
    private static let song = URL(filePath: #filePath)
        .appending(path: "../../../Resources/Demo/01 Slack Water.mp3").standardizedFileURL.path

    @Test(
        arguments: Self.calls,
        [(">/dev/full", "no space left on device"), (">&-", "it is closed")])
    func `An output that cannot be written is an error of each verb`(
        call: String, output: (String, String)
    ) throws {
        let service = try FakeService { request, _ in
            switch request.method {
            case ListQueue.method:
                ControlReply(
                    QueueList(
                        items: [ListedItem(id: 1, title: "One", path: "/a.mp3")], current: 1))
            case GetSettings.method, SetSettings.method: ControlReply(Settings.usual)
            case GetWhy.method: ControlReply(Why.backgrounded)
            case GetStatus.method: ControlReply(PlayerStatus.paused)
            default: throw ControlError(.notPossible, "cannot do it: It is a test")
            }
        }
        defer { service.end() }

        let program = try Program(
            ["-c", "'\(Program.undersong)' \(call) \(output.0)"],
            environment: service.environment, by: "/bin/sh")

        #expect(try program.wait() == 1)
        #expect(
            program.errorText == "undersong: cannot write to standard output: \(output.1)\n")
    }

    @Test func `An output that cannot be written ends a verb that only writes events`() throws {
        let service = try FakeService { _, _ in ControlReply(Subscribe.Reply(subscription: 1)) }
        defer { service.end() }

        let program = try Program(["events"], environment: service.environment)
        try service.wait { $0.methods.contains(Subscribe.method) }
        service.send(ReaderGone(subscription: 1, reason: "no space left on device"))

        #expect(try program.wait() == 1)
        #expect(
            program.errorText
                == "undersong: cannot write to standard output: no space left on device\n")
    }
}
