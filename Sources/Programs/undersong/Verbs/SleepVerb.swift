import ArgumentParser
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// `undersong sleep`: shows or sets the sleep timer.
struct SleepVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "sleep",
        abstract: "Show or set the sleep timer.",
        discussion: """
            TIME is 30m, 1h30m, 90s, or a number of minutes, 7 days at most; or a time of the day, \
            such as 22:30; off cancels the timer. When it is nearly over, the sound fades out; then \
            playback pauses, and the position is kept. The timer also runs while paused.

            --after item stops at the next end of an item, even if you skip to another item first. \
            With a time and --after, playback stops at whichever comes first.
            """)

    @Argument(help: "A time such as 30m, 1h30m, 90s or 22:30, a number of minutes, or off.")
    var time: SleepTarget?

    @Option(
        help: ArgumentHelp(
            "Seconds over which the sound fades out, 0 to 3600, 10 by default.",
            valueName: "seconds"))
    var fade: Double?

    @Option(
        help: ArgumentHelp(
            "Stop once, at the end of the current item, queue or chapter.",
            valueName: "item|queue|chapter"),
        completion: StopOption.completion, transform: StopOption.parse)
    var after: StopOption?

    @OptionGroup var options: SessionOptions

    func validate() throws {
        try check("--fade", fade, 0...3600)
        if case .time = time { return }
        if fade != nil { throw ValidationError("--fade goes with a time only.") }
        if time == .off, after != nil { throw ValidationError("--after does not go with off.") }
    }

    func perform() throws {
        let call = call()
        let isQuestion = call == Sleep()
        try options.ask(
            isQuestion ? "show the sleep timer" : "set the sleep timer", call, SleepText.line)
    }

    /// The request that the options describe.
    func call(by clock: any HostClock = SystemClock()) -> Sleep {
        switch time {
        case .off: .never
        case .time(let time):
            Sleep(
                seconds: time.seconds(at: clock.secondsSinceEpoch), fade: fade,
                after: after?.rawValue)
        case nil: Sleep(seconds: nil, after: after?.rawValue)
        }
    }
}

/// `undersong stop-after`: shows or sets where playback stops once.
struct StopAfterVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "stop-after",
        abstract: "Show or set where playback stops once.",
        discussion: "The time of the sleep timer, if one is set, stays as it is.")

    @Argument(
        help: "Stop after the current item, queue or chapter; or off.",
        completion: StopTarget.completion, transform: StopTarget.parse)
    var after: StopTarget?

    @OptionGroup var options: SessionOptions

    func perform() throws {
        try options.ask(
            (after == nil ? "show" : "set") + " where playback stops", call, startsService: true,
            SleepText.stop)
    }

    /// The request that the argument describes.
    var call: Sleep {
        guard let after else { return Sleep() }
        return Sleep(onlyAfter: after == .off ? nil : after.rawValue)
    }
}
