import CUndersongPulse
import UndersongPlayback

/// Turns libpulse's error numbers into errors.
enum PulseError {
    static let timeout = Int32(PA_ERR_TIMEOUT.rawValue)

    /// libpulse's text for a number.
    static func text(_ code: Int32) -> String { unsafe String(cString: pa_strerror(code)) }

    /// The reason why a stream ended.
    static func ofStream(_ code: Int32) -> OutputError {
        OutputError(
            code == Int32(PA_ERR_KILLED.rawValue) ? .streamEnded : .serverLost,
            operation: "play on the sound server", reason: text(code))
    }

    /// The reason why the connection, or a stream on one of the server's devices, could not be
    /// made.
    static func ofConnection(
        _ code: Int32, to server: String?, device: String? = nil
    ) -> OutputError {
        if let device, code == Int32(PA_ERR_NOENTITY.rawValue) {
            return OutputError(
                .noSuchDevice, operation: "play on \(device)", reason: text(code))
        }
        let isDenied = code == Int32(PA_ERR_ACCESS.rawValue)
        return OutputError(
            isDenied ? .accessDenied : .serverUnavailable,
            operation: "connect to the sound server" + (server.map { " \($0)" } ?? ""),
            reason: text(code))
    }
}
