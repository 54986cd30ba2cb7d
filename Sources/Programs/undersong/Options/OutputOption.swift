import ArgumentParser
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// Where the sound goes, as it is written on the command line.
enum OutputOption: String, Choice {
    case pulse
    case pulseSimple = "pulse-simple"
    case null

    /// The choice as it is sent to the service.
    func choice(server: String?, device: String?) -> OutputChoice {
        let cookie = Environment["PULSE_COOKIE"]
        return switch self {
        case .pulse: .pulse(server: server, device: device, cookie: cookie)
        case .pulseSimple: .pulseSimple(server: server, device: device, cookie: cookie)
        case .null: .null
        }
    }
}
