import Synchronization

/// Properties of Apple's player without a purpose here, stored for ported code.
struct PlayerPreferences: Sendable {
    var allowsExternalPlayback = true
    var preventsDisplaySleep = true
    var backgroundPolicy = AVPlayer.AudiovisualBackgroundPlaybackPolicy.automatic
}

extension AVPlayer {
    /// The behaviour of a video player in the background, with Apple's raw values.
    public enum AudiovisualBackgroundPlaybackPolicy: Int, Sendable {
        /// The system decides.
        case automatic = 1
        /// Pause.
        case pauses
        /// Continue if possible.
        case continuesIfPossible
    }

    /// Stored for ported code: external playback is not supported.
    public var allowsExternalPlayback: Bool {
        get { preferences.withLock(\.allowsExternalPlayback) }
        set { preferences.withLock { $0.allowsExternalPlayback = newValue } }
    }

    /// Always false: external playback is not supported.
    public var isExternalPlaybackActive: Bool { false }

    /// Stored for ported code: video is not supported.
    public var preventsDisplaySleepDuringVideoPlayback: Bool {
        get { preferences.withLock(\.preventsDisplaySleep) }
        set { preferences.withLock { $0.preventsDisplaySleep = newValue } }
    }

    /// Stored for ported code: it concerns video. The `audio` mode controls sound in the
    /// background.
    public var audiovisualBackgroundPlaybackPolicy: AudiovisualBackgroundPlaybackPolicy {
        get { preferences.withLock(\.backgroundPolicy) }
        set { preferences.withLock { $0.backgroundPolicy = newValue } }
    }

    /// Calls `completionHandler` on the main queue with true: the first seconds of an item that is
    /// ready are always decoded in advance. Precondition: `status` is `readyToPlay` and `rate` is
    /// 0.
    @preconcurrency
    public func preroll(
        atRate rate: Float, completionHandler: (@Sendable (_ finished: Bool) -> Void)? = nil
    ) {
        precondition(
            status == .readyToPlay && self.rate == 0,
            "cannot preroll: the player is not ready, or plays")
        if let completionHandler { MainQueue.async { completionHandler(true) } }
    }

    /// Does nothing: a preroll ends at once.
    public func cancelPendingPrerolls() {}
}
