public import AudioIO
public import Background
public import Playback

/// What a player does at one moment, and everything that has a say in it.
public struct SessionReport: Sendable {
    /// What the player is doing and why.
    public var status: TimeControlStatus
    /// Whether the user wants sound.
    public var wantsPlayback: Bool
    /// How many items the queue has.
    public var count: Int
    /// The current one, where there is one.
    public var current: QueueItem?
    /// Its place, from 0.
    public var place: Int
    /// Where it is heard.
    public var position: CMTime
    /// Whether another time of what is played can be gone to: it is no stream.
    public var isSeekable: Bool
    /// What is known of the items that were opened.
    public var descriptions: [ItemID: MediaDescription]
    /// How it plays.
    public var settings: PlayerSettings
    /// Whether the sound server's device is muted or at volume 0.
    public var isDeviceSilent: Bool
    /// The host's state.
    public var applicationState: ApplicationState
    /// Where that was seen.
    public var applicationStateSource: String
    /// Nanoseconds of CLOCK_MONOTONIC since which it is so.
    public var applicationStateSince: Int64
    /// The policy's last decision.
    public var decision: PolicyDecision
    /// Nanoseconds of CLOCK_MONOTONIC since which each of its reasons forbids sound.
    public var suppressedSince: [SuppressionReason: Int64]
    /// The session's category.
    public var category: SessionCategory
    /// How many runs have begun: each is over when its queue is, when it is stopped or replaced.
    public var run: Int
    /// Whether the last of them is not over.
    public var isRunning: Bool
    /// Whether what is heard falls silent by `fadeOut(over:)`, to pause then.
    public var isFadingOut: Bool
    /// Where the sound goes.
    public var output: OutputDestination
    /// Nanoseconds of CLOCK_MONOTONIC now.
    public var hostTime: Int64
}
