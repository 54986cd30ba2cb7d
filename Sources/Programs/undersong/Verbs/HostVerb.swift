import ArgumentParser
import UndersongCommandOptions
import UndersongControl

/// `undersong host`: shows or overrides the host's state.
struct HostVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "host",
        abstract: "Show or set the host's state, regardless of the terminals.",
        discussion: """
            The player may sound in the background only if the mode audio is declared. With auto, the \
            terminals decide again whether it is there.
            """)

    @Argument(
        help: "The state: active, inactive, background, auto.", completion: HostOption.completion,
        transform: HostOption.parse)
    var state: HostOption?

    @OptionGroup var options: SessionOptions

    func perform() throws {
        let purpose = state == nil ? "show the host's state" : "set the host's state"
        try options.ask(purpose, UndersongControl.Host(state?.rawValue)) {
            "\($0.state) (\($0.source))"
        }
    }
}
