package import UndersongPlayback

/// The reason a session cannot be activated or changed, with Apple's codes (behaviour 2.5).
package enum SessionRefusal: Int, Hashable, Sendable {
    /// A value or a combination that does not exist.
    case badParameter = -50
    /// The sound server is gone.
    case mediaServicesFailed = 0x6d73_7276
    /// Deactivated while something was still playing.
    case isBusy = 0x2161_6374
    /// The category does not support it.
    case incompatibleCategory = 0x2163_6174
    /// Not mixable, in the background, and another session plays.
    case cannotInterruptOthers = 0x2169_6e74
    /// In the background without the `audio` mode, or in a category that never plays there.
    case cannotStartPlaying = 0x2170_6c61
    /// A sound of higher priority, such as a call, has interrupted the session.
    case insufficientPriority = 0x2170_7269
}

/// The most demanding kind of other sound that can be heard now.
public enum OtherAudio: Hashable, Sendable {
    /// Nothing.
    case none
    /// Only sound that mixes with others.
    case mixable
    /// At least one sound that does not mix.
    case nonMixable
}

extension OtherAudio: Codable {
    private enum CodingKeys: CodingKey { case playing, mixable }

    /// Decodes the members of an event.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let isMixable = try members.decode(Bool.self, forKey: .mixable)
        guard try members.decode(Bool.self, forKey: .playing) else {
            self = .none
            return
        }
        self = isMixable ? .mixable : .nonMixable
    }

    /// Encodes the members of an event.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(self != .none, forKey: .playing)
        try members.encode(self == .mixable, forKey: .mixable)
    }
}

/// The facts that determine whether a session may become active.
package struct SessionCircumstances: Hashable, Sendable {
    /// The host's state.
    package var applicationState = ApplicationState.active
    /// True if the `audio` background mode is declared.
    package var hasAudioCapability = false
    /// Sound of others.
    package var otherAudio = OtherAudio.none
    /// True if the sound server is gone.
    package var areMediaServicesLost = false

    /// Creates the circumstances of an active host while nothing else sounds.
    package init() {}

    /// Returns the reason a session with `setup` cannot become active; nil if it can.
    package func failureOfActivation(
        _ setup: SessionSetup, _ interruption: SessionInterruption
    ) -> SessionRefusal? {
        if areMediaServicesLost { return .mediaServicesFailed }
        if interruption.isActive, !interruption.isOverridable { return .insufficientPriority }
        guard applicationState == .background else { return nil }
        if !suppressions(of: setup.category).isEmpty { return .cannotStartPlaying }
        let wouldInterrupt = !setup.isMixable && otherAudio == .nonMixable
        return wouldInterrupt ? .cannotInterruptOthers : nil
    }

    /// Returns the reasons that forbid sound in `category` in the host's current state (B4).
    package func suppressions(of category: SessionCategory) -> [SuppressionReason] {
        SessionPolicy(
            category: category, hasAudioCapability: hasAudioCapability,
            applicationState: applicationState
        ).suppressions
    }

    /// True if secondary sounds, such as a game's music, should be silent.
    package var shouldSilenceSecondaryAudio: Bool { otherAudio == .nonMixable }
}
