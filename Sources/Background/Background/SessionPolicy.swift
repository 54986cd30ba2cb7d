public import UndersongPlayback

/// An audio session's category: how its sound relates to other sound and to the background
/// (behaviour 2.5).
public enum SessionCategory: String, Codable, Hashable, Sendable, CaseIterable {
    /// Sound that the application can do without; never in the background.
    case ambient
    /// The same, but silences others. Apple's default.
    case soloAmbient
    /// Music or speech as the purpose of the application.
    case playback
    /// Recording.
    case record
    /// Playback and recording.
    case playAndRecord
    /// Several routes at once.
    case multiRoute

    /// True if it may sound in the background when the `audio` mode is declared.
    public var supportsBackground: Bool {
        switch self {
        case .ambient, .soloAmbient: false
        case .playback, .record, .playAndRecord, .multiRoute: true
        }
    }
}

/// The reasons why a session may not sound, one for each rule that forbids it.
extension SuppressionReason: CaseIterable {
    /// Job control has stopped the host's process, so none of its code can run.
    public static let hostStopped = SuppressionReason(rawValue: "hostStopped")
    /// Another sound interrupts the session.
    public static let interrupted = SuppressionReason(rawValue: "interrupted")
    /// The device that playback waits for is missing.
    public static let deviceMissing = SuppressionReason(rawValue: "deviceMissing")
    /// The host is in the background, and the category never plays there.
    public static let categoryForbidsBackground = SuppressionReason(
        rawValue: "categoryForbidsBackground")
    /// The host is in the background without the `audio` mode (A3, A4, B4).
    public static let appBackgrounded = SuppressionReason(rawValue: "appBackgrounded")

    /// The session policy's reasons, in order of precedence.
    public static let allCases = [
        hostStopped, interrupted, deviceMissing, categoryForbidsBackground, appBackgrounded,
    ]
}

/// Decides whether the session may sound: a pure function of its facts, and the only place that
/// does.
public struct SessionPolicy: Hashable, Sendable {
    /// The session's category.
    public var category: SessionCategory
    /// True if the `audio` background mode is declared.
    public var hasAudioCapability: Bool
    /// The host's state.
    public var applicationState: ApplicationState
    /// True if an interruption is in progress.
    public var isInterrupted: Bool
    /// True if job control is about to stop, or has stopped, the process that plays.
    public var isHostStopped: Bool
    /// True if playback waits for a missing device.
    public var isDeviceMissing = false

    /// Creates a session of `category` in an active host.
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

    /// The reasons that forbid sound, most important first; empty if sound is allowed.
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
