import UndersongAudioSession

extension SessionEnd.Reason {
    /// `finished`, `stopped` or `outputFailed`.
    var name: String {
        switch self {
        case .finished: "finished"
        case .stopped: "stopped"
        case .outputFailed: "outputFailed"
        }
    }

    /// The output's error, if it has failed.
    var code: String? { if case .outputFailed(let code) = self { code.rawValue } else { nil } }
}
