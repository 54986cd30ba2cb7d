import Control
import Glibc
import TestSupport
import Testing

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
    func `ends the program even if nothing is written`(verb: String) throws {
        let (program, service) = try run(verb)
        defer { service.end() }

        #expect(try program.wait() == 0)
        #expect(program.text == "141\n")
    }
}
