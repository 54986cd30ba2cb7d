package import AudioSession
package import Playback

/// What the player does.
package struct PlayerStatus: Sendable {
    /// What the session says.
    package var report: SessionReport
    /// Whether nothing of the service runs until somebody comes.
    package var isSuspended: Bool
    /// When it stops by itself; nil: it does not.
    package var sleep: SleepStatus?
}

/// When playing stops by itself.
package struct SleepStatus: Hashable, Sendable {
    /// A timer that runs.
    package struct Timer: Hashable, Sendable {
        /// Seconds until it is silent.
        package var remaining: Double
        /// Seconds of that in which the sound falls silent.
        package var fade: Double
        /// Whether it falls silent now.
        package var isFading: Bool
    }

    /// The timer; nil: none runs.
    package var timer: Timer?
    /// What it stops after.
    package var condition: StopCondition?
}

/// Where a seek went.
package struct SeekOutcome: Sendable {
    /// False when a newer seek or another jump came first.
    package var isFinished: Bool
    /// The item's time then.
    package var position: CMTime
    /// What is played now, where the way led beyond the item's end; nil: it is the same item.
    package var status: PlayerStatus?
}
