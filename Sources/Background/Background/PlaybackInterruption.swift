/// The effect of an interruption on one player, and of its end (behaviour 3.1, T51-T57).
package struct PlaybackInterruption: Hashable, Sendable {
    /// The actions of the player.
    package enum Action: Hashable, Sendable {
        /// Become silent.
        case pause
        /// Resume.
        case resume
    }

    /// The number of interruptions that have begun and not ended.
    package private(set) var depth = 0
    /// True if the player resumes when the last interruption ends: it was playing before, or has
    /// been asked to play since.
    package private(set) var shouldRestorePlaying = false

    /// Creates a player without interruptions.
    package init() {}

    /// True if the player must stay silent.
    package var isActive: Bool { depth > 0 }

    /// Begins an interruption. Only the outermost one records whether the player was playing.
    package mutating func begin(isPlaying: Bool) -> Action? {
        depth += 1
        guard depth == 1 else { return nil }
        shouldRestorePlaying = isPlaying
        return isPlaying ? .pause : nil
    }

    /// Ends an interruption; only the last one's `mayResume` counts. An end without a beginning is
    /// ignored.
    package mutating func end(mayResume: Bool) -> Action? {
        guard depth > 0 else { return nil }
        depth -= 1
        guard depth == 0 else { return nil }
        defer { shouldRestorePlaying = false }
        return mayResume && shouldRestorePlaying ? .resume : nil
    }

    /// The user wants to play. Returns whether playback may start now; otherwise it starts when the
    /// last interruption ends.
    package mutating func play() -> Bool {
        if isActive { shouldRestorePlaying = true }
        return !isActive
    }

    /// The user wants silence: the end of the interruption no longer resumes playback.
    package mutating func pause() { shouldRestorePlaying = false }

    /// Ends all interruptions without resuming, because the session was activated again.
    package mutating func override() { self = PlaybackInterruption() }
}
