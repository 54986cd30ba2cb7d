package import ArgumentParser
package import Control
import Playback

/// How to play, where a run is asked for. What is not said stays as it is.
package struct PlayingOptions: ParsableArguments, Sendable {
    @Option(help: "Loudness in percent, 0 to 100.")
    package var volume: Double?

    @Option(help: "Speed, 0.5 to 2; the pitch is kept.")
    package var rate: Double?

    @Option(
        name: .customLong("repeat"), help: "What is played again: off, one, all.",
        completion: RepeatOption.completion, transform: RepeatOption.parse)
    package var repeatMode: RepeatOption?

    @Flag(inversion: .prefixedNo, help: "Play in random order.")
    package var shuffle: Bool?

    @Flag(inversion: .prefixedNo, help: "Stand still behind each item.")
    package var single: Bool?

    @Flag(inversion: .prefixedNo, help: "Let an item leave the queue when it is left.")
    package var consume: Bool?

    @Option(
        help: "Bring items to one loudness, as their tags say: off, track, album.",
        completion: ReplayGainOption.completion, transform: ReplayGainOption.parse)
    package var replayGain: ReplayGainOption?

    @Option(help: "Seconds for which an item goes on while the next begins, 0 to 12.")
    package var crossfade: Double?

    @Option(help: "Begin each item at this time of it, in seconds or as 1:02:03.5.")
    package var start: Seconds?

    @Option(help: "End each item at this time of it.")
    package var end: Seconds?

    package init() {}

    package func validate() throws {
        try Self.check("--volume", volume, 0...100)
        try Self.check("--rate", rate, 0.5...2)
        try Self.check("--crossfade", crossfade, 0...12)
        if let end, end.time <= (start?.time ?? .zero) {
            throw ValidationError("--end has to be behind --start.")
        }
    }

    /// What of it concerns the player.
    package var settings: Settings.Change {
        var change = Settings.Change()
        change.volume = volume
        change.rate = rate
        change.repeat = repeatMode?.rawValue
        change.shuffle = shuffle
        change.single = single
        change.consume = consume
        change.replayGain = replayGain?.rawValue
        change.crossfade = crossfade
        return change
    }

    /// Throws when `value`, given as `name`, is out of range.
    package static func check(_ name: String, _ value: Double?, _ range: ClosedRange<Double>) throws
    {
        guard let value, !range.contains(value) else { return }
        throw ValidationError(
            "\(name) is from \(numberText(range.lowerBound)) to \(numberText(range.upperBound)).")
    }
}

/// Which times are told of in events, for every verb that tells them.
package struct TimeOptions: ParsableArguments, Sendable {
    @Option(help: "Seconds between time events on an item's timeline, as 1/100 or 0.25.")
    package var interval = Interval(CMTime(value: 1, timescale: 100))

    @Flag(help: "Tell no time events, which costs least.")
    package var noTime = false

    @Option(help: "Tell when an item's time crosses this many seconds; may be given again.")
    package var at: [Seconds] = []

    package init() {}
}
