/// Stops playback after a given time, whatever happens meanwhile. Times are in seconds of a clock
/// that the caller reads.
package struct SleepTimer: Equatable, Sendable {
    package enum Due: Equatable, Sendable {
        /// Fade out over this many seconds, then pause.
        case fadeOut(seconds: Double)
        /// Pause, unless a fade-out is already running; the timer has expired.
        case pause
    }

    /// The time at which playback stops, in seconds of the clock.
    package let deadline: Double
    private let seconds: Double
    /// The length of the fade before that, in seconds.
    package let fade: Double
    /// True if the fade has begun.
    package private(set) var isFading = false

    /// Creates a timer that expires `seconds` after `now`; the fade is no longer than that.
    package init(seconds: Double, fade: Double, at now: Double) {
        deadline = now + seconds
        self.seconds = seconds
        self.fade = min(max(fade, 0), seconds)
    }

    /// The seconds that remain at `now`: never more than were set, though the deadline is rounded.
    package func remaining(at now: Double) -> Double { min(seconds, max(0, deadline - now)) }

    /// The time at which the next action is due.
    package var nextDue: Double { isFading ? deadline : deadline - fade }

    /// The action due at `now`, if any; the fade is returned once. If called too late to fade, such
    /// as after the machine has slept, it skips the fade.
    package mutating func advance(to now: Double) -> Due? {
        if now >= deadline { return .pause }
        guard now >= nextDue, !isFading else { return nil }
        isFading = true
        return .fadeOut(seconds: deadline - now)
    }
}
