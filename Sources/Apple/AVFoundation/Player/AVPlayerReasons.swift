public import Foundation

extension AVPlayer {
    /// The reason why the player waits, with Apple's names.
    public struct WaitingReason: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String

        /// Makes a reason of that name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There is no item. One that is inserted plays at once.
        public static let noItemToPlay = WaitingReason(
            rawValue: "AVPlayerWaitingWithNoItemToPlayReason")
        /// The item is being opened.
        public static let evaluatingBufferingRate = WaitingReason(
            rawValue: "AVPlayerWaitingWhileEvaluatingBufferingRateReason")
        /// Samples do not arrive in time. Never with local files.
        public static let toMinimizeStalls = WaitingReason(
            rawValue: "AVPlayerWaitingToMinimizeStallsReason")
        /// Waiting for another device of a group. Never used here.
        public static let waitingForCoordinatedPlayback = WaitingReason(
            rawValue: "AVPlayerWaitingForCoordinatedPlaybackReason")
    }

    /// The reason why `rate` has changed, with Apple's names.
    public struct RateDidChangeReason: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String

        /// Makes a reason of that name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The application has set it, or the item has ended.
        public static let setRateCalled = RateDidChangeReason(
            rawValue: "AVPlayerRateDidChangeReasonSetRateCalled")
        /// The application has set a rate that cannot be played, and another one was used.
        public static let setRateFailed = RateDidChangeReason(
            rawValue: "AVPlayerRateDidChangeReasonSetRateFailed")
        /// The audio session was interrupted.
        public static let audioSessionInterrupted = RateDidChangeReason(
            rawValue: "AVPlayerRateDidChangeReasonAudioSessionInterrupted")
        /// The application is in the background and may not play there.
        public static let appBackgrounded = RateDidChangeReason(
            rawValue: "AVPlayerRateDidChangeReasonAppBackgrounded")
    }

    /// `rate` has changed; the user info contains the reason. Posted on the main queue.
    public static let rateDidChangeNotification = Notification.Name(
        "AVPlayerRateDidChangeNotification")
    /// User info key: the `RateDidChangeReason`.
    public static let rateDidChangeReasonKey = "AVPlayerRateDidChangeReasonKey"
}
