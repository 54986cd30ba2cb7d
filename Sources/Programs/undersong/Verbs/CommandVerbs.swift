import ArgumentParser
import UndersongBackground
import UndersongPlayback

/// A verb that is one command on the wire and shows the new status.
protocol CommandVerb: Verb {
    var options: SessionOptions { get }
    static var command: PlayerCommand { get }
}

extension CommandVerb {
    static func described(
        _ abstract: String, discussion: String = ""
    ) -> CommandConfiguration {
        described(command.rawValue, abstract, discussion: discussion)
    }

    func perform() throws { try options.perform(Self.command) }
}

extension SessionOptions {
    /// Sends a command and shows the new status. If no service is running, one is started that
    /// restores the last one's queue, so that keys bound to a command work at any time. Reports if
    /// sound is requested but not permitted in the background; verbs that do nothing but request
    /// sound then fail.
    func perform(_ command: PlayerCommand, times: Int? = nil) throws {
        let service = try service(to: command.rawValue)
        let status = try service.call(Command(command, times: times))
        show(status, StatusText.line)
        guard BackgroundSilence.isReason(of: status) else { return }
        if command == .resume || command == .toggle {
            throw Failure(BackgroundSilence.message, status: Failure.notPermitted)
        }
        complain(BackgroundSilence.message)
    }
}

/// The number of items that a verb skips.
struct Times: ParsableArguments {
    @Argument(help: "How many items; 1 by default.") var times: Int?

    func validate() throws {
        guard let times, !(1...Command.mostTimes ~= times) else { return }
        throw ValidationError("'\(times)' is not a number from 1 to \(Command.mostTimes).")
    }
}

/// The exit status of a verb that requests sound, as `--help` describes it.
private let statusOfSound =
    "Exit status: 77 if it stays silent because music may not play in the background; "
    + "'undersong capability audio on' allows it."

struct PauseVerb: CommandVerb {
    static let command = PlayerCommand.pause
    static let configuration = described("Pause. Resuming continues at the exact sample.")
    @OptionGroup var options: SessionOptions
}

struct ResumeVerb: CommandVerb {
    static let command = PlayerCommand.resume
    static let configuration = described(
        "Resume at the very next sample.", discussion: statusOfSound)
    @OptionGroup var options: SessionOptions
}

struct ToggleVerb: CommandVerb {
    static let command = PlayerCommand.toggle
    static let configuration = described("Pause or resume.", discussion: statusOfSound)
    @OptionGroup var options: SessionOptions
}

struct StopVerb: CommandVerb {
    static let command = PlayerCommand.stop
    static let configuration = described("Stop playing; the queue is kept.")
    @OptionGroup var options: SessionOptions
}

struct NextVerb: CommandVerb {
    static let command = PlayerCommand.next
    static let configuration = described("Skip to the next item, or several items ahead.")
    @OptionGroup var count: Times
    @OptionGroup var options: SessionOptions

    func perform() throws { try options.perform(Self.command, times: count.times) }
}

struct NextChapterVerb: CommandVerb {
    static let command = PlayerCommand.nextChapter
    static let configuration = described(
        "Skip to the next chapter, or from the last one to the next item.")
    @OptionGroup var options: SessionOptions
}

struct PreviousChapterVerb: CommandVerb {
    static let command = PlayerCommand.previousChapter
    static let configuration = described(
        "Go back to the start of the chapter, or near it to the previous chapter.")
    @OptionGroup var options: SessionOptions
}

struct PreviousVerb: CommandVerb {
    static let command = PlayerCommand.previous
    static let configuration = described(
        "Go back to the previous item, or several items.")
    @OptionGroup var count: Times
    @OptionGroup var options: SessionOptions

    func perform() throws { try options.perform(Self.command, times: count.times) }
}

/// A verb that the service's program performs.
protocol ServiceVerb: Verb {
    /// The arguments after the verb.
    var arguments: [String] { get }
}

extension ServiceVerb {
    /// Replaces this process by `undersongd` with the same arguments.
    func perform() throws {
        let name = Self.configuration.commandName ?? ""
        throw ServiceProgram.become([name] + arguments)
    }
}

struct ServeVerb: ServiceVerb {
    static let configuration = described(
        "serve", "Run the service until SIGTERM or 'undersong shutdown'.")
    @Argument(parsing: .captureForPassthrough, help: "Listed by 'undersong serve --help'.")
    var arguments: [String] = []
}

struct RenderVerb: ServiceVerb {
    static let configuration = described(
        "render", "Render a queue to a WAV file, as it would be heard.")
    @Argument(parsing: .captureForPassthrough, help: "Listed by 'undersong render --help'.")
    var arguments: [String] = []
}

struct VerifyVerb: ServiceVerb {
    static let configuration = described(
        "verify", "Verify that files are undamaged, and report their true length and their seams.")
    @Argument(parsing: .captureForPassthrough, help: "Listed by 'undersong verify --help'.")
    var arguments: [String] = []
}
