/// Lets playing stop by itself: after a time, or behind something, whichever comes first. What was
/// said before counts no more. With nothing in it, it only asks.
public struct Sleep: ControlCall, Hashable {
    /// What counts from then on.
    public typealias Reply = SleepState
    /// What it is called on the wire.
    public static let method = "sleep"
    /// Seconds from now, by the clock on the wall, until it is silent.
    public var seconds: Double?
    /// Seconds before that in which the sound falls silent; nil: 10.
    public var fade: Double?
    /// Behind what it stops: `item`, `queue` or `chapter`.
    public var after: String?
    /// True: what was said before counts no more, and nothing else.
    public var off: Bool?

    /// Asks.
    public init() {}

    /// Asks for an end.
    public init(seconds: Double?, fade: Double? = nil, after: String? = nil) {
        self.seconds = seconds
        self.fade = fade
        self.after = after
    }

    /// Asks for none any more.
    public static var never: Sleep {
        var call = Sleep()
        call.off = true
        return call
    }
}

/// When playing stops by itself; never, when there is nothing in it.
public struct SleepState: Codable, Hashable, Sendable {
    /// Seconds until it is silent.
    public var remaining: Double?
    /// Seconds of that in which the sound falls silent.
    public var fade: Double?
    /// Whether it falls silent now.
    public var fading: Bool?
    /// Behind what it stops: `item`, `queue` or `chapter`.
    public var after: String?

    /// Makes a state.
    public init(
        remaining: Double? = nil, fade: Double? = nil, fading: Bool? = nil, after: String? = nil
    ) {
        self.remaining = remaining
        self.fade = fade
        self.fading = fading
        self.after = after
    }
}
