public import Foundation

extension AVPlayer {
    /// What playing waits for, with Apple's names.
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
        /// Samples do not come in time: never with files of this machine.
        public static let toMinimizeStalls = WaitingReason(
            rawValue: "AVPlayerWaitingToMinimizeStallsReason")
        /// Another device of a group is waited for: never here.
        public static let waitingForCoordinatedPlayback = WaitingReason(
            rawValue: "AVPlayerWaitingForCoordinatedPlaybackReason")
    }

    /// Why `rate` has changed, with Apple's names.
    public struct RateDidChangeReason: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String

        /// Makes a reason of that name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The application has set it, or the item has come to its end.
        public static let setRateCalled = RateDidChangeReason(
            rawValue: "AVPlayerRateDidChangeReasonSetRateCalled")
        /// The application has set it to one that cannot be played, and it is another.
        public static let setRateFailed = RateDidChangeReason(
            rawValue: "AVPlayerRateDidChangeReasonSetRateFailed")
        /// Another sound has interrupted the audio session.
        public static let audioSessionInterrupted = RateDidChangeReason(
            rawValue: "AVPlayerRateDidChangeReasonAudioSessionInterrupted")
        /// The application has come into the background and may not sound there.
        public static let appBackgrounded = RateDidChangeReason(
            rawValue: "AVPlayerRateDidChangeReasonAppBackgrounded")
    }

    /// `rate` has changed; the user info says why. Posted on the main queue.
    public static let rateDidChangeNotification = Notification.Name(
        "AVPlayerRateDidChangeNotification")
    /// In the user info: the `RateDidChangeReason`.
    public static let rateDidChangeReasonKey = "AVPlayerRateDidChangeReasonKey"
}
