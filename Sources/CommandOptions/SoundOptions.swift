package import ArgumentParser
package import Control

/// How to get along with the sound server, its devices and other sounds, where a player is asked for.
/// What is not said stays as it is.
package struct SoundOptions: ParsableArguments, Sendable {
    @Option(
        help: "What to do when the device is gone: pause, follow, wait.",
        completion: UnplugOption.completion, transform: UnplugOption.parse)
    package var onUnplug: UnplugOption?

    @Option(
        help: "How to sound beside others: exclusive, mix, duck, interruptSpoken.",
        completion: MixingOption.completion, transform: MixingOption.parse)
    package var mixing: MixingOption?

    @Option(
        help: "What to keep from happening by itself while sound runs: sleep, none.",
        completion: InhibitOption.completion, transform: InhibitOption.parse)
    package var inhibit: InhibitOption?

    package init() {}

    /// `change`, and what of this concerns the player.
    package func added(to change: Settings.Change) -> Settings.Change {
        var change = change
        change.onUnplug = onUnplug?.rawValue
        change.mixing = mixing?.rawValue
        change.inhibit = inhibit?.rawValue
        return change
    }
}
