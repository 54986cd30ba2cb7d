import ArgumentParser
import Glibc
import UndersongBackground
import UndersongBase
import UndersongControl

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
                is asked to end (SIGTERM); when it is over, the command is killed.

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
            let runner = CommandRunner(name: name)
            let service = try Service(to: purpose, session: session.text) { runner.handle($0) }
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
