// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

extension Notification.Name {
    /// An item was heard to its end. Posted on the main queue while it is still current; its object
    /// is the item (behaviour 2.3, 2.4).
    public static let AVPlayerItemDidPlayToEndTime = Notification.Name(
        "AVPlayerItemDidPlayToEndTimeNotification")
    /// An item could not be played, or not to its end; the user info holds the error.
    public static let AVPlayerItemFailedToPlayToEndTime = Notification.Name(
        "AVPlayerItemFailedToPlayToEndTimeNotification")
    /// An item's time has jumped.
    public static let AVPlayerItemTimeJumped = Notification.Name(
        "AVPlayerItemTimeJumpedNotification")
    /// An item's samples did not come in time. Files of this machine always do.
    public static let AVPlayerItemPlaybackStalled = Notification.Name(
        "AVPlayerItemPlaybackStalledNotification")
    /// An item's access log has another entry. There are none for files.
    public static let AVPlayerItemNewAccessLogEntry = Notification.Name(
        "AVPlayerItemNewAccessLogEntryNotification")
    /// An item's error log has another entry.
    public static let AVPlayerItemNewErrorLogEntry = Notification.Name(
        "AVPlayerItemNewErrorLogEntryNotification")
}

/// In the user info of `AVPlayerItemFailedToPlayToEndTime`: the `Error`.
public let AVPlayerItemFailedToPlayToEndTimeErrorKey = "AVPlayerItemFailedToPlayToEndTimeErrorKey"

extension AVPlayerItem {
    /// `AVPlayerItemDidPlayToEndTime` by its newer name.
    public static let didPlayToEndTimeNotification = Notification.Name.AVPlayerItemDidPlayToEndTime
    /// `AVPlayerItemFailedToPlayToEndTime` by its newer name.
    public static let failedToPlayToEndTimeNotification =
        Notification.Name.AVPlayerItemFailedToPlayToEndTime
    /// `AVPlayerItemTimeJumped` by its newer name.
    public static let timeJumpedNotification = Notification.Name.AVPlayerItemTimeJumped
    /// `AVPlayerItemPlaybackStalled` by its newer name.
    public static let playbackStalledNotification = Notification.Name.AVPlayerItemPlaybackStalled
    /// `AVPlayerItemNewErrorLogEntry` by its newer name.
    public static let newErrorLogEntryNotification = Notification.Name.AVPlayerItemNewErrorLogEntry
    /// `AVPlayerItemNewAccessLogEntry` by its newer name.
    public static let newAccessLogEntryNotification =
        Notification.Name.AVPlayerItemNewAccessLogEntry
}
