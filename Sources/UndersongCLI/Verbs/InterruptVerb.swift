import ArgumentParser
import CommandOptions
import Control

/// `undersong interrupt`: begins or ends an interruption, as a call would.
struct InterruptVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "interrupt",
        abstract: "Interrupt what is played, or end that.",
        discussion: """
            An interruption ends silent, unless --should-resume says that what was played before may \
            go on. Each one that has begun has to end.
            """)

    /// What to do.
    enum Change: String, Choice {
        case begin, end
    }

    @Argument(
        help: "What to do: begin, end.", completion: Change.completion, transform: Change.parse)
    var change: Change

    @Flag(help: "With end: what was played before goes on.")
    var shouldResume = false

    @OptionGroup var options: SessionOptions

    func validate() throws {
        guard change == .begin, shouldResume else { return }
        throw ValidationError("--should-resume goes with end only.")
    }

    func perform() throws {
        try options.ask(
            change == .begin ? "interrupt" : "end the interruption",
            Interrupt(begin: change == .begin, shouldResume: shouldResume), StatusText.line)
    }
}
