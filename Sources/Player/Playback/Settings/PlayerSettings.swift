/// The settings of a player, as opposed to its queue and its status.
public struct PlayerSettings: Equatable, Sendable {
    /// From 0 for silence to 1 for unchanged samples. This is the volume of the stream on a sound
    /// server, and mixers may change it too; they show its cube root, 79 % for 0.5.
    public var volume: Float = 1
    /// True if `volumeLevel` is `volume` itself, and not its cube root as in mixers.
    package var hasLinearVolume = false
    /// True if the sound is muted, whatever the volume.
    public var isMuted = false
    /// The playback rate, 0.5 to 2; the pitch is preserved.
    public var rate = 1.0
    /// The rates of other items than the current one, if the player distinguishes them.
    package var rates = ItemRates()
    /// The change of pitch in cents, -2400 to 2400. It is not saved.
    package var pitch = 0.0
    /// The modes in which playback continues after an item.
    public var modes = PlaybackModes()
    /// The normalization of loudness by the items' tags.
    public var replayGain = ReplayGainMode.off
    /// Extra gain in decibels, -15 to 15, for items with ReplayGain.
    public var preamplification = 0.0
    /// The seconds for which an item overlaps with the next, 0 to 12; 0 is gapless.
    public var crossfade = 0.0
    /// True if long items resume at their saved positions instead of at their start.
    public var resumesItems = false
    /// The seconds to skip back when a long item resumes after a long pause, 0 to 600 at most.
    public var skipBack = 0.0
    /// The name of the device to play on; nil for the sound server's default device.
    public var outputDevice: String?
    /// The reaction to the disappearance of the device.
    public var unplugPolicy = UnplugPolicy.pause
    /// The mixing of the sound with that of other apps.
    public var mixing = MixingMode.exclusive
    /// The actions from which the machine is kept while playing.
    public var inhibition = SleepInhibition.nothing

    /// Creates the settings of a new player, with the defaults.
    public init() {}
}

/// The actions from which a player keeps the machine while it plays.
public enum SleepInhibition: String, Codable, Sendable, CaseIterable {
    /// Going to sleep.
    case sleep
    /// Nothing.
    case nothing = "none"
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

/// Every setting, defined once: what is in this table is saved, sent and reported.
///
/// A new setting needs a property of `PlayerSettings`, a row here with its place in `init`, and its
/// description in `Documentation/protocol/control.schema.json`; its verb and its option are in
/// `Sources/Programs/CommandOptions/SettingOptions.swift`. A file of the service without the setting
/// is read with its default value.
public struct SettingTable: Sendable {
    /// True if the volume in percent is that of the samples, and not on the scale of mixers.
    public let linearVolume = Setting<Bool>("linearVolume", \.hasLinearVolume)

    /// The volume in percent, on the scale of mixers unless it is linear. The file has the factor,
    /// so that another scale is never louder.
    public let volume = Setting<Double>(
        "volume", percentOf: \.volumeLevel, stored: \.volume, noun: "volume")

    /// The change of the volume in percent.
    public let volumeBy = SettingStep<Double>("volumeBy", where: \.isFinite) {
        $0.volumeLevel += $1 / 100
    }

    /// True if the sound is muted.
    public let muted = Setting<Bool>("muted", \.isMuted)

    /// Toggles muting.
    public let toggleMuted = SettingStep<Bool>("toggleMuted") { if $1 { $0.isMuted.toggle() } }

    /// The playback rate.
    public let rate = Setting<Double>("rate", \.rate, in: 0.5...2, noun: "rate")

    private let rates = Setting<String>("itemRates", nameIn: \.keptRates, in: .file)

    /// The change of the rate.
    public let rateStep = SettingStep<Double>("rateStep", where: \.isFinite) {
        // To a millionth, so that steps of a tenth lead back to 1.
        $0.rate = (($0.rate + $1) * 1e6).rounded() / 1e6
    }

    /// The factor by which to change the rate.
    public let rateBy = SettingStep<Double>("rateBy", where: { $0 > 0 && $0.isFinite }) {
        $0.rate *= $1
    }

    /// The part that repeats.
    public let `repeat` = Setting<RepeatMode>(
        "repeat", \.modes.repeatMode, noun: "repeat mode", isMode: true)

    /// Cycles from off to all to one to off.
    public let nextRepeat = SettingStep<Bool>("nextRepeat") {
        if $1 { $0.modes.repeatMode = $0.modes.repeatMode.next }
    }

    /// True if items play in random order.
    public let shuffle = Setting<Bool>("shuffle", \.modes.isShuffled, isMode: true)

    /// Toggles random order.
    public let toggleShuffle = SettingStep<Bool>("toggleShuffle") {
        if $1 { $0.modes.isShuffled.toggle() }
    }

    /// True to stop after each item.
    public let single = Setting<Bool>("single", \.modes.isSingle, isMode: true)

    /// Toggles stopping after each item.
    public let toggleSingle = SettingStep<Bool>("toggleSingle") {
        if $1 { $0.modes.isSingle.toggle() }
    }

    /// True to remove items once they are left.
    public let consume = Setting<Bool>("consume", \.modes.isConsuming, isMode: true)

    /// Toggles the removal of items that are left.
    public let toggleConsume = SettingStep<Bool>("toggleConsume") {
        if $1 { $0.modes.isConsuming.toggle() }
    }

    /// The end that playback stops after once, which events report. It is not kept: it was meant for
    /// a certain moment.
    package let stopAfter = Setting<StopCondition>("stopAfter", modeIn: \.modes.stopCondition)

    private let itemEndAction = Setting<ItemEndAction>(
        "itemEndAction", \.modes.itemEndAction, in: .file)

    /// The normalization of loudness by ReplayGain.
    public let replayGain = Setting<ReplayGainMode>(
        "replayGain", \.replayGain, noun: "ReplayGain mode")

    /// Extra gain in decibels for items with ReplayGain.
    public let replayGainPreamp = Setting<Double>(
        "replayGainPreamp", \.preamplification, in: -15...15, noun: "ReplayGain preamplification")

    /// The seconds for which an item overlaps with the next.
    public let crossfade = Setting<Double>(
        "crossfade", \.crossfade, in: 0...12, noun: "crossfade")

    /// True if long items resume at their saved positions.
    public let resumeItems = Setting<Bool>("resumeItems", \.resumesItems)

    /// The maximum seconds to skip back when a long item resumes after a long pause.
    public let skipBack = Setting<Double>("skipBack", \.skipBack, in: 0...600, noun: "skip-back")

    /// The name of a device, present or not; empty for the default one.
    public let outputDevice = Setting<String>("outputDevice", nameIn: \.outputDevice)

    /// The reaction to the disappearance of the device.
    public let onUnplug = Setting<UnplugPolicy>("onUnplug", \.unplugPolicy, noun: "unplug policy")

    /// The mixing of the sound with that of others.
    public let mixing = Setting<MixingMode>("mixing", \.mixing, noun: "mixing mode")

    /// The actions that are prevented while sound is playing.
    public let inhibit = Setting<SleepInhibition>("inhibit", \.inhibition, noun: "inhibition")

    /// All settings, in the order in which they are saved and listed.
    package static let rows = standard.rows
    /// Everything that a change may contain, in the order in which it is applied.
    package static let entries = standard.entries

    /// The settings that are seen in a place.
    package static func rows(in place: SettingRow.Places) -> [SettingRow] {
        rows.filter { $0.places.contains(place) }
    }

    /// The shared table.
    package static let standard = SettingTable()
    private let rows: [SettingRow]
    private let entries: [SettingEntry]

    private init() {
        let members: [any SettingTableMember] = [
            linearVolume, volume, volumeBy, muted, toggleMuted, rate, rates, rateBy, rateStep,
            `repeat`, nextRepeat, shuffle, toggleShuffle, single, toggleSingle, consume,
            toggleConsume, stopAfter, itemEndAction, replayGain, replayGainPreamp, crossfade,
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
