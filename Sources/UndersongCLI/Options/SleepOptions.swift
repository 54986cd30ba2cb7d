import ArgumentParser
import CommandOptions
import Control

/// A duration for the sleep timer: `30m`, `1h30m`, `90s`; a number alone is in minutes.
struct SleepTime: ExpressibleByArgument, Equatable {
    /// The duration in seconds: above 0, and at most 7 days.
    let seconds: Double

    init?(argument: String) {
        guard let seconds = Double(argument).map({ $0 * 60 }) ?? Self.seconds(of: argument),
            seconds > 0, seconds <= 7 * 86400
        else { return nil }
        self.seconds = seconds
    }

    /// Parses numbers with units, the largest unit first.
    private static func seconds(of text: String) -> Double? {
        var rest = Substring(text)
        var sum = 0.0
        for (unit, factor) in [("h", 3600.0), ("m", 60), ("s", 1)] as [(Character, Double)] {
            guard let end = rest.firstIndex(of: unit) else { continue }
            let digits = rest[..<end]
            guard digits.allSatisfy({ $0.isNumber || $0 == "." }), let number = Double(digits)
            else {
                return nil
            }
            sum += number * factor
            rest = rest[rest.index(after: end)...]
        }
        return rest.isEmpty ? sum : nil
    }
}

/// The argument of `sleep`: a duration, or `off`.
enum SleepTarget: ExpressibleByArgument, Equatable {
    case time(SleepTime)
    case off

    init?(argument: String) {
        if argument == "off" {
            self = .off
            return
        }
        guard let time = SleepTime(argument: argument) else { return nil }
        self = .time(time)
    }
}

/// When to stop, as it is sent to the service.
enum StopOption: String, Choice {
    case item, queue, chapter
}

/// The argument of `stop-after`: a stop condition, or `off`.
enum StopTarget: String, Choice {
    case item, queue, chapter, off
}

/// When a run stops by itself.
struct SleepOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Stop playback after 30m, 1h30m, 90s, or a number of minutes.", valueName: "time"))
    var sleep: SleepTime?

    @Option(
        help: ArgumentHelp(
            "Seconds over which the sound then fades out, 0 to 3600, 10 by default.",
            valueName: "seconds"))
    var fade: Double?

    @Option(
        help: ArgumentHelp(
            "Stop once, at the end of the current item, queue or chapter.",
            valueName: "item|queue|chapter"),
        completion: StopOption.completion, transform: StopOption.parse)
    var stopAfter: StopOption?

    func validate() throws {
        try check("--fade", fade, 0...3600)
        if fade != nil && sleep == nil { throw ValidationError("--fade goes with --sleep only.") }
    }

    /// The request to the service; nil if no option is given.
    var call: Sleep? {
        guard sleep != nil || stopAfter != nil else { return nil }
        return Sleep(seconds: sleep?.seconds, fade: fade, after: stopAfter?.rawValue)
    }
}
