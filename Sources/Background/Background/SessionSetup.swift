/// The purposes that a session is tuned for within its category (behaviour 2.5).
package enum SessionMode: String, Hashable, Sendable, CaseIterable {
    /// Nothing in particular.
    case `default`
    /// A call.
    case voiceChat
    /// A call that Game Kit set up.
    case gameChat
    /// A video with sound.
    case videoRecording
    /// Sound with as little processing as possible.
    case measurement
    /// A film.
    case moviePlayback
    /// A video call.
    case videoChat
    /// Speech that is paused, not ducked, for a prompt.
    case spokenAudio
    /// Prompts made from text.
    case voicePrompt

    /// Returns true if a session of `category` may use this mode.
    package func isValid(with category: SessionCategory) -> Bool {
        switch self {
        case .default, .spokenAudio, .voicePrompt: true
        case .voiceChat, .gameChat, .videoChat: category == .playAndRecord
        case .videoRecording: category == .playAndRecord || category == .record
        case .measurement: [.playback, .record, .playAndRecord].contains(category)
        case .moviePlayback: category == .playback
        }
    }

    /// The options that the mode implies.
    package var impliedOptions: SessionCategoryOptions {
        switch self {
        case .voiceChat: [.allowBluetoothHFP]
        case .videoChat: [.allowBluetoothHFP, .defaultToSpeaker]
        default: []
        }
    }
}

/// The options of a session's category: its behaviour beside others and its outputs, with Apple's
/// bits (behaviour 2.5).
package struct SessionCategoryOptions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt

    package init(rawValue: UInt) { self.rawValue = rawValue }

    package static let mixWithOthers = SessionCategoryOptions(rawValue: 0x01)
    package static let duckOthers = SessionCategoryOptions(rawValue: 0x02)
    package static let allowBluetoothHFP = SessionCategoryOptions(rawValue: 0x04)
    package static let defaultToSpeaker = SessionCategoryOptions(rawValue: 0x08)
    package static let interruptSpokenAudioAndMixWithOthers = SessionCategoryOptions(rawValue: 0x11)
    package static let allowBluetoothA2DP = SessionCategoryOptions(rawValue: 0x20)
    package static let allowAirPlay = SessionCategoryOptions(rawValue: 0x40)
    package static let overrideMutedMicrophoneInterruption = SessionCategoryOptions(rawValue: 0x80)

    /// The options that a session of `category` may have.
    package static func valid(with category: SessionCategory) -> SessionCategoryOptions {
        let mixing: SessionCategoryOptions = [.duckOthers, .interruptSpokenAudioAndMixWithOthers]
        switch category {
        case .ambient: return [.duckOthers]
        case .soloAmbient: return []
        case .playback: return mixing
        case .multiRoute: return mixing.union(.overrideMutedMicrophoneInterruption)
        case .record: return [.allowBluetoothHFP, .overrideMutedMicrophoneInterruption]
        case .playAndRecord: return SessionCategoryOptions(rawValue: 0xff)
        }
    }

    /// These options and those that they imply: ducking others implies mixing with them.
    fileprivate var withImplied: SessionCategoryOptions {
        contains(.duckOthers) ? union(.mixWithOthers) : self
    }
}

/// The output that a session shares with others of its kind (behaviour 2.5).
package enum SessionSharingPolicy: UInt, Hashable, Sendable, CaseIterable {
    /// The output of everything else.
    case `default` = 0
    /// The output of music and speech players.
    case longFormAudio = 1
    /// Set by the system, never by an application.
    case independent = 2
    /// The output of video players.
    case longFormVideo = 3

    /// Returns true if a session of this category and mode with `options` may use the policy.
    func isValid(
        with category: SessionCategory, _ mode: SessionMode, _ options: SessionCategoryOptions
    ) -> Bool {
        switch self {
        case .default: true
        case .independent: false
        case .longFormAudio, .longFormVideo:
            category == .playback && options.isEmpty
                && [.default, .moviePlayback, .spokenAudio].contains(mode)
        }
    }
}

/// A session's category, mode, policy and options, in a combination that Apple allows.
package struct SessionSetup: Hashable, Sendable {
    /// The category; Apple's default is `soloAmbient`.
    package let category: SessionCategory
    /// The purpose that the session is tuned for.
    package let mode: SessionMode
    /// The output that it shares.
    package let policy: SessionSharingPolicy
    /// The requested options and those that they imply.
    package let options: SessionCategoryOptions

    /// The setup of a session that was never configured.
    package init() {
        category = .soloAmbient
        mode = .default
        policy = .default
        options = []
    }

    /// Creates a setup.
    ///
    /// - Throws: An error if Apple would report a bad parameter, by the table in behaviour 2.5.
    package init(
        category: SessionCategory, mode: SessionMode = .default,
        policy: SessionSharingPolicy = .default, options: SessionCategoryOptions = []
    ) throws(SessionSetupProblem) {
        guard mode.isValid(with: category) else {
            throw SessionSetupProblem.mode(mode, category)
        }
        let foreign = options.subtracting(.valid(with: category))
        guard foreign.isEmpty else { throw SessionSetupProblem.options(foreign, category) }
        guard policy.isValid(with: category, mode, options) else {
            throw SessionSetupProblem.policy(policy)
        }
        self.category = category
        self.mode = mode
        self.policy = policy
        self.options = options.union(mode.impliedOptions).withImplied
    }

    /// True if others may sound beside this session, which then is never Now Playing.
    package var isMixable: Bool { category == .ambient || options.contains(.mixWithOthers) }

    /// The mode to keep when only the category changes: the current one if `category` supports it.
    package func mode(in category: SessionCategory) -> SessionMode {
        mode.isValid(with: category) ? mode : .default
    }
}
