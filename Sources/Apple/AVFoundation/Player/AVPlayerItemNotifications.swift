// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

extension Notification.Name {
    /// An item was heard to its end. Posted on the main queue while the item is still current; the
    /// object is the item (behaviour 2.3, 2.4).
    public static let AVPlayerItemDidPlayToEndTime = Notification.Name(
        "AVPlayerItemDidPlayToEndTimeNotification")
    /// An item could not be played, or not to its end; the user info contains the error.
    public static let AVPlayerItemFailedToPlayToEndTime = Notification.Name(
        "AVPlayerItemFailedToPlayToEndTimeNotification")
    /// An item's time has jumped.
    public static let AVPlayerItemTimeJumped = Notification.Name(
        "AVPlayerItemTimeJumpedNotification")
    /// An item's samples did not arrive in time from the network.
    public static let AVPlayerItemPlaybackStalled = Notification.Name(
        "AVPlayerItemPlaybackStalledNotification")
    /// An item's access log has a new entry. Never posted for files.
    public static let AVPlayerItemNewAccessLogEntry = Notification.Name(
        "AVPlayerItemNewAccessLogEntryNotification")
    /// An item's error log has a new entry.
    public static let AVPlayerItemNewErrorLogEntry = Notification.Name(
        "AVPlayerItemNewErrorLogEntryNotification")
}

/// User info key of `AVPlayerItemFailedToPlayToEndTime`: the `Error`.
public let AVPlayerItemFailedToPlayToEndTimeErrorKey = "AVPlayerItemFailedToPlayToEndTimeErrorKey"

extension AVPlayerItem {
    /// The newer name of `AVPlayerItemDidPlayToEndTime`.
    public static let didPlayToEndTimeNotification = Notification.Name.AVPlayerItemDidPlayToEndTime
    /// The newer name of `AVPlayerItemFailedToPlayToEndTime`.
    public static let failedToPlayToEndTimeNotification =
        Notification.Name.AVPlayerItemFailedToPlayToEndTime
    /// The newer name of `AVPlayerItemTimeJumped`.
    public static let timeJumpedNotification = Notification.Name.AVPlayerItemTimeJumped
    /// The newer name of `AVPlayerItemPlaybackStalled`.
    public static let playbackStalledNotification = Notification.Name.AVPlayerItemPlaybackStalled
    /// The newer name of `AVPlayerItemNewErrorLogEntry`.
    public static let newErrorLogEntryNotification = Notification.Name.AVPlayerItemNewErrorLogEntry
    /// The newer name of `AVPlayerItemNewAccessLogEntry`.
    public static let newAccessLogEntryNotification =
        Notification.Name.AVPlayerItemNewAccessLogEntry
}
