import ArgumentParser
import CommandOptions
import Control

/// `undersong status`: shows the player's status.
struct StatusVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what is playing, on which device, and how.")

    @OptionGroup var options: SessionOptions

    func perform() throws { try options.inquiry.showStatus() }
}

extension Inquiry {
    /// Shows the player's status.
    func showStatus() throws { try ask("show the status", GetStatus(), StatusText.screen) }
}

/// `undersong why`: explains why there is sound or silence.
struct WhyVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "why", abstract: "Explain on one screen why there is sound, or none.")

    @OptionGroup var options: SessionOptions

    func perform() throws {
        let service = try Service(to: "explain why", session: options.session)
        var why = try service.call(GetWhy())
        let downloads = RunningDownloads.list(
            session: options.session, runtimeFolder: Environment.runtimeFolder,
            limit: WhyText.downloadLimit)
        if case .success(let list) = downloads { why.downloads = list }
        why.background = try? service.call(Refresh(.status))
        options.show(why) { WhyText($0).screen }
    }
}
