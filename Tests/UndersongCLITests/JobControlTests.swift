import Foundation
import Glibc
import TestSupport
import Testing
import UndersongBase
import UndersongControl

@testable import UndersongBackground
@testable import UndersongCLI

/// Verbs that have work, on a terminal with a shell and job control.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `A verb that has work` {
    @Test(arguments: [
        ("push run -- true", RegisterForPushes.method),
        ("fetch run -- true", RegisterRefresh.method),
        ("processing run -- true", SubmitRefresh.method),
        ("task run -- sleep 1000", BeginTask.method),
    ])
    func `A verb that has work says that Ctrl-Z stops it, and that it was continued`(
        verb: String, registration: String
    ) throws {
        let stage = try Stage()
        defer { stage.end() }

        try stage.start(verb)
        try stage.service.wait { $0.methods.contains(registration) }
        try stage.stop()
        let stopped = try stage.reports()
        // As the service does for work in the background.
        kill(-(try stage.process), SIGCONT)
        try stage.service.wait { _ in try stage.reports().count == 2 }
        try waitUntil { try stage.state != "T" }
        let isForeground = try stage.isForeground
        try stage.terminal.run("fg", untilPrompt: false)
        // The shell does not continue a job that it knows to be running.
        try waitUntil { try stage.isForeground }

        #expect(stopped == [WillStop.method])
        #expect(!isForeground)
        #expect(
            try stage.reports().prefix(2) == [WillStop.method, DidContinue.method])
    }

    @Test func `A program with a state of its own sends it before it stops and when it continues`()
        throws
    {
        let stage = try Stage()
        defer { stage.end() }

        // The shell's terminal is a dumb one.
        try stage.terminal.run("TERM=xterm \(Program.undersong) ui", untilPrompt: false)
        try stage.service.wait { $0.methods.contains(Subscribe.method) }
        try stage.stop()
        try stage.terminal.run("fg", untilPrompt: false)
        try stage.service.wait { try $0.calls(Attach.self).count == 3 }

        let states = [Attach.method, WillStop.method, DidContinue.method]
        #expect(
            stage.service.methods.filter(states.contains) == [
                Attach.method, Attach.method, WillStop.method, DidContinue.method, Attach.method,
            ])
        #expect(
            try stage.service.calls(Attach.self).map(\.state) == [
                .active, .background, .active,
            ])
    }

    @Test func `A verb that has work stops although the service does not answer`() throws {
        let stage = try Stage(answersStops: false)
        defer { stage.end() }

        try stage.start("push run -- true")
        try stage.service.wait { $0.methods.contains(RegisterForPushes.method) }
        try stage.stop()

        #expect(try stage.reports() == [WillStop.method])
    }

    @Test func `A verb that nobody could continue does not stop, and says so`() throws {
        let service = try Stage.service()
        defer { service.end() }

        // It leads a session without a terminal.
        let program = try Program(["push", "run", "--", "true"], environment: service.environment)
        try service.wait { $0.methods == [RegisterForPushes.method] }
        program.signal(SIGTSTP)
        try service.wait { $0.methods.contains(DidContinue.method) }
        program.signal(SIGTERM)

        #expect(try program.wait() == 0)
        #expect(
            service.methods == [RegisterForPushes.method, WillStop.method, DidContinue.method])
    }

    @Test func `The command of a push runs while the verb push run is stopped`() throws {
        let stage = try Stage()
        defer { stage.end() }
        let pipe = try stage.pipe("pipe")

        try stage.start("push run -- sh -c 'read line < \(pipe); echo $line > \(pipe).out'")
        try stage.service.wait { $0.methods.contains(RegisterForPushes.method) }
        stage.service.send(
            PushReceived(
                Push(
                    number: 5, identifier: "a", topic: "t",
                    payload: try PushPayload(Array("{\"aps\":{}}".utf8)))))
        let file = try #require(FileHandle(forWritingAtPath: pipe))
        try stage.stop()
        try file.write(contentsOf: Data("done\n".utf8))
        try file.close()
        try waitUntil {
            (try? String(contentsOfFile: pipe + ".out", encoding: .utf8)) == "done\n"
        }

        #expect(try stage.state == "T")
        #expect(try stage.service.calls(AnswerPush.self).isEmpty)
        try stage.terminal.run("fg", untilPrompt: false)
        try stage.service.wait { $0.methods.contains(AnswerPush.method) }
    }

    @Test func `The command of the verb task run is stopped and continued with it`() throws {
        let stage = try Stage()
        defer { stage.end() }
        let pipe = try stage.pipe("pipe")

        try stage.start("task run -- sh -c 'echo begun; read line < \(pipe); echo got $line'")
        try stage.terminal.waitFor("begun\r\n")
        try stage.stop()
        let command = try stage.command
        try waitUntil { try Stage.state(of: command) == "T" }
        kill(-(try stage.process), SIGCONT)
        try waitUntil { try Stage.state(of: command) != "T" }
        try Data("it\n".utf8).write(to: URL(filePath: pipe))
        try stage.terminal.waitFor("got it")
        try stage.service.wait { $0.methods.contains(EndTask.method) }
    }

    @Test func `A command that stops itself at Ctrl-Z, but late, is continued`() throws {
        let stage = try Stage()
        defer { stage.end() }
        let pipe = try stage.pipe("pipe")
        let script =
            "trap \"\" TSTP; echo begun; read line < \(pipe); "
            + "trap - TSTP; kill -TSTP $$; echo \"after it\""

        try stage.start("task run -- bash -c '\(script)'")
        try stage.terminal.waitFor("begun\r\n")
        try stage.stop()
        kill(-(try stage.process), SIGCONT)
        try stage.service.wait { $0.methods.contains(DidContinue.method) }
        try Data("\n".utf8).write(to: URL(filePath: pipe))

        try stage.terminal.waitFor("after it")
    }

    @Test func `A command that was stopped for another reason than Ctrl-Z stays stopped`() throws {
        let stage = try Stage()
        defer { stage.end() }

        try stage.start("task run -- bash -c 'echo begun; kill -TSTP $$; echo after'")
        try stage.terminal.waitFor("begun\r\n")
        let command = try stage.command
        try waitUntil { try Stage.state(of: command) == "T" }
        // It has handled the stop of its command when it reports this.
        kill(try stage.process, SIGCONT)
        try stage.service.wait { $0.methods.contains(DidContinue.method) }
        kill(try stage.process, SIGCONT)
        try stage.service.wait { _ in try stage.reports().count == 2 }

        #expect(try Stage.state(of: command) == "T")
    }
}

/// A shell, and a service that gives work to the programs started in it.
private final class Stage {
    let service: FakeService
    let terminal: Terminal

    init(answersStops: Bool = true) throws {
        service = try Self.service(answersStops: answersStops)
        terminal = try Terminal(environment: service.environment)
    }

    static func service(answersStops: Bool = true) throws -> FakeService {
        try FakeService { request, _ in
            switch request.method {
            case WillStop.method: answersStops ? ControlReply(Nothing()) : nil
            case DidContinue.method, EndTask.method, AnswerPush.method: ControlReply(Nothing())
            case RegisterForPushes.method: ControlReply(PushToken("00ff"))
            case BeginTask.method: ControlReply(BeginTask.Reply(task: 5, timeRemaining: 30))
            case Subscribe.method: ControlReply(Subscribe.Reply(subscription: 1))
            default: ControlReply(RefreshStatus.untouched)
            }
        }
    }

    /// Ends the service, and the program that is stopped, or runs, in the shell.
    func end() {
        if let process = try? process { kill(-process, SIGKILL) }
        service.end()
    }

    func start(_ verb: String) throws {
        try terminal.run("\(Program.undersong) \(verb)", untilPrompt: false)
    }

    /// Types Ctrl-Z, and waits until the program is stopped and the shell has its terminal.
    func stop() throws {
        terminal.type("\u{1A}")
        try terminal.waitFor("Stopped")
        try terminal.waitFor("ready> ")
        try waitUntil { try state == "T" && !isForeground }
    }

    /// Makes a named pipe.
    func pipe(_ name: String) throws -> String {
        let path = service.runtimeFolder + "/" + name
        try #require(mkfifo(path, 0o600) == 0)
        return path
    }

    /// The reports about job control so far.
    func reports() throws -> [String] {
        service.methods.filter { [WillStop.method, DidContinue.method].contains($0) }
    }

    /// The program's process, which is the shell's only job.
    var process: pid_t {
        get throws { try Self.child(of: terminal.shell) }
    }

    /// The process of the command that the program runs.
    var command: pid_t {
        get throws { try Self.child(of: process) }
    }

    /// The state of the program's process: `T` if it is stopped.
    var state: String { get throws { try Self.state(of: process) } }

    /// True if the terminal's keys are the program's.
    var isForeground: Bool {
        get throws {
            let fields = try Self.fields(of: process)
            return fields[2] == fields[5]
        }
    }

    /// The only child of a process. The kernel's list may lack one that is about to run.
    private static func child(of process: pid_t) throws -> pid_t {
        try waitUntil { try !children(of: process).isEmpty }
        return try #require(children(of: process).first)
    }

    static func state(of process: pid_t) throws -> String { try fields(of: process)[0] }

    /// The fields of `/proc/PROCESS/stat` from the state on.
    private static func fields(of process: pid_t) throws -> [String] {
        let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        let end = try #require(text.lastIndex(of: ")"))
        return text[text.index(after: end)...].split(separator: " ").map(String.init)
    }

    private static func children(of process: pid_t) throws -> [pid_t] {
        let path = "/proc/\(process)/task/\(process)/children"
        return try String(contentsOfFile: path, encoding: .utf8).split(separator: " ")
            .compactMap { pid_t($0) }
    }
}
