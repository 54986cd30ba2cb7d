public import UndersongBase
import UndersongPlayback

/// The destination of the sound.
public enum OutputDestination: Hashable, Sendable {
    /// A PulseAudio server (nil for the user's own) and one of its sinks (nil for the default one).
    case pulse(server: String?, device: String?)
    /// The same through libpulse-simple: pauses, seeks and volume changes are heard up to a quarter
    /// of a second late.
    case pulseSimple(server: String?, device: String?)
    /// Nowhere, at the pace of a real device.
    case null
    /// A WAV file, as fast as it can be written.
    case wav(path: FilePath)

    /// A WAV file at a path in UTF-8.
    public static func wav(path: String) -> OutputDestination { .wav(path: FilePath(path)) }

    /// True if it plays at the listener's pace.
    package var isRealTime: Bool {
        if case .wav = self { false } else { true }
    }

    /// The nanoseconds for which sound already written may be heard after a pause.
    package var tailLatency: Int64 {
        if case .pulseSimple = self { 400_000_000 } else { 80_000_000 }
    }

    /// The sound server: nil if there is none, and inside, nil for the user's own.
    package var server: String?? {
        switch self {
        case .pulse(let server, _), .pulseSimple(let server, _): .some(server)
        case .null, .wav: nil
        }
    }

    /// The sink that it names, if any.
    package var device: String? {
        switch self {
        case .pulse(_, let device), .pulseSimple(_, let device): device
        case .null, .wav: nil
        }
    }
}
