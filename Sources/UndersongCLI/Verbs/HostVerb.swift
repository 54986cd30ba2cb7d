import ArgumentParser
import CommandOptions
import Control

/// `undersong host`: tells where the host is, or says it.
struct HostVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "host",
        abstract: "Tell the host's state, or say it, whatever the terminals tell.",
        discussion: "With auto the terminals are believed again.")

    @Argument(
        help: "The state: active, inactive, background, auto.", completion: HostOption.completion,
        transform: HostOption.parse)
    var state: HostOption?

    @OptionGroup var options: SessionOptions

    func perform() throws {
        let purpose = state == nil ? "tell the host's state" : "set the host's state"
        try options.ask(purpose, Control.Host(state?.rawValue)) { "\($0.state) (\($0.source))" }
    }
}
