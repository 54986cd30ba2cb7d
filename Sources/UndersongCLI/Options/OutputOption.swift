import ArgumentParser
import Control

/// Where the sound goes, as it is written on the command line.
enum OutputOption: ExpressibleByArgument, Equatable {
    case pulse
    case null
    case wav(path: String)

    init?(argument: String) {
        if argument == "pulse" {
            self = .pulse
        } else if argument == "null" {
            self = .null
        } else if argument.hasPrefix("wav:") && argument.count > 4 {
            self = .wav(path: String(argument.dropFirst(4)))
        } else {
            return nil
        }
    }

    var defaultValueDescription: String { "pulse" }

    /// What the service is asked for; nil for a file, which is not the service's.
    func choice(server: String?, device: String?) -> OutputChoice? {
        switch self {
        case .pulse: .pulse(server: server, device: device)
        case .null: .null
        case .wav: nil
        }
    }
}
