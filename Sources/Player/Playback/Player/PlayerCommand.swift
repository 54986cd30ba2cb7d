/// A command to a player that is a single word: what the wire, desktops, pushes, rules and keys
/// have in common.
public enum PlayerCommand: String, Codable, Hashable, Sendable, CaseIterable {
    /// Pause; the position is kept to the sample.
    case pause
    /// Start or resume playback.
    case resume
    /// Pause or resume.
    case toggle
    /// Pause and give up the sound device; ends the run, keeps the queue.
    case stop
    /// Skip to the next item.
    case next
    /// Return to the previous item, or to the start of the first one.
    case previous
    /// Skip to the next chapter, or from the last one to the next item.
    case nextChapter = "next-chapter"
    /// Return to the start of the chapter, or near it to the previous chapter.
    case previousChapter = "previous-chapter"

    /// The commands that rules and pushes may give while nobody is present.
    package static let unattended: [PlayerCommand] = [.pause, .resume]
}
