import ArgumentParser
import UndersongBackground
import UndersongCommandOptions
import UndersongControl

/// `undersong interrupt`: begins or ends an interruption, as a call would.
struct InterruptVerb: Verb {
    static let configuration = described(
        "interrupt", "Begin or end an interruption of playback.",
        discussion: """
            Playback stays paused after an interruption unless --should-resume is given. Every \
            interruption that begins must end.
            """)

    /// What to do.
    enum Change: String, Choice {
        case begin, end
    }

    @Argument(choice: "What to do: begin, end.") var change: Change

    @Flag(help: "With end: resume what was playing before.") var shouldResume = false

    @OptionGroup var options: SessionOptions

    func validate() throws {
        guard change == .begin, shouldResume else { return }
        throw ValidationError("--should-resume goes with end only.")
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
