/// How a session ended.
public struct SessionEnd: Equatable, Sendable {
    /// Why it ended.
    public enum Reason: Equatable, Sendable {
        /// The queue was played to its end.
        case finished
        /// The session was stopped on request.
        case stopped
        /// The output failed.
        case outputFailed(OutputError.Code)
    }

    /// Why it ended.
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
}
