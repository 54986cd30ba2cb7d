import ArgumentParser
import Control

/// A verb that is one word on the wire too, answered by the new status.
protocol CommandVerb: Verb {
    var options: SessionOptions { get }
    static var command: Command.Verb { get }
}

extension CommandVerb {
    static func described(_ abstract: String) -> CommandConfiguration {
        CommandConfiguration(commandName: command.rawValue, abstract: abstract)
    }

    func perform() throws { try options.teller.perform(Self.command) }
}

extension Teller {
    /// Asks for what a word says, and tells the new status.
    func perform(_ command: Command.Verb) throws {
        try ask(command.rawValue, Command(command), StatusText.line)
    }
}

/// `undersong pause`
struct PauseVerb: CommandVerb {
    static let command = Command.Verb.pause
    static let configuration = described("Be silent, and keep the place to the sample.")
    @OptionGroup var options: SessionOptions
}

/// `undersong resume`
struct ResumeVerb: CommandVerb {
    static let command = Command.Verb.resume
    static let configuration = described("Go on at the very next sample.")
    @OptionGroup var options: SessionOptions
}

/// `undersong toggle`
struct ToggleVerb: CommandVerb {
    static let command = Command.Verb.toggle
    static let configuration = described("Pause, or resume.")
    @OptionGroup var options: SessionOptions
}

/// `undersong stop`
struct StopVerb: CommandVerb {
    static let command = Command.Verb.stop
    static let configuration = described("End the sound; the queue stays.")
    @OptionGroup var options: SessionOptions
}

/// `undersong next`
struct NextVerb: CommandVerb {
    static let command = Command.Verb.next
    static let configuration = described("Leave the current item for the next.")
    @OptionGroup var options: SessionOptions
}

/// `undersong previous`
struct PreviousVerb: CommandVerb {
    static let command = Command.Verb.previous
    static let configuration = described("Go back to the item before.")
    @OptionGroup var options: SessionOptions
}
