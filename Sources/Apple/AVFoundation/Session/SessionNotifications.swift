// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
public import UndersongBackground

extension AVAudioSession {
    /// An interruption has begun or ended. Posted on the main queue, with
    /// `AVAudioSessionInterruptionTypeKey` and the keys of that type.
    public static let interruptionNotification =
        Notification.Name("AVAudioSessionInterruptionNotification")

    /// The route has changed. Posted on a queue of its own, never the main one, with
    /// `AVAudioSessionRouteChangeReasonKey` and `AVAudioSessionRouteChangePreviousRouteKey`.
    public static let routeChangeNotification =
        Notification.Name("AVAudioSessionRouteChangeNotification")

    /// The sound server has gone. Posted on the main queue.
    public static let mediaServicesWereLostNotification =
        Notification.Name("AVAudioSessionMediaServicesWereLostNotification")

    /// The sound server is back. Posted on the main queue.
    public static let mediaServicesWereResetNotification =
        Notification.Name("AVAudioSessionMediaServicesWereResetNotification")

    /// Secondary audio should be silenced, or may resume. Posted to an active session in the
    /// foreground, on the main queue, with `AVAudioSessionSilenceSecondaryAudioHintTypeKey`.
    public static let silenceSecondaryAudioHintNotification =
        Notification.Name("AVAudioSessionSilenceSecondaryAudioHintNotification")

    /// The beginning or the end of an interruption.
    public enum InterruptionType: UInt, Sendable {
        /// It has ended. Not every begin is followed by an end.
        case ended = 0
        /// It has begun: the session is inactive and its players are already silent.
        case began = 1
    }

    /// The application's options after an interruption.
    public struct InterruptionOptions: OptionSet, Hashable, Sendable {
        /// Apple's value.
        public let rawValue: UInt

        /// Makes options of any value.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The application may resume playback.
        public static let shouldResume = InterruptionOptions(rawValue: 1)
    }

    /// The reason why an interruption has begun.
    public enum InterruptionReason: UInt, Sendable {
        /// Another session became active.
        case `default` = 0
        /// The process was suspended. Apple's systems no longer send it, and neither does this one.
        case appWasSuspended = 1
        /// The microphone was muted. Never sent here.
        case builtInMicMuted = 2
        /// The device is no longer connected.
        case routeDisconnected = 4
    }

    /// The reason why the route has changed.
    public typealias RouteChangeReason = UndersongBackground.RouteChangeReason

    /// The advice for secondary audio to be silent, or not.
    public enum SilenceSecondaryAudioHintType: UInt, Sendable {
        /// Secondary audio may resume.
        case end = 0
        /// Secondary audio should be silent.
        case begin = 1
    }
}

/// An `NSNumber` with the raw value of an `AVAudioSession.InterruptionType`.
public let AVAudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"
/// An `NSNumber` with the raw value of `AVAudioSession.InterruptionOptions`; only at the end.
public let AVAudioSessionInterruptionOptionKey = "AVAudioSessionInterruptionOptionKey"
/// An `NSNumber` with the raw value of an `AVAudioSession.InterruptionReason`; only at the
/// beginning.
public let AVAudioSessionInterruptionReasonKey = "AVAudioSessionInterruptionReasonKey"
/// Deprecated by Apple, and never present.
public let AVAudioSessionInterruptionWasSuspendedKey = "AVAudioSessionInterruptionWasSuspendedKey"
/// An `NSNumber` with the raw value of an `AVAudioSession.RouteChangeReason`.
public let AVAudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"
/// The `AVAudioSessionRouteDescription` of the previous route.
public let AVAudioSessionRouteChangePreviousRouteKey = "AVAudioSessionRouteChangePreviousRouteKey"
/// An `NSNumber` with the raw value of an `AVAudioSession.SilenceSecondaryAudioHintType`.
public let AVAudioSessionSilenceSecondaryAudioHintTypeKey =
    "AVAudioSessionSilenceSecondaryAudioHintTypeKey"

/// A notification to post, with its user info in Apple's form.
enum SessionNotice: Sendable {
    case interruptionBegan(AVAudioSession.InterruptionReason)
    case interruptionEnded(shouldResume: Bool)
    case routeChanged(
        AVAudioSession.RouteChangeReason, previous: AVAudioSessionRouteDescription)
    case mediaServicesLost
    case mediaServicesReset
    case silenceHint(AVAudioSession.SilenceSecondaryAudioHintType)

    var name: Notification.Name {
        switch self {
        case .interruptionBegan, .interruptionEnded: AVAudioSession.interruptionNotification
        case .routeChanged: AVAudioSession.routeChangeNotification
        case .mediaServicesLost: AVAudioSession.mediaServicesWereLostNotification
        case .mediaServicesReset: AVAudioSession.mediaServicesWereResetNotification
        case .silenceHint: AVAudioSession.silenceSecondaryAudioHintNotification
        }
    }

    /// Numbers are `NSNumber`s, so that they can be read as `UInt`, as `Int` and as `NSNumber`, as
    /// with Apple's.
    var userInfo: [AnyHashable: Any]? {
        switch self {
        case .interruptionBegan(let reason):
            [
                AVAudioSessionInterruptionTypeKey: number(AVAudioSession.InterruptionType.began),
                AVAudioSessionInterruptionReasonKey: number(reason),
            ]
        case .interruptionEnded(let shouldResume):
            [
                AVAudioSessionInterruptionTypeKey: number(AVAudioSession.InterruptionType.ended),
                AVAudioSessionInterruptionOptionKey: NSNumber(value: shouldResume ? 1 as UInt : 0),
            ]
        case .routeChanged(let reason, let previous):
            [
                AVAudioSessionRouteChangeReasonKey: number(reason),
                AVAudioSessionRouteChangePreviousRouteKey: previous,
            ]
        case .silenceHint(let type):
            [AVAudioSessionSilenceSecondaryAudioHintTypeKey: number(type)]
        case .mediaServicesLost, .mediaServicesReset: nil
        }
    }

    /// True if it is posted on the main queue; otherwise on the session's own.
    var isForMainQueue: Bool {
        if case .routeChanged = self { false } else { true }
    }

    private func number(_ value: some RawRepresentable<UInt>) -> NSNumber {
        NSNumber(value: value.rawValue)
    }
}
