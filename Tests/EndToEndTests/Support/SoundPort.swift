import AudioSession

/// By which of libpulse's interfaces a sound server is played on.
enum SoundPort: CaseIterable {
    case pulse, pulseSimple

    func destination(server: String?, device: String?) -> OutputDestination {
        switch self {
        case .pulse: .pulse(server: server, device: device)
        case .pulseSimple: .pulseSimple(server: server, device: device)
        }
    }
}
