import UndersongAudioSession

/// Which of libpulse's interfaces plays on a sound server.
enum SoundPort: CaseIterable {
    case pulse, pulseSimple

    func destination(server: String?, device: String?) -> OutputDestination {
        switch self {
        case .pulse: .pulse(server: server, device: device)
        case .pulseSimple: .pulseSimple(server: server, device: device)
        }
    }
}
