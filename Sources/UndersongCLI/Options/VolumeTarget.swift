import ArgumentParser
import Control

/// How loud to be: `80`, `+5`, `-5`, `mute`, `unmute`.
enum VolumeTarget: ExpressibleByArgument, Equatable {
    case to(Double)
    case by(Double)
    case muted(Bool)

    /// Reads percents from 0 to 100, or a change of as many.
    init?(argument: String) {
        switch argument {
        case "mute": self = .muted(true)
        case "unmute": self = .muted(false)
        default:
            let digits = argument.hasSuffix("%") ? String(argument.dropLast()) : argument
            guard let number = Double(digits), abs(number) <= 100 else { return nil }
            let isChange = digits.hasPrefix("+") || digits.hasPrefix("-")
            self = isChange ? .by(number) : .to(number)
        }
    }

    /// The settings that change.
    var change: Settings.Change {
        var change = Settings.Change()
        switch self {
        case .to(let percent): change.volume = percent
        case .by(let percent): change.volumeBy = percent
        case .muted(let isMuted): change.muted = isMuted
        }
        return change
    }
}
