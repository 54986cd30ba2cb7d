import ArgumentParser
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

/// The options for the destination of the sound.
struct OutputOptions: ParsableArguments {
    @Option(
        choice: ArgumentHelp(
            """
            The output: pulse; pulse-simple, the same over libpulse-simple; or null for \
            nowhere, in real time.
            """, valueName: "pulse|pulse-simple|null"))
    var output = OutputOption.pulse

    @Option(help: ArgumentHelp("Another sound server, such as tcp:HOST.", valueName: "address"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            "Another device of the server, as named by 'undersong output list'.", valueName: "name"
        ))
    var device: String?

    /// True if nothing else than the usual destination is given.
    var isUsual: Bool { output == .pulse && server == nil && device == nil }

    /// The choice as it is sent to the service.
    var choice: OutputChoice {
        output.choice(server: server ?? PlayRun.usualServer, device: device)
    }

    func validate() throws {
        guard output == .null, server != nil || device != nil else { return }
        throw ValidationError("--server and --device go with --output pulse or pulse-simple only.")
    }
}

/// The destination of the sound, as it is written on the command line.
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
