package import Playback

/// When playing is to stop by itself: after a time or at a condition, whichever comes first. With
/// neither it does not stop by itself any more.
package struct SleepOrder: Hashable, Sendable {
    private static let longest = 7 * 86400.0

    /// Seconds until it is silent, above 0, 7 days at most.
    package var seconds: Double?
    /// Seconds before that in which the sound falls silent, 0 to 3600.
    package var fade: Double
    /// What it stops after.
    package var condition: StopCondition?

    package init(seconds: Double? = nil, fade: Double? = nil, condition: StopCondition? = nil) {
        self.seconds = seconds
        self.fade = fade ?? 10
        self.condition = condition
    }

    /// Errors: times out of range.
    func check() throws(ServiceError) {
        if let seconds, !(seconds > 0 && seconds <= Self.longest) {
            throw ServiceError(
                .invalidValue, "set the sleep timer", "it is from above 0 to 7 days")
        }
        if !(0...3600).contains(fade) {
            throw ServiceError(.invalidValue, "fade out", "it takes 0 to 3600 seconds")
        }
    }
}
