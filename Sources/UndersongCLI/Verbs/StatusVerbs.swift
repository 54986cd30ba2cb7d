import ArgumentParser
import Control

/// `undersong status`: tells what the player does.
struct StatusVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Tell what is played, where, and how.")

    @OptionGroup var options: SessionOptions

    func perform() throws { try options.teller.tellStatus() }
}

extension Teller {
    /// Tells what the player does.
    func tellStatus() throws { try ask("tell the status", GetStatus(), StatusText.screen) }
}

/// `undersong why`: tells why there is sound or none.
struct WhyVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "why", abstract: "Tell on one screen why there is sound, or none.")

    @OptionGroup var options: SessionOptions

    func perform() throws {
        try options.ask("tell why", GetWhy()) { WhyText($0).screen }
    }
}
