import Synchronization

/// What a player of sound has no use for, and ported code sets all the same: stored, no more.
struct PlayerPreferences: Sendable {
    var allowsExternalPlayback = true
    var preventsDisplaySleep = true
    var backgroundPolicy = AVPlayer.AudiovisualBackgroundPlaybackPolicy.automatic
}

extension AVPlayer {
    /// What a player of video does in the background, with Apple's raw values.
    public enum AudiovisualBackgroundPlaybackPolicy: Int, Sendable {
        /// As the system likes.
        case automatic = 1
        /// It pauses.
        case pauses
        /// It plays on if it can.
        case continuesIfPossible
    }

    /// Stored for ported code: there are no other devices to play on.
    public var allowsExternalPlayback: Bool {
        get { preferences.withLock(\.allowsExternalPlayback) }
        set { preferences.withLock { $0.allowsExternalPlayback = newValue } }
    }

    /// Never: there are no other devices to play on.
    public var isExternalPlaybackActive: Bool { false }

    /// Stored for ported code: there is no video.
    public var preventsDisplaySleepDuringVideoPlayback: Bool {
        get { preferences.withLock(\.preventsDisplaySleep) }
        set { preferences.withLock { $0.preventsDisplaySleep = newValue } }
    }

    /// Stored for ported code, and of video: sound in the background is the `audio` mode's matter.
    public var audiovisualBackgroundPlaybackPolicy: AudiovisualBackgroundPlaybackPolicy {
        get { preferences.withLock(\.backgroundPolicy) }
        set { preferences.withLock { $0.backgroundPolicy = newValue } }
    }

    /// Calls `completionHandler` on the main queue with true: the first seconds of an item that is
    /// ready are decoded whether it plays or not. Precondition: `status` is `readyToPlay` and `rate`
    /// is 0.
    @preconcurrency
    public func preroll(
        atRate rate: Float, completionHandler: (@Sendable (_ finished: Bool) -> Void)? = nil
    ) {
        precondition(
            status == .readyToPlay && self.rate == 0,
            "cannot preroll: the player is not ready, or plays")
        if let completionHandler { MainQueue.async { completionHandler(true) } }
    }

    /// Does nothing: a preroll is over when it begins.
    public func cancelPendingPrerolls() {}
}
