import ArgumentParser
import Glibc
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// A time for the sleep timer: `30m`, `1h30m`, `90s`; a number alone is in minutes; or a time of the
/// day such as `22:30`.
enum SleepTime: ExpressibleByArgument, Equatable {
    /// Seconds: above 0, and at most 7 days.
    case duration(Double)
    case clock(hour: Int32, minute: Int32)

    init?(argument: String) {
        if let (hour, minute) = Self.clock(of: argument) {
            self = .clock(hour: hour, minute: minute)
            return
        }
        guard let seconds = Double(argument).map({ $0 * 60 }) ?? Self.seconds(of: argument),
            seconds > 0, seconds <= 7 * 86400
        else { return nil }
        self = .duration(seconds)
    }

    /// The seconds to wait at a moment, in seconds since 1970. A time of the day is the next one by
    /// the local clock.
    func seconds(at now: Double) -> Double {
        switch self {
        case .duration(let seconds): return seconds
        case .clock(let hour, let minute):
            var moment = time_t(now.rounded(.down))
            var today = unsafe tm()
            unsafe localtime_r(&moment, &today)
            let due = [Int32(0), 1].map { days in
                var due = unsafe today
                unsafe due.tm_mday += days
                unsafe (due.tm_hour, due.tm_min, due.tm_sec, due.tm_isdst) = (hour, minute, 0, -1)
                return unsafe Double(mktime(&due))
            }
            return (due.first { $0 > now } ?? now) - now
        }
    }

    /// Parses hours and minutes.
    private static func clock(of text: String) -> (hour: Int32, minute: Int32)? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, 1...2 ~= parts[0].count, parts[1].count == 2,
            parts.allSatisfy({ $0.allSatisfy { "0"..."9" ~= $0 } }), let hour = Int32(parts[0]),
            let minute = Int32(parts[1]), hour < 24, minute < 60
        else { return nil }
        return (hour, minute)
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

/// The argument of `sleep`: a time, or `off`.
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

extension StopCondition: Choice {}

/// The argument of `stop-after`: a stop condition, or `off`.
enum StopTarget: String, Choice {
    case item, queue, chapter, off

    /// The stop condition; nil for `off`.
    var condition: StopCondition? {
        switch self {
        case .item: .item
        case .queue: .queue
        case .chapter: .chapter
        case .off: nil
        }
    }
}

/// When a run stops by itself.
struct SleepOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Stop playback after 30m, 1h30m, 90s or a number of minutes, or at 22:30.",
            valueName: "time"))
    var sleep: SleepTime?

    @Option(
        help: ArgumentHelp(
            "Seconds over which the sound then fades out, 0 to 3600, 10 by default.",
            valueName: "seconds"))
    var fade: Double?

    @Option(
        choice: ArgumentHelp(
            "Stop once, at the end of the current item, queue or chapter.",
            valueName: "item|queue|chapter"))
    var stopAfter: StopCondition?

    func validate() throws {
        try check("--fade", fade, 0...3600)
        if fade != nil && sleep == nil { throw ValidationError("--fade goes with --sleep only.") }
    }

    /// The request to the service; nil if no option is given.
    func call(by clock: any HostClock = SystemClock()) -> SetSleep? {
        guard sleep != nil || stopAfter != nil else { return nil }
        return SetSleep(
            seconds: sleep?.seconds(at: clock.secondsSinceEpoch), fade: fade,
            after: stopAfter)
    }
}
