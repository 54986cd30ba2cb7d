package import ArgumentParser
import UndersongBackground
package import UndersongPlayback

/// The settings of the command line, in the order of a status and of the verbs.
package let commandSettings: [any CommandSetting.Type] = [
    LinearVolume.self, Volume.self, Mute.self, Rate.self, Repeat.self, Shuffle.self, Single.self,
    Consume.self, ReplayGain.self, ReplayGainPreamp.self, Crossfade.self, ResumeItems.self,
    SkipBack.self, OutputDevice.self, OnUnplug.self, Mixing.self, Inhibit.self,
]

private enum LinearVolume: CommandSetting {
    static let texts = SettingTexts(\.linearVolume.row, "linear volume", .mark)
}

package enum Volume: CommandSetting {
    package static let texts = SettingTexts(
        \.volume.row, "volume", .always,
        verb: .init(
            name: "volume", abstract: "Show or set the volume.",
            discussion: """
                LOUDNESS is a percentage from 0 to 100, a step such as +5 or -5, mute, unmute, or \
                toggle-mute. As in mixers, the scale is cubic: 50 is 18 dB below 100. With \
                { serve: { linear: true } } in the configuration, 50 is half the amplitude, 6 dB \
                below.
                """,
            argument: "loudness",
            help: "A percentage from 0 to 100, a step such as +5, mute, unmute, or toggle-mute.",
            purpose: "the volume", step: "volumeBy",
            words: [
                "mute": ("muted", .flag(true)), "unmute": ("muted", .flag(false)),
                "toggle-mute": ("toggleMuted", .flag(true)),
            ]))
}

private enum Mute: CommandSetting {
    static let texts = SettingTexts(
        \.muted.row, "muted", .remark(on: Volume.self),
        verb: .init(
            name: "mute", abstract: "Show or set whether the sound is muted, whatever the volume.",
            argument: "mute", help: "Mute: on, off, toggle.", purpose: "muting",
            words: ["toggle": ("toggleMuted", .flag(true))]))
}

private enum Rate: CommandSetting {
    static let texts = SettingTexts(
        \.rate.row, "rate", .always,
        verb: .init(
            name: "rate", abstract: "Show or set the playback speed without changing the pitch.",
            discussion: """
                SPEED is a number such as 1.25, or a step such as +0.1 or -0.1. It applies to \
                items like the current one: to the episodes of its feed, to items of 20 minutes \
                or more, or to shorter ones.
                """,
            argument: "speed", help: "A speed from 0.5 to 2, or a step such as +0.1.",
            noun: "The speed", purpose: "the rate", step: "rateStep"))
}

private enum Repeat: CommandSetting {
    static let texts = SettingTexts(
        \.repeat.row, "repeat", .always,
        verb: .init(
            name: "repeat", abstract: "Show or set the repeat mode.", argument: "mode",
            help: "What to repeat: off, one, all; or toggle, from off to all to one.",
            purpose: "what is repeated", words: ["toggle": ("nextRepeat", .flag(true))]))
}

private enum Shuffle: CommandSetting {
    static let texts = SettingTexts(
        \.shuffle.row, "shuffle", .always,
        verb: .init(
            name: "shuffle", abstract: "Show or set whether items play in random order.",
            argument: "random", help: "Random order: on, off, toggle.", purpose: "the order",
            words: ["toggle": ("toggleShuffle", .flag(true))]))
}

private enum Single: CommandSetting {
    static let texts = SettingTexts(
        \.single.row, "single", .mark,
        verb: .init(
            name: "single", abstract: "Show or set whether to stop after each item.",
            argument: "stop", help: "Stop after each item: on, off, toggle.",
            purpose: "the single mode", words: ["toggle": ("toggleSingle", .flag(true))]))
}

private enum Consume: CommandSetting {
    static let texts = SettingTexts(
        \.consume.row, "consume", .mark,
        verb: .init(
            name: "consume",
            abstract: "Show or set whether each item leaves the queue when it has been played.",
            argument: "remove", help: "Remove played items: on, off, toggle.",
            purpose: "the consume mode", words: ["toggle": ("toggleConsume", .flag(true))]))
}

private enum ReplayGain: CommandSetting {
    static let texts = SettingTexts(
        \.replayGain.row, "replay gain",
        verb: .init(
            name: "replay-gain",
            abstract: "Show or set how loudness is normalized by ReplayGain.",
            discussion: """
                The gains are those in the files' tags, or else those that 'undersong analyze' has \
                measured.
                """,
            argument: "mode", help: "Gains to use: off, track, album.",
            purpose: "the ReplayGain mode"))
}

private enum ReplayGainPreamp: CommandSetting {
    static let texts = SettingTexts(
        \.replayGainPreamp.row, "replay gain preamp", unit: " dB",
        verb: .init(
            name: "replay-gain-preamp",
            abstract: "Show or set the extra gain of items that ReplayGain normalizes.",
            argument: "decibels", help: "Decibels, -15 to 15.",
            noun: "The ReplayGain preamplification", purpose: "the ReplayGain preamplification"))
}

private enum Crossfade: CommandSetting {
    static let texts = SettingTexts(
        \.crossfade.row, "crossfade", unit: " s",
        verb: .init(
            name: "crossfade", abstract: "Show or set how long an item overlaps the next.",
            argument: "seconds", help: "Seconds, 0 to 12; 0 is gapless.", noun: "The crossfade",
            purpose: "the crossfade"))
}

private enum ResumeItems: CommandSetting {
    static let texts = SettingTexts(
        \.resumeItems.row, "resume items",
        verb: .init(
            name: "resume-items",
            abstract: "Show or set whether long items resume where you left off.",
            discussion: """
                Long items are those of 20 minutes or more. Where you left off is always \
                remembered, file by file; items you finished start from the beginning. The \
                setting applies to items that begin from then on.
                """,
            argument: "resumes", help: "Resume where you left off: on, off.",
            purpose: "where items resume"))
}

private enum SkipBack: CommandSetting {
    static let texts = SettingTexts(
        \.skipBack.row, "skip back", unit: " s",
        verb: .init(
            name: "skip-back",
            abstract: "Show or set how far a long item goes back after a long pause.",
            discussion: """
                Items of 20 minutes or more go back by a third of this time after a pause of \
                30 seconds, by two thirds after 5 minutes, and by all of it after an hour. 0 \
                turns it off.
                """,
            argument: "seconds", help: "Seconds, 0 to 600.", noun: "The skip-back",
            purpose: "the skip-back"))
}

private enum OutputDevice: CommandSetting {
    static let texts = SettingTexts(\.outputDevice.row, "output")
}

private enum OnUnplug: CommandSetting {
    static let texts = SettingTexts(
        \.onUnplug.row, "on unplug",
        verb: .init(
            name: "on-unplug", abstract: "Show or set what happens when the device disappears.",
            discussion: """
                With pause, playback stays paused; with follow, it continues on the device that \
                the sound server chooses; with wait, it waits for the same device and resumes.
                """,
            argument: "policy", help: "The policy: pause, follow, wait.",
            purpose: "the unplug policy"))
}

private enum Mixing: CommandSetting {
    static let texts = SettingTexts(
        \.mixing.row, "mixing",
        verb: .init(
            name: "mixing", abstract: "Show or set how to play alongside other programs.",
            discussion: """
                With exclusive, it interrupts programs that do not mix, and they interrupt it; \
                with mix, it plays alongside them; with duck, it makes them quieter; with \
                interruptSpoken, it stops their speech and makes other sound quieter.
                """,
            argument: "mode", help: "The mode: exclusive, mix, duck, interruptSpoken.",
            purpose: "the mixing mode"))
}

private enum Inhibit: CommandSetting {
    static let texts = SettingTexts(
        \.inhibit.row, "inhibit",
        verb: .init(
            name: "inhibit", abstract: "Show or set whether the machine may sleep while playing.",
            argument: "inhibition", help: "What to prevent: sleep, none.",
            purpose: "what is inhibited"))
}

extension RepeatMode: Choice {}
extension ReplayGainMode: Choice {}
extension UnplugPolicy: Choice {}
extension MixingMode: Choice {}
extension SleepInhibition: Choice {}

/// The settings with which a run plays, and the part of each item. Options that are not given
/// change nothing.
package struct PlayingOptions: ParsableArguments, Sendable {
    @Option(help: Volume.help("Loudness in percent, 0 to 100."))
    private var volume: Double?

    @Option(help: Rate.help("Speed, 0.5 to 2; the pitch is kept."))
    private var rate: Double?

    @Option(
        help: Repeat.help("What to repeat: off, one, all."),
        completion: RepeatMode.completion, transform: RepeatMode.parse)
    private var `repeat`: RepeatMode?

    @Flag(inversion: .prefixedNo, help: "Play in random order.")
    private var shuffle: Bool?

    @Flag(inversion: .prefixedNo, help: "Stop after each item.")
    private var single: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Remove each item from the queue after it was played or skipped.")
    private var consume: Bool?

    @Option(
        help: ReplayGain.help("Normalize loudness by ReplayGain: off, track, album."),
        completion: ReplayGainMode.completion, transform: ReplayGainMode.parse)
    private var replayGain: ReplayGainMode?

    @Option(
        help: ReplayGainPreamp.help("Extra gain in decibels with --replay-gain, -15 to 15."))
    private var replayGainPreamp: Double?

    @Option(help: Crossfade.help("Seconds for which an item overlaps the next, 0 to 12."))
    private var crossfade: Double?

    @OptionGroup
    private var scale: VolumeOptions

    @Option(
        help: ArgumentHelp(
            "Start each item at this time, in seconds or as 1:02:03.5.", valueName: "time"))
    package var start: Seconds?

    @Option(help: ArgumentHelp("End each item at this time.", valueName: "time"))
    package var end: Seconds?

    package init() {}

    /// The settings to change.
    package var settings: SettingsChange {
        var change = scale.settings
        change.volume = volume
        change.rate = rate
        change.repeat = `repeat`
        change.shuffle = shuffle
        change.single = single
        change.consume = consume
        change.replayGain = replayGain
        change.replayGainPreamp = replayGainPreamp
        change.crossfade = crossfade
        return change
    }

    package func validate() throws {
        try settings.checkRanges()
        if let end, end.time <= (start?.time ?? .zero) {
            throw ValidationError("--end must be after --start.")
        }
    }
}

/// The volume's scale.
package struct VolumeOptions: ParsableArguments, Sendable {
    @Flag(
        inversion: .prefixedNo,
        help: "Use a linear volume scale instead of the cubic one of mixers.")
    private var linear: Bool?

    package init() {}

    /// The settings to change.
    package var settings: SettingsChange {
        var change = SettingsChange()
        change.linearVolume = linear
        return change
    }
}

/// The settings for long items.
package struct LongFormOptions: ParsableArguments, Sendable {
    @Flag(
        inversion: .prefixedNo, help: "Resume long items (20 minutes or more) where you left off.")
    private var resumeItems: Bool?

    @Option(
        help: SkipBack.help("Maximum seconds to go back when a long item resumes after a pause."))
    private var skipBack: Double?

    package init() {}

    /// The settings to change.
    package var settings: SettingsChange {
        var change = SettingsChange()
        change.resumeItems = resumeItems
        change.skipBack = skipBack
        return change
    }

    package func validate() throws { try settings.checkRanges() }
}

/// The settings for devices and other sounds.
package struct SoundOptions: ParsableArguments, Sendable {
    @Option(
        help: OnUnplug.help("What to do when the device disappears: pause, follow, wait."),
        completion: UnplugPolicy.completion, transform: UnplugPolicy.parse)
    private var onUnplug: UnplugPolicy?

    @Option(
        help: Mixing.help("How to play alongside others: exclusive, mix, duck, interruptSpoken."),
        completion: MixingMode.completion, transform: MixingMode.parse)
    private var mixing: MixingMode?

    @Option(
        help: Inhibit.help("What to prevent while playing: sleep, none."),
        completion: SleepInhibition.completion, transform: SleepInhibition.parse)
    private var inhibit: SleepInhibition?

    package init() {}

    /// The settings to change.
    package var settings: SettingsChange {
        var change = SettingsChange()
        change.onUnplug = onUnplug
        change.mixing = mixing
        change.inhibit = inhibit
        return change
    }
}
