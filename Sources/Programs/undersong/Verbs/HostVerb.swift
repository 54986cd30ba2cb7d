import ArgumentParser
import UndersongBackground
import UndersongCommandOptions
import UndersongControl

/// `undersong host`: shows or overrides the host's state.
struct HostVerb: Verb {
    static let configuration = described(
        "host", "Show or set the host's state, regardless of the terminals.",
        discussion: """
            The player may sound in the background only if the mode audio is declared. With auto, the \
            terminals decide again whether it is there.
            """)

    @Argument(choice: "The state: active, inactive, background, auto.") var state: HostOption?

    @OptionGroup var options: SessionOptions

    func perform() throws {
        switch state {
        case nil:
            try options.ask("show the host's state", GetHostStatus(), startsService: false, text)
        case .auto:
            try options.ask("set the host's state", FollowClients(), startsService: false, text)
        case .active: try set(.active)
        case .inactive: try set(.inactive)
        case .background: try set(.background)
        }
    }

    private func set(_ state: UndersongBackground.ApplicationState) throws {
        try options.ask("set the host's state", SetHost(state), startsService: false, text)
    }

    private func text(_ host: HostStatus) -> String { "\(host.state.name) (\(host.source))" }
}
