/// The end of a session.
public struct SessionEnd: Codable, Equatable, Sendable {
    /// The reason why it ended.
    public enum Reason: Equatable, Sendable {
        /// The queue was played to its end.
        case finished
        /// The session was stopped on request.
        case stopped
        /// The output failed, for this reason; nil if that is not known.
        case outputFailed(OutputError.Code?)

        /// `finished`, `stopped` or `outputFailed`.
        package var word: String {
            switch self {
            case .finished: "finished"
            case .stopped: "stopped"
            case .outputFailed: "outputFailed"
            }
        }
    }

    /// The reason why it ended.
    public var reason: Reason
    /// The number of items heard at least in part.
    public var playedCount: Int
    /// The number of items that could not be played, or not to their end.
    public var failedCount: Int
    /// The number of the run that ended, from 1; 0 if there was nothing to play.
    public var run: Int

    /// Creates a session end.
    public init(reason: Reason, playedCount: Int, failedCount: Int, run: Int) {
        self.reason = reason
        self.playedCount = playedCount
        self.failedCount = failedCount
        self.run = run
    }

    private enum CodingKeys: String, CodingKey {
        case reason, code, run
        case playedCount = "played"
        case failedCount = "failed"
    }

    /// Decodes an end; an event has neither its run nor the output's error.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let code = try members.decodeIfPresent(String.self, forKey: .code)
        reason =
            switch try members.decode(String.self, forKey: .reason) {
            case Reason.stopped.word: .stopped
            case Reason.finished.word: .finished
            case Reason.outputFailed(nil).word:
                .outputFailed(code.flatMap { OutputError.Code(rawValue: $0) })
            case let word:
                throw DecodingError.dataCorruptedError(
                    forKey: .reason, in: members, debugDescription: "'\(word)' is not a reason")
            }
        playedCount = try members.decode(Int.self, forKey: .playedCount)
        failedCount = try members.decode(Int.self, forKey: .failedCount)
        run = try members.decodeIfPresent(Int.self, forKey: .run) ?? 0
    }

    /// Encodes the end.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(reason.word, forKey: .reason)
        if case .outputFailed(let code?) = reason {
            try members.encode(code.rawValue, forKey: .code)
        }
        try members.encode(playedCount, forKey: .playedCount)
        try members.encode(failedCount, forKey: .failedCount)
        try members.encode(run, forKey: .run)
    }
}
