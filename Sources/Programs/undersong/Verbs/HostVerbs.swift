import ArgumentParser
import Glibc
import UndersongBackground
import UndersongBase
import UndersongCommandOptions

/// `undersong host`: shows or overrides the host's state.
struct HostVerb: Verb {
    static let configuration = described(
        "host", "Show or set the host's state, regardless of the terminals.",
        discussion: """
            In the background the player may be heard only if the mode audio is declared. With auto, \
            the terminals decide the state again.
            """)

    @Argument(choice: "The state: active, inactive, background, auto.") var state: HostOption?
    @OptionGroup var options: SessionOptions

    func perform() throws {
        guard let state else { return try ask("show the host's state", GetHostStatus()) }
        guard let fixed = ApplicationState(name: state.rawValue) else {
            return try ask("set the host's state", FollowClients())
        }
        try ask("set the host's state", SetHost(fixed))
    }

    private func ask<Call: ControlCall>(_ purpose: String, _ call: Call) throws
    where Call.Reply == HostStatus {
        try options.ask(purpose, call, startsService: false) {
            "\($0.state.name) (\($0.source))"
        }
    }
}

/// `undersong interrupt`: begins or ends an interruption, as a call would.
struct InterruptVerb: Verb {
    static let configuration = described(
        "interrupt", "Begin or end an interruption of playback.",
        discussion: """
            An interruption stands for a call: until it ends, an active host is inactive. Playback \
            stays paused after it unless --should-resume is given. Every interruption that begins \
            must end.
            """)

    /// The action.
    enum Change: String, Choice {
        case begin, end
    }

    @Argument(choice: "The change: begin, end.") var change: Change
    @Flag(help: "With end: resume what was playing before.") var shouldResume = false
    @OptionGroup var options: SessionOptions

    func validate() throws {
        guard change == .begin, shouldResume else { return }
        throw ValidationError("--should-resume is for end only.")
    }

    func perform() throws {
        switch change {
        case .begin:
            try options.ask("interrupt", BeginInterruption(), startsService: false, StatusText.line)
        case .end:
            try options.ask(
                "end the interruption", EndInterruption(shouldResume: shouldResume),
                startsService: false, StatusText.line)
        }
    }
}

/// `undersong task`: finite-length tasks of the host.
struct TaskVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "task", abstract: "Keep the host running while a command runs.",
        subcommands: [Run.self])

    /// `undersong task run`: runs a command during which the host is not suspended.
    struct Run: Verb {
        static let configuration = described(
            "run", "Run a command, and do not suspend the host in the background until it ends.",
            discussion: """
                The host's time in the background is limited. When it is nearly over, the command \
                is asked to end (SIGTERM); when it is over, the command is killed. Ctrl-Z gives the \
                terminal back, and the command continues in the background while there is time.

                Exit status: the command's, or 128 and the number of the signal that ended it.
                """)

        @Option(help: "The task's name; by default the command's.") var name: String?

        @Flag(help: "Print the task and the command's exit status as JSON at the end.")
        var json = false

        @OptionGroup var session: SessionName
        @Argument(parsing: .postTerminator, help: "The command, after --.") var command: [String]

        private struct Outcome: Encodable {
            var task: Int
            var status: Int32
        }

        func perform() throws {
            let purpose = "run a task"
            let name = name ?? command.first ?? ""
            let service = Service()
            let runner = CommandRunner(name: name, jobControl: service.jobControl)
            try service.connect(to: purpose, session: session.text) { runner.handle($0) }
            guard let task = try service.call(BeginTask(name: name)).task else {
                throw Failure(
                    "cannot run \(name): No background time is left; it returns while undersong "
                        + "play is in the foreground")
            }
            let status = try runner.run(command)
            _ = try? service.call(EndTask(task))
            if json {
                writeOutput(JSONLine.text(of: Outcome(task: task, status: status)) + "\n")
            }
            throw ExitCode(status)
        }
    }
}
