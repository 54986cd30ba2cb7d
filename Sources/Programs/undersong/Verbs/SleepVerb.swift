import ArgumentParser
import Glibc
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

/// `undersong sleep`: shows or sets the sleep timer.
struct SleepVerb: Verb {
    static let configuration = described(
        "sleep", "Show or set the sleep timer.",
        discussion: """
            TIME is 30m, 1h30m, 90s, or a number of minutes, 7 days at most; or a time of day, \
            such as 22:30; off cancels the timer. When it is nearly over, the sound fades out; then \
            playback pauses, and the position is kept. The timer also runs while paused.

            --after item stops at the next end of an item, even if you skip to another item first. \
            With a time and --after, playback stops at whichever comes first.
            """)

    @Argument(
        help: ArgumentHelp(
            "A time such as 30m, 1h30m, 90s or 22:30, a number of minutes, or off.",
            valueName: "time"))
    var target: SleepTarget?

    @Option(
        help: ArgumentHelp(
            "Seconds over which the sound fades out, 0 to 3600, 10 by default.",
            valueName: "seconds"))
    var fade: Double?

    @Option(
        choice: ArgumentHelp(
            "Stop once, at the end of the current item, queue or chapter.",
            valueName: "item|queue|chapter"))
    var after: StopCondition?

    @OptionGroup var options: SessionOptions

    func validate() throws {
        try check("--fade", fade, 0...3600)
        if case .time = target { return }
        if fade != nil { throw ValidationError("--fade needs a time.") }
        if target == .off, after != nil {
            throw ValidationError("--after cannot be combined with off.")
        }
    }

    func perform() throws {
        guard let call = call() else {
            return try options.ask(
                "show the sleep timer", GetSleep(), startsService: false, SleepText.line)
        }
        try options.ask("set the sleep timer", call, startsService: false, SleepText.line)
    }

    /// The request that the arguments describe; nil for a question.
    func call(by clock: any HostClock = SystemClock()) -> SetSleep? {
        switch target {
        case .off: SetSleep()
        case .time(let time):
            SetSleep(
                seconds: time.seconds(at: clock.secondsSinceEpoch), fade: fade, after: after)
        case nil: after.map { SetSleep(after: $0) }
        }
    }
}

/// `undersong stop-after`: shows or sets where playback stops once.
struct StopAfterVerb: Verb {
    static let configuration = described(
        "stop-after", "Show or set where playback stops once.",
        discussion: "The time of the sleep timer, if one is set, stays as it is.")

    @Argument(choice: "Stop after the current item, queue or chapter; or off.")
    var after: StopTarget?

    @OptionGroup var options: SessionOptions

    func perform() throws {
        guard let after else {
            return try options.ask("show where playback stops", GetSleep(), SleepText.stop)
        }
        try options.ask("set where playback stops", StopAfter(after.condition), SleepText.stop)
    }
}

/// Formats the state of the sleep timer.
enum SleepText {
    /// `sleep timer: 29:48 left, with a 10 s fade-out; will stop after this item`
    static func line(_ state: SleepReport) -> String {
        let parts = [
            state.remaining.map { timer($0, state) }, state.after.map { stop(after: $0) },
        ].compactMap { $0 }
        return parts.isEmpty ? "no sleep timer" : parts.joined(separator: "; ")
    }

    /// `will stop after this item`
    static func stop(after: StopCondition) -> String {
        switch after {
        case .item: "will stop after this item"
        case .queue: "will stop after the queue"
        case .chapter: "will stop after this chapter"
        }
    }

    /// The end at which playback stops once, or that there is none, and the timer if it runs.
    static func stop(_ state: SleepReport) -> String {
        guard state.after == nil else { return line(state) }
        return "stop-after off" + (state.remaining.map { "; " + timer($0, state) } ?? "")
    }

    private static func timer(_ remaining: Double, _ state: SleepReport) -> String {
        // A fraction of a second still has to be waited for, so it is rounded up.
        let time = "sleep timer: \(ClockText.text(remaining.rounded(.up))) left"
        if state.fading == true { return time + ", fading out" }
        guard let fade = state.fade, fade > 0 else { return time }
        return time + ", with a \(numberText(fade)) s fade-out"
    }
}

/// A time for the sleep timer: `30m`, `1h30m`, `90s`; a number alone is in minutes; or a time of
/// the day such as `22:30`.
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
    var condition: StopCondition? { StopCondition(rawValue: rawValue) }
}

/// The options for when a run stops by itself.
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
        if fade != nil && sleep == nil { throw ValidationError("--fade needs --sleep.") }
    }

    /// The request to the service; nil if no option is given.
    func call(by clock: any HostClock = SystemClock()) -> SetSleep? {
        guard sleep != nil || stopAfter != nil else { return nil }
        return SetSleep(
            seconds: sleep?.seconds(at: clock.secondsSinceEpoch), fade: fade,
            after: stopAfter)
    }
}
