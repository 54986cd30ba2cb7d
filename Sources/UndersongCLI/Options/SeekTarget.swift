import ArgumentParser
import CommandOptions
import Control

/// A target in an item: `1:30` is a position, `+10` forward and `-10` back from the current one.
enum SeekTarget: ExpressibleByArgument, Equatable {
    case to(WireTime)
    case by(WireTime)

    init?(argument: String) {
        let sign = argument.first
        let digits = sign == "+" || sign == "-" ? String(argument.dropFirst()) : argument
        guard let time = Seconds(argument: digits)?.wireTime else { return nil }
        switch sign {
        case "+": self = .by(time)
        case "-": self = .by(WireTime(value: -time.value, timescale: time.timescale))
        default: self = .to(time)
        }
    }

    /// The request to the service.
    var call: Seek {
        switch self {
        case .to(let time): Seek(to: time)
        case .by(let time): Seek(by: time)
        }
    }
}
