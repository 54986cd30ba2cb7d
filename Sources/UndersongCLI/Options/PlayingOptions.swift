import ArgumentParser
import Control
import Playback

/// How to play, where a run is asked for. What is not said stays as it is.
struct PlayingOptions: ParsableArguments {
    @Option(help: "Loudness in percent, 0 to 100.")
    var volume: Double?

    @Option(help: "Speed, 0.5 to 2; the pitch is kept.")
    var rate: Double?

    @Option(
        name: .customLong("repeat"), help: "What is played again: off, one, all.",
        completion: RepeatOption.completion, transform: RepeatOption.parse)
    var repeatMode: RepeatOption?

    @Flag(inversion: .prefixedNo, help: "Play in random order.")
    var shuffle: Bool?

    @Flag(inversion: .prefixedNo, help: "Stand still behind each item.")
    var single: Bool?

    @Flag(inversion: .prefixedNo, help: "Let an item leave the queue when it is left.")
    var consume: Bool?

    @Option(
        help: "Bring items to one loudness, as their tags say: off, track, album.",
        completion: ReplayGainOption.completion, transform: ReplayGainOption.parse)
    var replayGain: ReplayGainOption?

    @Option(help: "Seconds for which an item goes on while the next begins, 0 to 12.")
    var crossfade: Double?

    @Option(help: "Begin each item at this time of it, in seconds or as 1:02:03.5.")
    var start: Seconds?

    @Option(help: "End each item at this time of it.")
    var end: Seconds?

    func validate() throws {
        try Self.check("--volume", volume, 0...100)
        try Self.check("--rate", rate, 0.5...2)
        try Self.check("--crossfade", crossfade, 0...12)
        if let end, end.time <= (start?.time ?? .zero) {
            throw ValidationError("--end has to be behind --start.")
        }
    }

    /// What of it concerns the player.
    var settings: Settings.Change {
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
    static func check(_ name: String, _ value: Double?, _ range: ClosedRange<Double>) throws {
        guard let value, !range.contains(value) else { return }
        throw ValidationError(
            "\(name) is from \(numberText(range.lowerBound)) to \(numberText(range.upperBound)).")
    }
}

/// What to put into the queue, as it is written on the command line.
extension Files {
    /// Names `files`, of which relative ones begin at this program's folder.
    init(_ files: [String], start: Seconds?, end: Seconds?) {
        let folder = FilePath.current
        self.init(
            files.map { FilePath.absolute($0, in: folder) }, start: start?.wireTime,
            end: end?.wireTime)
    }

    /// The descriptors that go with the message.
    var descriptors: [Int32] { paths.contains("-") ? [0] : [] }
}
