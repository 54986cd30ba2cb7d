public import UndersongBase
public import UndersongPlayback

/// Stops playback after a time or at a stop condition, whichever comes first, replacing any
/// previous setting. An empty request is a query.
public struct Sleep: ControlCall, Hashable {
    /// The resulting state.
    public typealias Reply = SleepReport
    /// The name of the method.
    public static let method = "sleep"
    /// The seconds until silence, by wall-clock time.
    public var seconds: Double?
    /// The length of the fade before that, in seconds; nil for 10.
    public var fade: Double?
    /// What to stop after: `item`, `queue` or `chapter`.
    public var after: String?
    /// True to cancel the timer and the stop condition.
    public var off: Bool?
    /// True to leave the timer as it is, and to change only what to stop after: nothing if `after`
    /// is nil.
    public var keepsTimer: Bool?

    /// Creates a query.
    public init() {}

    /// Creates a request to stop playback.
    public init(seconds: Double?, fade: Double? = nil, after: String? = nil) {
        self.seconds = seconds
        self.fade = fade
        self.after = after
    }

    /// Creates a request to stop after something, or after nothing, that leaves the timer as it is.
    public init(onlyAfter after: String?) {
        self.after = after
        keepsTimer = true
    }

    /// A request to cancel.
    public static var never: Sleep {
        var call = Sleep()
        call.off = true
        return call
    }
}
