/// What an interruption does to one player, and what its end may undo (behaviour 3.1, T51-T57).
package struct PlaybackInterruption: Hashable, Sendable {
    /// What the player has to do.
    package enum Action: Hashable, Sendable {
        /// Fall silent.
        case pause
        /// Go on.
        case resume
    }

    /// How many interruptions have begun and not ended.
    package private(set) var depth = 0
    /// Whether the player goes on when the last has ended: it played before, or was told to since.
    package private(set) var shouldRestorePlaying = false

    /// Makes a player without an interruption.
    package init() {}

    /// Whether the player must stay silent.
    package var isActive: Bool { depth > 0 }

    /// An interruption begins. Only the outermost saves whether the player was playing.
    package mutating func begin(isPlaying: Bool) -> Action? {
        depth += 1
        guard depth == 1 else { return nil }
        shouldRestorePlaying = isPlaying
        return isPlaying ? .pause : nil
    }

    /// An interruption ends; `mayResume` counts only for the last. One that never began is ignored.
    package mutating func end(mayResume: Bool) -> Action? {
        guard depth > 0 else { return nil }
        depth -= 1
        guard depth == 0 else { return nil }
        defer { shouldRestorePlaying = false }
        return mayResume && shouldRestorePlaying ? .resume : nil
    }

    /// The user wants to play. Returns whether that may begin now; else it is done at the end.
    package mutating func play() -> Bool {
        if isActive { shouldRestorePlaying = true }
        return !isActive
    }

    /// The user wants silence: an end no longer resumes.
    package mutating func pause() { shouldRestorePlaying = false }

    /// All interruptions are over without a word about resuming: the session was activated anew.
    package mutating func override() { self = PlaybackInterruption() }
}
