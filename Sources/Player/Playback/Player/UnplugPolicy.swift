/// A player's reaction to the loss of its output device.
public enum UnplugPolicy: String, Codable, Sendable, CaseIterable {
    /// Pauses, and stays paused when the device returns (behaviour 2.5, T58).
    case pause
    /// Continues on the device that the sound server moves it to.
    case follow
    /// Waits for the same device and resumes on it.
    case wait
}
