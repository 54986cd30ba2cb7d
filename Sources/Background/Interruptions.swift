/// The interruptions of a session: they nest, and only the outermost is reported (behaviour 3.1).
package struct SessionInterruption: Hashable, Sendable {
    /// How many have begun and not ended.
    package private(set) var depth = 0
    /// Whether the session may end them all by becoming active: none of them is a call.
    package private(set) var isOverridable = true

    /// Makes a session without an interruption.
    package init() {}

    /// Whether the session is interrupted.
    package var isActive: Bool { depth > 0 }

    /// One begins. Returns whether it is the outermost, and so to be told.
    package mutating func begin(isOverridable: Bool) -> Bool {
        self.isOverridable = self.isOverridable && isOverridable
        depth += 1
        return depth == 1
    }

    /// One ends. Returns whether it was the last; an end without a begin is ignored.
    package mutating func end() -> Bool {
        guard depth > 0 else { return false }
        depth -= 1
        if depth == 0 { isOverridable = true }
        return depth == 0
    }

    /// All end, since the session has taken the sound back.
    package mutating func override() { self = SessionInterruption() }
}

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

/// How loud a session may be while others speak over it (T56).
package struct Ducking: Hashable, Sendable {
    /// The share of its loudness that a ducked session keeps.
    package static let factor: Float = 0.2

    private var depth = 0

    /// Makes a session at its full loudness.
    package init() {}

    /// The factor for the session's samples.
    package var gain: Float { depth > 0 ? Self.factor : 1 }

    /// Another begins to speak.
    package mutating func begin() { depth += 1 }

    /// Another has spoken; one that never began is ignored.
    package mutating func end() { depth = max(0, depth - 1) }
}
