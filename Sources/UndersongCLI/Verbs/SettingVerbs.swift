import ArgumentParser
import CommandOptions
import Control

/// `undersong volume`: tells the loudness, or changes it.
struct VolumeVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "volume",
        abstract: "Tell the loudness, or change it.",
        discussion: "LOUDNESS is 80 for percents, +5 and -5 for more and less, mute or unmute.")

    @Argument(help: "How loud to be.")
    var loudness: VolumeTarget?

    @OptionGroup var options: SessionOptions

    func perform() throws {
        let change = loudness?.change ?? Settings.Change()
        try options.ask(
            loudness == nil ? "tell the volume" : "change the volume", SetSettings(change),
            StatusText.volume)
    }
}

/// `undersong rate`: tells the speed, or changes it.
struct RateVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "rate", abstract: "Tell the speed, or change it; the pitch is kept.")

    @Argument(help: "Speed, 0.5 to 2.")
    var speed: Double?

    @OptionGroup var options: SessionOptions

    func validate() throws { try PlayingOptions.check("The speed", speed, 0.5...2) }

    func perform() throws {
        var change = Settings.Change()
        change.rate = speed
        try options.ask(
            speed == nil ? "tell the rate" : "change the rate", SetSettings(change),
            StatusText.rate)
    }
}

/// `undersong repeat`: tells what is played again, or changes it.
struct RepeatVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "repeat", abstract: "Tell what is played again, or change it.")

    @Argument(
        help: "What to play again: off, one, all.", completion: RepeatOption.completion,
        transform: RepeatOption.parse)
    var mode: RepeatOption?

    @OptionGroup var options: SessionOptions

    func perform() throws {
        var change = Settings.Change()
        change.repeat = mode?.rawValue
        try options.ask(
            mode == nil ? "tell what is repeated" : "change what is repeated",
            SetSettings(change), StatusText.repeatMode)
    }
}

/// `undersong shuffle`: tells whether the order is random, or changes it.
struct ShuffleVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "shuffle", abstract: "Tell whether the order is random, or change it.")

    @Argument(
        help: "Random order: on, off.", completion: Switch.completion, transform: Switch.parse)
    var random: Switch?

    @OptionGroup var options: SessionOptions

    func perform() throws {
        var change = Settings.Change()
        change.shuffle = random?.isOn
        try options.ask(
            random == nil ? "tell the order" : "change the order", SetSettings(change),
            StatusText.shuffle)
    }
}
