import ArgumentParser
import CommandOptions
import Control

/// Where the sound goes, as it is written on the command line.
enum OutputOption: String, Choice {
    case pulse, null

    /// What the service is asked for.
    func choice(server: String?, device: String?) -> OutputChoice {
        switch self {
        case .pulse: .pulse(server: server, device: device, cookie: Environment["PULSE_COOKIE"])
        case .null: .null
        }
    }
}
