/// The time at which playback stops by itself; empty if it does not.
public struct SleepReport: Codable, Hashable, Sendable {
    /// The time at which the sleep timer ends, in seconds since 1970; nil if none is running.
    public var time: Double?
    /// The seconds until then; nil in events.
    public var remaining: Double?
    /// The length of the fade before that, in seconds.
    public var fade: Double?
    /// True if the fade is running.
    public var fading: Bool?
    /// The condition after which playback stops.
    public var after: StopCondition?

    /// Creates a report.
    public init(
        time: Double? = nil, remaining: Double? = nil, fade: Double? = nil, fading: Bool? = nil,
        after: StopCondition? = nil
    ) {
        self.time = time
        self.remaining = remaining
        self.fade = fade
        self.fading = fading
        self.after = after
    }
}
