import ArgumentParser
import CommandOptions
import Control

/// How to play what is heard in several goes, where a run is asked for.
struct LongFormOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: "Begin items of 20 minutes or more where they were left.")
    var resumeItems: Bool?

    @Option(help: "Seconds to go back at most when such an item goes on behind a long pause.")
    var skipBack: Double?

    func validate() throws { try PlayingOptions.check("--skip-back", skipBack, 0...600) }

    /// `change`, and what of this concerns the player.
    func added(to change: Settings.Change) -> Settings.Change {
        var change = change
        change.resumeItems = resumeItems
        change.skipBack = skipBack
        return change
    }
}
