package import ArgumentParser
package import UndersongPlayback

/// The interval between periodic events: a positive time.
package struct Interval: ExpressibleByArgument, Sendable {
    /// The time.
    package let time: CMTime

    /// Makes an interval of a time.
    package init(_ time: CMTime) { self.time = time }

    /// Parses `1/100`, `2` or `0.25` seconds; from a microsecond to a day.
    package init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        let time: CMTime
        if parts.count == 2, let value = Int64(parts[0]), let scale = Int32(parts[1]), scale > 0 {
            time = CMTime(value: value, timescale: scale)
        } else if parts.count == 1, let seconds = Double(argument), abs(seconds) < 1e6 {
            time = CMTime(decimalSeconds: seconds)
        } else {
            return nil
        }
        guard time.seconds >= 1e-6 && time.seconds <= 86400 else { return nil }
        self.init(time)
    }

    /// The interval as it is written on the command line.
    package var defaultValueDescription: String { "\(time.value)/\(time.timescale)" }
}

/// A time within an item.
package struct Seconds: ExpressibleByArgument, Sendable {
    /// The time.
    package let time: CMTime

    /// Makes it of a time.
    package init(_ time: CMTime) { self.time = time }

    /// Parses `90`, `12.5`, `1:30` or `1:02:03.5`; up to a million seconds.
    package init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 3, let last = parts.last.flatMap({ Double($0) }) else { return nil }
        var whole = 0
        for part in parts.dropLast() {
            guard let number = Int(part), 0..<100_000 ~= number else { return nil }
            whole = whole * 60 + number
        }
        let seconds = Double(whole * 60) + last
        guard last >= 0, parts.count == 1 || last < 60, seconds < 1e6 else { return nil }
        self.init(CMTime(decimalSeconds: seconds))
    }

    /// The time as it is written on the command line.
    package var defaultValueDescription: String { "\(time.seconds)" }
}

extension Interval {
    /// The time as it is sent to the service.
    package var wireTime: WireTime { WireTime(value: time.value, timescale: time.timescale) }
}

extension Seconds {
    /// The time as it is sent to the service.
    package var wireTime: WireTime { WireTime(value: time.value, timescale: time.timescale) }
}

extension CMTime {
    /// Makes the time of a decimal number of seconds, to the microsecond.
    fileprivate init(decimalSeconds seconds: Double) {
        if seconds == seconds.rounded() {
            self.init(value: Int64(seconds), timescale: 1)
        } else {
            self.init(value: Int64((seconds * 1e6).rounded()), timescale: 1_000_000)
        }
    }
}

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
