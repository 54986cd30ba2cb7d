package import UndersongAudioSession
package import UndersongPlayback

/// What the player is doing.
package struct PlayerStatus: Sendable {
    /// The session's report.
    package var report: SessionReport
    /// Whether the service is suspended until a client does something.
    package var isSuspended: Bool
    /// When playback stops by itself; nil if it does not.
    package var sleep: SleepStatus?
}

/// When playback stops by itself.
package struct SleepStatus: Hashable, Sendable {
    /// A running timer.
    package struct Timer: Hashable, Sendable {
        /// The seconds until silence.
        package var remaining: Double
        /// The length of the fade before that, in seconds.
        package var fade: Double
        /// Whether the fade is running.
        package var isFading: Bool
    }

    /// The timer; nil if none is running.
    package var timer: Timer?
    /// What playback stops after.
    package var condition: StopCondition?
}

/// The result of a seek.
package struct SeekOutcome: Sendable {
    /// False if a newer seek or another jump superseded it.
    package var isFinished: Bool
    /// The resulting time in the item.
    package var position: CMTime
    /// The status, if the seek went past the end of the item; nil if the item is the same.
    package var status: PlayerStatus?
}
