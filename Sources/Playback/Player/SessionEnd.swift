/// How a session ended.
public struct SessionEnd: Equatable, Sendable {
    /// Why it ended.
    public enum Reason: Equatable, Sendable {
        /// The queue was played to its end.
        case finished
        /// Somebody stopped it.
        case stopped
        /// The output failed.
        case outputFailed(OutputError.Code)
    }

    /// Why it ended.
    public var reason: Reason
    /// Items of which something was heard.
    public var playedCount: Int
    /// Items that could not be played, or not to their end.
    public var failedCount: Int
    /// Which run has ended, from 1; 0 for one that had nothing to play.
    public var run: Int

    /// Makes an end.
    public init(reason: Reason, playedCount: Int, failedCount: Int, run: Int) {
        self.reason = reason
        self.playedCount = playedCount
        self.failedCount = failedCount
        self.run = run
    }
}
