package import ArgumentParser
import UndersongPlayback

/// The times that events report, for every verb that reports them.
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
