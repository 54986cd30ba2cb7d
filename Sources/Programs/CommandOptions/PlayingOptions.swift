package import ArgumentParser
package import UndersongPlayback

/// How a run plays. Options that are not given change nothing.
package struct PlayingOptions: ParsableArguments, Sendable {
    @OptionGroup
    private var playing: SettingOptions<PlayingSettings>

    @OptionGroup
    private var volume: SettingOptions<VolumeSettings>

    @Option(
        help: ArgumentHelp(
            "Start each item at this time, in seconds or as 1:02:03.5.", valueName: "time"))
    package var start: Seconds?

    @Option(help: ArgumentHelp("End each item at this time.", valueName: "time"))
    package var end: Seconds?

    package init() {}

    /// The settings to change.
    package var settings: SettingsChange { playing.change.adding(volume.change) }

    package func validate() throws {
        if let end, end.time <= (start?.time ?? .zero) {
            throw ValidationError("--end must be after --start.")
        }
    }
}

/// Which times are reported in events, for every verb that reports them.
package struct TimeOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Seconds between time events on an item's timeline, such as 1/100 (the default) or 0.25.",
            valueName: "seconds"))
    package var interval: Interval?

    @Flag(help: "Report no time events, which saves power.")
    package var noTime = false

    @Option(
        help: ArgumentHelp(
            "Report when an item's time crosses this many seconds; may be repeated.",
            valueName: "seconds"))
    package var at: [Seconds] = []

    /// The interval that is not asked for.
    package static let usualInterval = Interval(CMTime(value: 1, timescale: 100))

    /// The interval that was asked for, or the usual one; nil for no time events.
    package var usedInterval: Interval? { noTime ? nil : interval ?? Self.usualInterval }

    package init() {}
}
