import ArgumentParser
import CommandOptions
import Control

/// `undersong sleep`: tells when playing stops by itself, or changes it.
struct SleepVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "sleep",
        abstract: "Let playing stop by itself, or tell when it does.",
        discussion: """
            TIME is 30m, 1h30m, 90s, or a number of minutes; off ends what was said before. The \
            sound falls silent and is paused, and the place is kept. The time passes by the clock \
            on the wall, whatever is played meanwhile.

            Behind an item means the one that is played when an item ends next: who goes to \
            another item takes it along. With both, whichever comes first counts.
            """)

    @Argument(help: "When to be silent, or off.")
    var time: SleepTarget?

    @Option(help: "Seconds in which the sound falls silent, 10 unless you say so; 0 for at once.")
    var fade: Double?

    @Option(
        help: "Stop once behind this: item, queue, chapter.",
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
        let isQuestion = call == Sleep()
        try options.ask(
            isQuestion ? "tell the sleep timer" : "set the sleep timer", call, SleepText.line)
    }

    /// What all that asks for.
    var call: Sleep {
        switch time {
        case .off: .never
        case .time(let time): Sleep(seconds: time.seconds, fade: fade, after: after?.rawValue)
        case nil: Sleep(seconds: nil, after: after?.rawValue)
        }
    }
}
