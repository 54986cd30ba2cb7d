public import Playback

/// An audio session's category (behaviour 2.5): how its sound relates to others and the background.
public enum SessionCategory: String, Hashable, Sendable, CaseIterable {
    /// Sound that the application works without; never in the background.
    case ambient
    /// The same, silencing others. Apple's default.
    case soloAmbient
    /// Music or speech as the purpose of the application.
    case playback
    /// Recording.
    case record
    /// Both.
    case playAndRecord
    /// Several routes at once.
    case multiRoute

    /// Whether it may sound in the background when the `audio` mode is declared.
    public var supportsBackground: Bool {
        switch self {
        case .ambient, .soloAmbient: false
        case .playback, .record, .playAndRecord, .multiRoute: true
        }
    }
}

/// Why the session may not sound now, one reason for each rule that forbids it.
extension SuppressionReason: CaseIterable {
    /// The host's process is stopped by job control: nothing in it can run.
    public static let hostStopped = SuppressionReason(rawValue: "hostStopped")
    /// Another sound has interrupted the session.
    public static let interrupted = SuppressionReason(rawValue: "interrupted")
    /// The device that is waited for is not there.
    public static let deviceMissing = SuppressionReason(rawValue: "deviceMissing")
    /// In the background in a category that never plays there.
    public static let categoryForbidsBackground = SuppressionReason(
        rawValue: "categoryForbidsBackground")
    /// In the background without the `audio` mode (A3, A4, B4).
    public static let appBackgrounded = SuppressionReason(rawValue: "appBackgrounded")

    /// The reasons that the session policy gives, the weightiest first.
    public static let allCases = [
        hostStopped, interrupted, deviceMissing, categoryForbidsBackground, appBackgrounded,
    ]
}

/// The one place where it is decided whether the session may sound: a pure function of its facts.
public struct SessionPolicy: Hashable, Sendable {
    /// The session's category.
    public var category: SessionCategory
    /// Whether the `audio` background mode is declared.
    public var hasAudioCapability: Bool
    /// The host's state.
    public var applicationState: ApplicationState
    /// Whether an interruption has begun and not ended.
    public var isInterrupted: Bool
    /// Whether job control is about to stop, or has stopped, the process that plays.
    public var isHostStopped: Bool
    /// Whether playing waits for a device that is not there.
    public var isDeviceMissing = false

    /// Makes a session of `category` in an active host.
    public init(
        category: SessionCategory = .playback, hasAudioCapability: Bool,
        applicationState: ApplicationState = .active, isInterrupted: Bool = false,
        isHostStopped: Bool = false
    ) {
        self.category = category
        self.hasAudioCapability = hasAudioCapability
        self.applicationState = applicationState
        self.isInterrupted = isInterrupted
        self.isHostStopped = isHostStopped
    }

    /// What forbids sound, the weightiest first; empty when it is allowed.
    public var suppressions: [SuppressionReason] {
        var reasons: [SuppressionReason] = []
        if isHostStopped { reasons.append(.hostStopped) }
        if isInterrupted { reasons.append(.interrupted) }
        if isDeviceMissing { reasons.append(.deviceMissing) }
        if applicationState == .background {
            if !category.supportsBackground {
                reasons.append(.categoryForbidsBackground)
            } else if !hasAudioCapability {
                reasons.append(.appBackgrounded)
            }
        }
        return reasons
    }
}
