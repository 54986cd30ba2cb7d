public import UndersongAudioIO
public import UndersongBackground
public import UndersongPlayback

/// The state of a player at one moment: what others see, and what only a service needs.
public struct SessionReport: Sendable {
    /// The status for others, as far as the session knows it.
    public var player: PlayerStatus
    /// The player's status with its reason.
    public var status: TimeControlStatus
    /// The current item; nil if there is none.
    public var current: QueueItem?
    /// The position in the current item.
    public var position: CMTime
    /// True if the current item can be sought, that is, is not a stream.
    public var isSeekable: Bool
    /// The descriptions of items that were opened.
    public var descriptions: [ItemID: MediaDescription]
    /// The player's settings.
    public var settings: PlayerSettings
    /// The time at which the host entered its state, in nanoseconds of CLOCK_MONOTONIC.
    public var applicationStateSince: Int64
    /// The policy's last decision.
    public var decision: PolicyDecision
    /// The time since which each of its reasons forbids sound, in nanoseconds of CLOCK_MONOTONIC.
    public var suppressedSince: [SuppressionReason: Int64]
    /// The session's category.
    public var category: SessionCategory
    /// The time since which the sound has been digital silence in the background, in nanoseconds of
    /// CLOCK_MONOTONIC; nil if it was for less than 10 minutes.
    public var digitalSilenceSince: Int64?
    /// The number of runs that have begun: each ends with its queue, or when it is stopped or
    /// replaced.
    public var run: Int
    /// True if the last run is still in progress.
    public var isRunning: Bool
    /// True if `fadeOut(over:)` is in progress, which ends in a pause.
    public var isFadingOut: Bool
    /// The destination of the sound.
    public var output: OutputDestination
    /// The current time in nanoseconds of CLOCK_MONOTONIC.
    public var hostTime: Int64
}
