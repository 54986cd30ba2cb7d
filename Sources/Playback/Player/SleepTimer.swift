/// When playing falls silent by itself: after a while, whatever happens meanwhile, by a clock that
/// the caller reads, in seconds.
package struct SleepTimer: Equatable, Sendable {
    package enum Due: Equatable, Sendable {
        /// Let what is heard fall silent within so many seconds, and pause then.
        case fadeOut(seconds: Double)
        /// Pause, unless what is heard falls silent already; the timer is over.
        case pause
    }

    /// Seconds of the clock at which it is to be silent.
    package let deadline: Double
    /// Seconds before that in which the sound falls silent.
    package let fade: Double
    /// Whether it has begun to fall silent.
    package private(set) var isFading = false

    /// Makes a timer that runs out `seconds` from `now`; the fade takes no longer than that.
    package init(seconds: Double, fade: Double, at now: Double) {
        deadline = now + seconds
        self.fade = min(max(fade, 0), seconds)
    }

    /// Seconds that are left at `now`.
    package func remaining(at now: Double) -> Double { max(0, deadline - now) }

    /// When something is due next.
    package var nextDue: Double { isFading ? deadline : deadline - fade }

    /// What is due at `now`, if anything; the fade is told once. A timer that is looked at too
    /// late, as after the machine has slept, does not begin to fade any more.
    package mutating func advance(to now: Double) -> Due? {
        if now >= deadline { return .pause }
        guard now >= nextDue, !isFading else { return nil }
        isFading = true
        return .fadeOut(seconds: deadline - now)
    }
}
