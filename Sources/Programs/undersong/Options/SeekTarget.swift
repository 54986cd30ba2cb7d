import ArgumentParser
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

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
