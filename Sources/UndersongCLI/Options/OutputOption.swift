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

    /// What the service is asked for; `folder` is where relative paths begin.
    func choice(server: String?, device: String?, in folder: String) -> OutputChoice {
        switch self {
        case .pulse: .pulse(server: server, device: device)
        case .null: .null
        case .wav(let path): .wav(path: FilePath.absolute(path, in: folder))
        }
    }
}
