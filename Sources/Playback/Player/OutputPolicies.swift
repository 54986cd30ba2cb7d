/// What a player does when the device it plays on is gone.
public enum UnplugPolicy: String, Hashable, Sendable, CaseIterable {
    /// It pauses, and stays so when the device returns (behaviour 2.5, T58).
    case pause
    /// It goes on where the sound server sends it.
    case follow
    /// It waits for the same device and goes on then.
    case wait
}

/// How a player's sound relates to that of others, as Apple's category options say (behaviour 2.5).
public enum MixingMode: String, Hashable, Sendable, CaseIterable {
    /// It interrupts others that do not mix, and they interrupt it.
    case exclusive
    /// It sounds beside others: `mixWithOthers`.
    case mix
    /// Others are softer while it plays: `duckOthers`.
    case duck
    /// Speech of others stops while it plays, the rest is softer:
    /// `interruptSpokenAudioAndMixWithOthers`.
    case interruptSpoken
}
