import ArgumentParser
import CommandOptions
import Control

/// `undersong on-unplug`: tells what is done when the device is gone, or changes it.
struct OnUnplugVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "on-unplug",
        abstract: "Tell what is done when the device is gone, or change it.",
        discussion: """
            With pause it pauses and stays so; with follow it goes on where the sound server sends \
            it; with wait it waits for the same device and goes on there.
            """)

    @Argument(
        help: "What to do: pause, follow, wait.", completion: UnplugOption.completion,
        transform: UnplugOption.parse)
    var policy: UnplugOption?

    @OptionGroup var options: SessionOptions

    func perform() throws {
        var change = Settings.Change()
        change.onUnplug = policy?.rawValue
        try options.ask(
            policy == nil ? "tell the unplug policy" : "change the unplug policy",
            SetSettings(change), StatusText.onUnplug)
    }
}

/// `undersong mixing`: tells how it sounds beside others, or changes it.
struct MixingVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "mixing",
        abstract: "Tell how it sounds beside others, or change it.",
        discussion: """
            With exclusive it interrupts others that do not mix, and they interrupt it; with mix it \
            sounds beside them; with duck they are softer meanwhile; with interruptSpoken their \
            speech stops and the rest is softer.
            """)

    @Argument(
        help: "How: exclusive, mix, duck, interruptSpoken.", completion: MixingOption.completion,
        transform: MixingOption.parse)
    var mode: MixingOption?

    @OptionGroup var options: SessionOptions

    func perform() throws {
        var change = Settings.Change()
        change.mixing = mode?.rawValue
        try options.ask(
            mode == nil ? "tell the mixing mode" : "change the mixing mode", SetSettings(change),
            StatusText.mixing)
    }
}

/// `undersong inhibit`: tells whether the machine is kept awake while sound runs, or changes it.
struct InhibitVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "inhibit",
        abstract: "Tell whether the machine is kept awake while sound runs, or change it.")

    @Argument(
        help: "What to keep from happening by itself: sleep, none.",
        completion: InhibitOption.completion, transform: InhibitOption.parse)
    var inhibition: InhibitOption?

    @OptionGroup var options: SessionOptions

    func perform() throws {
        var change = Settings.Change()
        change.inhibit = inhibition?.rawValue
        try options.ask(
            inhibition == nil ? "tell what is inhibited" : "change what is inhibited",
            SetSettings(change), StatusText.inhibit)
    }
}
