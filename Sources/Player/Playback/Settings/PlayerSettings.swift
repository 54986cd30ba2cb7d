/// How a player plays, as opposed to what it plays and whether.
public struct PlayerSettings: Equatable, Sendable {
    /// From 0 for silence to 1 for unchanged samples. This is the volume of the stream on a sound
    /// server, and mixers may change it too; they show its cube root, 79 % for 0.5.
    public var volume: Float = 1
    /// Whether `volumeLevel` is `volume` itself, and not its cube root as in mixers.
    package var hasLinearVolume = false
    /// Whether the sound is muted, whatever the volume.
    public var isMuted = false
    /// The playback rate, 0.5 to 2; the pitch is preserved.
    public var rate = 1.0
    /// The rates of other items than the current one, if the player distinguishes them.
    package var rates = ItemRates()
    /// The change of pitch in cents, -2400 to 2400. It is not saved.
    package var pitch = 0.0
    /// How playback continues after an item.
    public var modes = PlaybackModes()
    /// How loudness is normalized by the items' tags.
    public var replayGain = ReplayGainMode.off
    /// Extra gain in decibels, -15 to 15, for items with ReplayGain.
    public var preamplification = 0.0
    /// The seconds for which an item overlaps with the next, 0 to 12; 0 is gapless.
    public var crossfade = 0.0
    /// Whether long items resume at their saved positions instead of at their start.
    public var resumesItems = false
    /// The seconds to skip back when a long item resumes after a long pause, 0 to 600 at most.
    public var skipBack = 0.0
    /// The name of the device to play on; nil for the sound server's default device.
    public var outputDevice: String?
    /// What to do when the device disappears.
    public var unplugPolicy = UnplugPolicy.pause
    /// How the sound mixes with that of other apps.
    public var mixing = MixingMode.exclusive
    /// Whether to keep the machine from going to sleep by itself while playing.
    public var inhibitsSleep = false

    /// Creates the settings of a new player, with the defaults.
    public init() {}
}

extension PlayerSettings {
    /// The volume as listeners see and set it, from 0 to 1, without the digits that a `Float`
    /// lacks. Equal steps of it sound alike.
    package var volumeLevel: Double {
        get {
            let factor = Double(max(volume, 0))
            return ((hasLinearVolume ? factor : factor.cubeRoot) * 1e6).rounded() / 1e6
        }
        set {
            let level = max(newValue, 0)
            volume = Float(hasLinearVolume ? level : level * level * level)
        }
    }
}

extension PlayerSettings {
    /// The rates as the service's file has them.
    fileprivate var keptRates: String? {
        get { rates.text }
        set { rates = ItemRates(text: newValue) }
    }
}

extension Double {
    /// The cube root of a number from 0 on, by Newton's method.
    package var cubeRoot: Double {
        guard self > 0, isFinite else { return self }
        var root = max(self, 1)
        while true {
            let next = (2 * root + self / (root * root)) / 3
            guard next < root else { return root }
            root = next
        }
    }
}

/// Every setting, defined once: what is in this table is saved, sent, reported and offered on the
/// command line.
///
/// A new setting needs a property of `PlayerSettings`, a row here with its place in `init`, and its
/// description in `Documentation/protocol/control.schema.json`. A file of the service without the
/// setting is read with its default value.
public struct SettingTable: Sendable {
    /// Whether the volume in percent is that of the samples, and not on the scale of mixers.
    public let linearVolume = Setting<Bool>(
        "linearVolume", \.hasLinearVolume,
        SettingNames(
            column: .init("has_linear_volume"), text: .init("linear volume", .mark),
            option: .init(
                .volume, "linear", "Count the volume in parts of the amplitude, not as mixers do.")
        ))

    /// The volume in percent, on the scale of mixers unless it is linear. The file has the factor,
    /// so that another scale is never louder.
    public let volume = Setting<Double>(
        "volume", percentOf: \.volumeLevel, stored: \.volume,
        SettingNames(
            noun: "volume", column: .init("volume"), text: .init("volume", .always),
            option: .init(.playing, "volume", "Loudness in percent, 0 to 100."),
            verb: .init(
                "volume", "Show or set the volume.",
                discussion:
                    """
                    LOUDNESS is a percentage from 0 to 100, a step such as +5 or -5, mute, unmute, or \
                    toggle-mute. As in mixers, the scale is cubic: 50 is 18 dB below 100. With \
                    { serve: { linear: true } } in the configuration, 50 is half the amplitude, 6 dB \
                    below.
                    """,
                argument: "loudness",
                help:
                    "A percentage from 0 to 100, a step such as +5, mute, unmute, or toggle-mute.",
                purpose: "the volume",
                step: "volumeBy",
                words: [
                    "mute": ("muted", .flag(true)), "unmute": ("muted", .flag(false)),
                    "toggle-mute": ("toggleMuted", .flag(true)),
                ])))

    /// The change of the volume in percent.
    public let volumeBy = SettingStep<Double>("volumeBy", where: \.isFinite) {
        $0.volumeLevel += $1 / 100
    }

    /// Whether the sound is muted.
    public let muted = Setting<Bool>(
        "muted", \.isMuted,
        SettingNames(
            column: .init("is_muted"), text: .init("muted", .remark(on: "volume")),
            verb: .init(
                "mute", "Show or set whether the sound is muted, whatever the volume.",
                argument: "mute", help: "Mute: on, off, toggle.", purpose: "muting",
                words: ["toggle": ("toggleMuted", .flag(true))])))

    /// Toggles muting.
    public let toggleMuted = SettingStep<Bool>("toggleMuted") { if $1 { $0.isMuted.toggle() } }

    /// The playback rate.
    public let rate = Setting<Double>(
        "rate", \.rate, in: 0.5...2,
        SettingNames(
            noun: "rate", column: .init("rate"), text: .init("rate", .always),
            option: .init(.playing, "rate", "Speed, 0.5 to 2; the pitch is kept."),
            verb: .init(
                "rate", "Show or set the playback speed without changing the pitch.",
                discussion: """
                    SPEED is a number such as 1.25, or a step such as +0.1 or -0.1. It applies to \
                    items like the current one: to the episodes of its feed, to items of 20 minutes \
                    or more, or to shorter ones.
                    """,
                argument: "speed", help: "A speed from 0.5 to 2, or a step such as +0.1.",
                noun: "The speed",
                purpose: "the rate", step: "rateStep")))

    private let rates = Setting<String>(
        nil, nameIn: \.keptRates, SettingNames(column: .init("item_rates")))

    /// The change of the rate.
    public let rateStep = SettingStep<Double>("rateStep", where: \.isFinite) {
        // To a millionth, so that steps of a tenth lead back to 1.
        $0.rate = (($0.rate + $1) * 1e6).rounded() / 1e6
    }

    /// The factor by which to change the rate.
    public let rateBy = SettingStep<Double>("rateBy", where: { $0 > 0 && $0.isFinite }) {
        $0.rate *= $1
    }

    /// `off`, `one` or `all`.
    public let `repeat` = Setting<String>(
        "repeat", \.modes.repeatMode,
        SettingNames(
            noun: "repeat mode", column: .init("repeat_mode"), isMode: true,
            text: .init("repeat", .always),
            option: .init(.playing, "repeat", "What to repeat: off, one, all."),
            verb: .init(
                "repeat", "Show or set what repeats.", argument: "mode",
                help: "What to repeat: off, one, all; or toggle, from off to all to one.",
                purpose: "what is repeated", words: ["toggle": ("nextRepeat", .flag(true))])))

    /// Cycles from off to all to one to off.
    public let nextRepeat = SettingStep<Bool>("nextRepeat") {
        if $1 { $0.modes.repeatMode = $0.modes.repeatMode.next }
    }

    /// Whether items play in random order.
    public let shuffle = Setting<Bool>(
        "shuffle", \.modes.isShuffled,
        SettingNames(
            column: .init("is_shuffled"), isMode: true, text: .init("shuffle", .always),
            option: .init(.playing, "shuffle", "Play in random order."),
            verb: .init(
                "shuffle", "Show or set whether items play in random order.", argument: "random",
                help: "Random order: on, off, toggle.", purpose: "the order",
                words: ["toggle": ("toggleShuffle", .flag(true))])))

    /// Toggles random order.
    public let toggleShuffle = SettingStep<Bool>("toggleShuffle") {
        if $1 { $0.modes.isShuffled.toggle() }
    }

    /// Whether to stop after each item.
    public let single = Setting<Bool>(
        "single", \.modes.isSingle,
        SettingNames(
            column: .init("is_single"), isMode: true, text: .init("single", .mark),
            option: .init(.playing, "single", "Stop after each item."),
            verb: .init(
                "single", "Show or set whether to stop after each item.", argument: "stop",
                help: "Stop after each item: on, off, toggle.", purpose: "the single mode",
                words: ["toggle": ("toggleSingle", .flag(true))])))

    /// Toggles stopping after each item.
    public let toggleSingle = SettingStep<Bool>("toggleSingle") {
        if $1 { $0.modes.isSingle.toggle() }
    }

    /// Whether to remove items once they are left.
    public let consume = Setting<Bool>(
        "consume", \.modes.isConsuming,
        SettingNames(
            column: .init("is_consuming"), isMode: true, text: .init("consume", .mark),
            option: .init(
                .playing, "consume",
                "Remove each item from the queue after it was played or skipped."),
            verb: .init(
                "consume",
                "Show or set whether each item leaves the queue when it has been played.",
                argument: "remove", help: "Remove played items: on, off, toggle.",
                purpose: "the consume mode",
                words: ["toggle": ("toggleConsume", .flag(true))])))

    /// Toggles the removal of items that are left.
    public let toggleConsume = SettingStep<Bool>("toggleConsume") {
        if $1 { $0.modes.isConsuming.toggle() }
    }

    private let itemEndAction = Setting<String>(
        nil, \.modes.itemEndAction, SettingNames(column: .init("item_end_action")))

    /// `off`, `track` or `album`.
    public let replayGain = Setting<String>(
        "replayGain", \.replayGain,
        SettingNames(
            noun: "ReplayGain mode", column: .init("replay_gain"), text: .init("replay gain"),
            option: .init(
                .playing, "replay-gain",
                "Normalize loudness by ReplayGain: off, track, album."),
            verb: .init(
                "replay-gain", "Show or set how loudness is normalized by ReplayGain.",
                discussion: """
                    The gains are those in the files' tags, or else those that 'undersong analyze' has \
                    measured.
                    """,
                argument: "mode", help: "Gains to use: off, track, album.",
                purpose: "the ReplayGain mode")))

    /// Extra gain in decibels for items with ReplayGain.
    public let replayGainPreamp = Setting<Double>(
        "replayGainPreamp", \.preamplification, in: -15...15,
        SettingNames(
            noun: "ReplayGain preamplification", column: .init("replay_gain_preamp"),
            text: .init("replay gain preamp", unit: " dB"),
            option: .init(
                .playing, "replay-gain-preamp",
                "Extra gain in decibels with --replay-gain, -15 to 15."),
            verb: .init(
                "replay-gain-preamp",
                "Show or set the extra gain of items that ReplayGain normalizes.",
                argument: "decibels", help: "Decibels, -15 to 15.",
                noun: "The ReplayGain preamplification",
                purpose: "the ReplayGain preamplification")))

    /// The seconds for which an item overlaps with the next.
    public let crossfade = Setting<Double>(
        "crossfade", \.crossfade, in: 0...12,
        SettingNames(
            noun: "crossfade", column: .init("crossfade"), text: .init("crossfade", unit: " s"),
            option: .init(
                .playing, "crossfade",
                "Seconds for which an item overlaps the next, 0 to 12."),
            verb: .init(
                "crossfade", "Show or set how long an item overlaps the next.",
                argument: "seconds", help: "Seconds, 0 to 12; 0 is gapless.",
                noun: "The crossfade", purpose: "the crossfade")))

    /// Whether long items resume at their saved positions.
    public let resumeItems = Setting<Bool>(
        "resumeItems", \.resumesItems,
        SettingNames(
            column: .init("resumes_items"), text: .init("resume items"),
            option: .init(
                .longForm, "resume-items",
                "Resume long items (20 minutes or more) where you left off."),
            verb: .init(
                "resume-items", "Show or set whether long items resume where you left off.",
                discussion: """
                    Long items are those of 20 minutes or more. Where you left off is always \
                    remembered, file by file; items you finished start from the beginning. The \
                    setting applies to items that begin from then on.
                    """,
                argument: "resumes", help: "Resume where you left off: on, off.",
                purpose: "where items resume")))

    /// The maximum seconds to skip back when a long item resumes after a long pause.
    public let skipBack = Setting<Double>(
        "skipBack", \.skipBack, in: 0...600,
        SettingNames(
            noun: "skip-back", column: .init("skip_back"), text: .init("skip back", unit: " s"),
            option: .init(
                .longForm, "skip-back",
                "Maximum seconds to go back when a long item resumes after a pause."),
            verb: .init(
                "skip-back",
                "Show or set how far a long item goes back after a long pause.",
                discussion: """
                    Items of 20 minutes or more go back by a third of this time after a pause of \
                    30 seconds, by two thirds after 5 minutes, and by all of it after an hour. 0 \
                    turns it off.
                    """,
                argument: "seconds", help: "Seconds, 0 to 600.", noun: "The skip-back",
                purpose: "the skip-back")))

    /// The name of a device, present or not; empty for the default one.
    public let outputDevice = Setting<String>(
        "outputDevice", nameIn: \.outputDevice,
        SettingNames(column: .init("output_device"), text: .init("output")))

    /// `pause`, `follow` or `wait`.
    public let onUnplug = Setting<String>(
        "onUnplug", \.unplugPolicy,
        SettingNames(
            noun: "unplug policy", column: .init("unplug_policy"),
            text: .init("on unplug"),
            option: .init(
                .sound, "on-unplug",
                "What to do when the device disappears: pause, follow, wait."),
            verb: .init(
                "on-unplug", "Show or set what happens when the device disappears.",
                discussion: """
                    With pause, playback stays paused; with follow, it continues on the device that \
                    the sound server chooses; with wait, it waits for the same device and resumes.
                    """,
                argument: "policy", help: "What to do: pause, follow, wait.",
                purpose: "the unplug policy")))

    /// `exclusive`, `mix`, `duck` or `interruptSpoken`.
    public let mixing = Setting<String>(
        "mixing", \.mixing,
        SettingNames(
            noun: "mixing mode", column: .init("mixing"), text: .init("mixing"),
            option: .init(
                .sound, "mixing",
                "How to play alongside others: exclusive, mix, duck, interruptSpoken."),
            verb: .init(
                "mixing", "Show or set how to play alongside other programs.",
                discussion: """
                    With exclusive, it interrupts programs that do not mix, and they interrupt it; \
                    with mix, it plays alongside them; with duck, it makes them quieter; with \
                    interruptSpoken, it stops their speech and makes other sound quieter.
                    """,
                argument: "mode", help: "How: exclusive, mix, duck, interruptSpoken.",
                purpose: "the mixing mode")))

    /// `sleep` or `none`.
    public let inhibit = Setting<String>(
        "inhibit", \.inhibitsSleep, on: "sleep", off: "none",
        SettingNames(
            noun: "inhibition",
            column: .init("inhibits_sleep", words: (on: "sleep", off: "none")),
            text: .init("inhibit"),
            option: .init(
                .sound, "inhibit",
                "What to prevent while playing: sleep, none."),
            verb: .init(
                "inhibit",
                "Show or set sleep inhibition while playing.",
                argument: "inhibition",
                help: "What to prevent: sleep, none.",
                purpose: "what is inhibited")))

    /// All settings, in the order in which they are saved and listed.
    package static let rows = standard.rows
    /// Everything that a change may contain, in the order in which it is applied.
    package static let entries = standard.entries

    /// The shared table.
    package static let standard = SettingTable()
    private let rows: [SettingRow]
    private let entries: [SettingEntry]

    private init() {
        let members: [any SettingTableMember] = [
            linearVolume, volume, volumeBy, muted, toggleMuted, rate, rates, rateBy, rateStep,
            `repeat`, nextRepeat,
            shuffle, toggleShuffle, single, toggleSingle, consume, toggleConsume, itemEndAction,
            replayGain, replayGainPreamp, crossfade,
            resumeItems, skipBack, outputDevice, onUnplug, mixing, inhibit,
        ]
        rows = members.flatMap(\.rows)
        entries = members.flatMap(\.entries)
    }
}

extension RepeatMode {
    fileprivate var next: RepeatMode {
        switch self {
        case .off: .all
        case .all: .one
        case .one: .off
        }
    }
}
