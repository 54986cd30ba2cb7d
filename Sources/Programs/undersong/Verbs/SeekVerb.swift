import ArgumentParser
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// `undersong seek`: seeks in the current item.
struct SeekVerb: Verb {
    static let configuration = described(
        "seek", "Seek to a time or a part of the current item, or forward or back.",
        discussion: """
            TIME is 90, 1:30 or 1:02:03.5 for a time of the item, 50% for a part of its length, \
            +10 to go forward, -10 to go back. A time beyond the item's end is refused; a step \
            beyond it leads to the next item. In a part of a file, such as a track of a CUE sheet, \
            times count from the start of the part.
            """)

    @Argument(help: "A time such as 90 or 1:30, a step such as +10 or -10, or a part such as 50%.")
    var time: SeekTarget

    @OptionGroup var options: SessionOptions

    func perform() throws {
        switch time {
        case .to(let time):
            let start = try options.service(to: "seek").call(GetStatus()).item?.start
            try seek(Seek(to: start.map { WireTime(CMTime($0) + CMTime(time)) } ?? time))
        case .by(let time): try seek(SeekBy(time))
        case .part(let fraction): try seek(SeekToPart(fraction))
        }
    }

    private func seek<Call: ControlCall>(_ call: Call) throws where Call.Reply == SeekResult {
        try options.ask("seek", call) { reply in
            reply.status.map(StatusText.line) ?? ClockText.text(reply.position)
        }
    }
}

/// A target in an item: `1:30` is a position, `50%` a part of its length, `+10` forward and `-10`
/// back from the current position.
enum SeekTarget: ExpressibleByArgument, Equatable {
    case to(WireTime)
    case by(WireTime)
    /// A fraction of the length, 0 to 1.
    case part(Double)

    init?(argument: String) {
        if argument.hasSuffix("%") {
            let digits = argument.dropLast()
            guard digits.first?.isNumber == true, let percent = Double(digits), percent <= 100
            else { return nil }
            self = .part(percent / 100)
            return
        }
        let sign = argument.first
        let digits = sign == "+" || sign == "-" ? String(argument.dropFirst()) : argument
        guard let time = Seconds(argument: digits)?.wireTime else { return nil }
        switch sign {
        case "+": self = .by(time)
        case "-": self = .by(WireTime(value: -time.value, timescale: time.timescale))
        default: self = .to(time)
        }
    }
}
