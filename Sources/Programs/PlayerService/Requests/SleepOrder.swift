package import UndersongPlayback

/// When to stop playback: after a time or at a condition, whichever comes first. Without either,
/// playback no longer stops by itself.
package struct SleepOrder: Hashable, Sendable {
    private static let longest = 7 * 86400.0

    /// The seconds until silence, above 0, 7 days at most.
    package var seconds: Double?
    /// The length of the fade before that in seconds, 0 to 3600.
    package var fade: Double
    /// What to stop after.
    package var condition: StopCondition?
    /// Whether to leave the timer as it is.
    package var keepsTimer: Bool

    package init(
        seconds: Double? = nil, fade: Double? = nil, condition: StopCondition? = nil,
        keepsTimer: Bool = false
    ) {
        self.keepsTimer = keepsTimer
        self.seconds = seconds
        self.fade = fade ?? 10
        self.condition = condition
    }

    /// Throws if a time is out of range.
    func check() throws(ServiceError) {
        if let seconds, !(seconds > 0 && seconds <= Self.longest) {
            throw ServiceError(
                .invalidValue, "set the sleep timer", "it must be above 0, at most 7 days")
        }
        if !(0...3600).contains(fade) {
            throw ServiceError(.invalidValue, "fade out", "it takes 0 to 3600 seconds")
        }
    }
}
