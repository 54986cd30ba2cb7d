/// The mixing of a player's sound with that of other apps, after Apple's category options
/// (behaviour
/// 2.5).
public enum MixingMode: String, Codable, Sendable, CaseIterable {
    /// Interrupts other apps that do not mix, and is interrupted by them.
    case exclusive
    /// Plays alongside other apps: `mixWithOthers`.
    case mix
    /// Lowers the volume of other apps while it plays: `duckOthers`.
    case duck
    /// Pauses spoken audio of other apps while it plays and lowers the volume of the rest:
    /// `interruptSpokenAudioAndMixWithOthers`.
    case interruptSpoken
}
