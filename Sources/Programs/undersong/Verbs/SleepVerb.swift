import ArgumentParser
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// `undersong sleep`: shows or sets the sleep timer.
struct SleepVerb: Verb {
    static let configuration = described(
        "sleep", "Show or set the sleep timer.",
        discussion: """
            TIME is 30m, 1h30m, 90s, or a number of minutes, 7 days at most; or a time of the day, \
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
        if fade != nil { throw ValidationError("--fade goes with a time only.") }
        if target == .off, after != nil { throw ValidationError("--after does not go with off.") }
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
