public import ArgumentParser
public import Playback

/// How to play, for every verb that does.
public struct PlayingOptions: ParsableArguments, Sendable {
    /// Loudness in percent, 0 to 100.
    @Option(help: "Loudness in percent, 0 to 100.")
    public var volume = 100.0

    /// Speed, 0.5 to 2; the pitch is kept.
    @Option(help: "Speed, 0.5 to 2; the pitch is kept.")
    public var rate = 1.0

    /// What is played again: off, one, all.
    @Option(name: .customLong("repeat"), help: "What is played again: off, one, all.")
    public var repeatMode = RepeatMode.off

    /// Play in random order.
    @Flag(help: "Play in random order.")
    public var shuffle = false

    /// Stand still behind each item.
    @Flag(help: "Stand still behind each item.")
    public var single = false

    /// Let an item leave the queue when it is left.
    @Flag(help: "Let an item leave the queue when it is left.")
    public var consume = false

    /// Bring items to one loudness, as their tags say: off, track, album.
    @Option(help: "Bring items to one loudness, as their tags say: off, track, album.")
    public var replayGain = ReplayGainMode.off

    /// Seconds for which an item goes on while the next begins, 0 to 12.
    @Option(help: "Seconds for which an item goes on while the next begins, 0 to 12.")
    public var crossfade = 0.0

    /// Begin each item at this time of it, in seconds or as 1:02:03.5.
    @Option(help: "Begin each item at this time of it, in seconds or as 1:02:03.5.")
    public var start = Seconds(.zero)

    /// End each item at this time of it.
    @Option(help: "End each item at this time of it.")
    public var end: Seconds?

    /// Nothing is chosen but what is usual.
    public init() {}

    /// Errors: a number out of range.
    public func validate() throws {
        try check("--volume", volume, 0...100)
        try check("--rate", rate, 0.5...2)
        try check("--crossfade", crossfade, 0...12)
        if let end, end.time <= start.time {
            throw ValidationError("--end has to be behind --start.")
        }
    }

    /// What of it concerns the player.
    public var settings: PlayerSettings {
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
    public func entry(_ source: MediaSource) -> QueueEntry {
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

/// Which times are told of in events, for every verb that tells them.
public struct TimeOptions: ParsableArguments, Sendable {
    /// Seconds between time events on an item's timeline.
    @Option(help: "Seconds between time events on an item's timeline, as 1/100 or 0.25.")
    public var interval = Interval(CMTime(value: 1, timescale: 100))

    /// Tells no time events, which costs least.
    @Flag(help: "Tell no time events, which costs least.")
    public var noTime = false

    /// Tells when an item's time crosses so many seconds.
    @Option(help: "Tell when an item's time crosses this many seconds; may be given again.")
    public var at: [Seconds] = []

    /// Chooses the usual times.
    public init() {}

    /// The interval, whether it is wanted or not.
    public var time: CMTime { interval.time }

    /// The times that are told of when they are crossed.
    public var boundaries: [CMTime] { at.map(\.time) }
}
