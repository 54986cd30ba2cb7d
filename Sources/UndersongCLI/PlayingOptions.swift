public import ArgumentParser
import AudioSession
public import Playback

/// How to play, for every verb that does.
struct PlayingOptions: ParsableArguments {
    @Option(help: "Loudness in percent, 0 to 100.")
    var volume = 100.0

    @Option(help: "Speed, 0.5 to 2; the pitch is kept.")
    var rate = 1.0

    @Option(name: .customLong("repeat"), help: "What is played again: off, one, all.")
    var repeatMode = RepeatMode.off

    @Flag(help: "Play in random order.")
    var shuffle = false

    @Flag(help: "Stand still behind each item.")
    var single = false

    @Flag(help: "Let an item leave the queue when it is left.")
    var consume = false

    @Option(help: "Bring items to one loudness, as their tags say: off, track, album.")
    var replayGain = ReplayGainMode.off

    @Option(help: "Seconds for which an item goes on while the next begins, 0 to 12.")
    var crossfade = 0.0

    @Option(help: "Begin each item at this time of it, in seconds or as 1:02:03.5.")
    var start = Seconds(.zero)

    @Option(help: "End each item at this time of it.")
    var end: Seconds?

    func validate() throws {
        try check("--volume", volume, 0...100)
        try check("--rate", rate, 0.5...2)
        try check("--crossfade", crossfade, 0...12)
        if let end, end.time <= start.time {
            throw ValidationError("--end has to be behind --start.")
        }
    }

    /// What of it concerns the player.
    var settings: PlayerSettings {
        var settings = PlayerSettings()
        settings.volume = Float(volume / 100)
        settings.rate = rate
        settings.modes = PlaybackModes(
            repeatMode: repeatMode, isShuffled: shuffle, isSingle: single, isConsuming: consume)
        settings.replayGain = replayGain
        settings.crossfade = crossfade
        return settings
    }

    /// What of it concerns each item.
    func entry(_ source: MediaSource) -> QueueEntry {
        QueueEntry(source, start: start.time, end: end?.time)
    }

    private func check(_ name: String, _ value: Double, _ range: ClosedRange<Double>) throws {
        guard !range.contains(value) else { return }
        throw ValidationError(
            "\(name) is from \(text(range.lowerBound)) to \(text(range.upperBound)).")
    }

    private func text(_ number: Double) -> String {
        number == number.rounded() ? String(Int(number)) : String(number)
    }
}

extension RepeatMode: ExpressibleByArgument {}
extension ReplayGainMode: ExpressibleByArgument {}
