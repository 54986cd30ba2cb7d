import Foundation
import Glibc
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongControl

@testable import UndersongCLI

/// The verbs that run until they are ended, as programs.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `A verb that follows` {
    @Test func `The verb events requests the given kinds and times, and reports no host state`()
        throws
    {
        let service = try FakeService { _, _ in
            ControlReply(Subscribe.Reply(subscription: 1))
        }
        defer { service.end() }

        let program = try Program(
            ["events", "--interval", "0.25", "--kinds", "time,state"],
            environment: service.environment)
        try service.wait { try !$0.calls(Subscribe.self).isEmpty }
        program.signal(SIGTERM)

        #expect(try program.wait() == 143)
        let call = try #require(service.calls(Subscribe.self).first)
        #expect(call.interval?.seconds == 0.25)
        #expect(call.kinds == ["time", "state"])
        #expect(call.isWritten == true)
        #expect(service.descriptors(with: Subscribe.self) == [1])
        #expect(service.methods == [Subscribe.method])
    }

    @Test func `The verb events fails with 69 when the service goes away`() throws {
        let service = try FakeService { _, _ in
            ControlReply(Subscribe.Reply(subscription: 1))
        }
        defer { service.end() }

        let program = try Program(["events"], environment: service.environment)
        try service.wait { try !$0.calls(Subscribe.self).isEmpty }
        service.end()

        #expect(try program.wait() == 69)
        #expect(
            program.errorText
                == "undersong: cannot follow the events: The service has gone away\n")
    }

    @Test func `The verb events with --wait follows the service that comes, and the next one`()
        throws
    {
        let service = try FakeService(session: nil) { _, _ in
            ControlReply(Subscribe.Reply(subscription: 1))
        }
        defer { service.end() }

        let program = try Program(
            ["events", "--wait", "--kinds", "state"], environment: service.environment)
        try program.waitForOutput { $0.errorText.contains("no service is running, waiting") }
        try service.begin(session: "default")
        try service.wait { try $0.calls(Subscribe.self).count == 1 }
        service.disconnect()
        try service.wait { try $0.calls(Subscribe.self).count == 2 }
        program.signal(SIGTERM)

        #expect(try program.wait() == 143)
        #expect(
            program.errorText == "undersong: no service is running, waiting for it\n"
                + "undersong: the service has gone away, waiting for it\n")
        #expect(try Set(service.calls(Subscribe.self).map(\.kinds)) == [["state"]])
        #expect(service.descriptors(with: Subscribe.self) == [1, 1])
    }

    @Test func `Following the status says that nothing plays until there is a service again`()
        throws
    {
        let service = try FakeService { request, _ in
            request.method == GetStatus.method
                ? ControlReply(PlayerStatus.paused) : ControlReply(Subscribe.Reply(subscription: 1))
        }
        defer { service.end() }

        let program = try Program(
            ["status", "--follow", "--wait", "--format", "{title}"],
            environment: service.environment)
        try program.waitForOutput { $0.text == "Second Song\n" }
        service.disconnect()
        try service.wait { try $0.calls(Subscribe.self).count == 2 }
        service.send(event: .state(.paused))
        try program.waitForOutput { $0.text == "Second Song\n\nSecond Song\n" }
        program.signal(SIGTERM)

        #expect(try program.wait() == 143)
        #expect(program.errorText == "undersong: the service has gone away, waiting for it\n")
    }

    @Test(arguments: [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137)])
    func `The verb task run ends with its command's status`(command: String, status: Int32) throws {
        let service = try Self.tasks()
        defer { service.end() }

        let program = try Program(
            ["task", "run", "--name", "work", "--", "sh", "-c", command],
            environment: service.environment)

        #expect(try program.wait() == status)
        #expect(try service.calls(BeginTask.self).map(\.name) == ["work"])
        #expect(try service.calls(EndTask.self).map(\.task) == [5])
    }

    @Test func `The verb task run writes its end as JSON on request`() throws {
        let service = try Self.tasks()
        defer { service.end() }

        let task = try Program(
            ["task", "run", "--json", "--", "sh", "-c", "echo hello; exit 3"],
            environment: service.environment)
        let status = try task.wait()

        #expect(status == 3)
        #expect(task.text == "hello\n" + #"{"status":3,"task":5}"# + "\n")
    }

    @Test func `The verb task run asks its command to end when the time is almost over`() throws {
        let service = try Self.tasks()
        defer { service.end() }

        let program = try Program(
            ["task", "run", "--", "sh", "-c", "trap 'echo ended; exit 3' TERM; echo; read x"],
            environment: service.environment, input: try Self.silence())
        try program.waitForOutput { !$0.text.isEmpty }
        service.send(TaskExpiring(task: 5, timeRemaining: 4.9))

        #expect(try program.wait() == 3)
        #expect(program.text == "\nended\n")
        #expect(
            program.errorText
                == "undersong: 4.9 s left in the background, asking sh to end (SIGTERM)\n")
    }

    @Test func `The verb task run kills a command that overstays`() throws {
        let service = try Self.tasks()
        defer { service.end() }

        let program = try Program(
            ["task", "run", "--", "sh", "-c", "trap '' TERM; echo; read x"],
            environment: service.environment, input: try Self.silence())
        try program.waitForOutput { !$0.text.isEmpty }
        service.send(TaskExpiring(task: 5, timeRemaining: 4.9))
        service.send(TaskTerminated(task: 5))

        #expect(try program.wait() == 137)
        #expect(
            program.errorText.hasSuffix(
                "undersong: no time left in the background, killing sh (SIGKILL)\n"))
    }

    @Test func `The verb task run passes signals on to its command`() throws {
        let service = try Self.tasks()
        defer { service.end() }

        let program = try Program(
            ["task", "run", "--", "sh", "-c", "trap 'exit 4' HUP; echo; read x"],
            environment: service.environment, input: try Self.silence())
        try program.waitForOutput { !$0.text.isEmpty }
        program.signal(SIGHUP)

        #expect(try program.wait() == 4)
    }

    @Test func `The verb task run runs nothing if no time is left`() throws {
        let service = try Self.tasks(task: nil)
        defer { service.end() }

        let program = try Program(
            ["task", "run", "--", "echo", "hello"], environment: service.environment)

        #expect(try program.wait() == 1)
        #expect(program.text == "")
        #expect(
            program.errorText
                == "undersong: cannot run echo: No background time is left; it returns while "
                + "undersong play is in the foreground\n")
    }

    @Test func `The verb task run reports a command that does not exist`() throws {
        let service = try Self.tasks()
        defer { service.end() }

        let program = try Program(
            ["task", "run", "--", "/nowhere/x"], environment: service.environment)

        #expect(try program.wait() == 127)
        #expect(
            program.errorText == "undersong: cannot run /nowhere/x: No such file or directory\n")
    }

    /// A service that gives every task the number 5.
    private static func tasks(task: Int? = 5) throws -> FakeService {
        try FakeService { request, _ in
            switch request.method {
            case BeginTask.method:
                ControlReply(BeginTask.Reply(task: task, timeRemaining: nil))
            case GetTaskTime.method: ControlReply(GetTaskTime.Reply(timeRemaining: 12.34))
            case Subscribe.method: ControlReply(Subscribe.Reply(subscription: 1))
            default: ControlReply(Nothing())
            }
        }
    }

    /// A standard input that never has any data.
    private static func silence() throws -> Int32 {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        return ends[0]
    }
}
