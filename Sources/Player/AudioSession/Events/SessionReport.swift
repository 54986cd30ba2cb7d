public import UndersongAudioIO
public import UndersongBackground
public import UndersongPlayback

/// The state of a player at one moment, and everything that affects it.
public struct SessionReport: Sendable {
    /// What the player is doing and why.
    public var status: TimeControlStatus
    /// Whether the user wants sound.
    public var wantsPlayback: Bool
    /// The number of items in the queue.
    public var count: Int
    /// The current item; nil if there is none.
    public var current: QueueItem?
    /// The current item's place, from 0.
    public var place: Int
    /// The position in the current item.
    public var position: CMTime
    /// Whether the current item can be sought, that is, is not a stream.
    public var isSeekable: Bool
    /// The descriptions of items that were opened.
    public var descriptions: [ItemID: MediaDescription]
    /// The player's settings.
    public var settings: PlayerSettings
    /// How the current item arrives; nil unless it is on the network and open.
    public var network: NetworkReport?
    /// The title that a live stream's station gives to what is heard; nil if it gives none.
    public var streamTitle: String?
    /// Whether the sound server's device is muted or at volume 0.
    public var isDeviceSilent: Bool
    /// The host's state.
    public var applicationState: ApplicationState
    /// Where that was determined.
    public var applicationStateSource: String
    /// When the host entered that state, in nanoseconds of CLOCK_MONOTONIC.
    public var applicationStateSince: Int64
    /// The policy's last decision.
    public var decision: PolicyDecision
    /// Since when each of its reasons has forbidden sound, in nanoseconds of CLOCK_MONOTONIC.
    public var suppressedSince: [SuppressionReason: Int64]
    /// The session's category.
    public var category: SessionCategory
    /// How many runs have begun: each ends with its queue, or when it is stopped or replaced.
    public var run: Int
    /// Whether the last run is still in progress.
    public var isRunning: Bool
    /// Whether `fadeOut(over:)` is in progress, which ends in a pause.
    public var isFadingOut: Bool
    /// Where the sound goes.
    public var output: OutputDestination
    /// The current time in nanoseconds of CLOCK_MONOTONIC.
    public var hostTime: Int64
}
