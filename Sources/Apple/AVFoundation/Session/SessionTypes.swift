package import UndersongBackground

extension AVAudioSession {
    /// The relation of the session's sound to other sounds and to the background (behaviour 2.5).
    public struct Category: RawRepresentable, Hashable, Sendable {
        /// Apple's value.
        public let rawValue: String

        /// Makes a category of any value.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Sound that is not essential to the application. It mixes, and never plays in the
        /// background.
        public static let ambient = Category(.ambient)
        /// Like `ambient`, but silences others. The default.
        public static let soloAmbient = Category(.soloAmbient)
        /// Music or speech. It plays in the background if the `audio` mode is declared.
        public static let playback = Category(.playback)
        /// Recording. This library does not record.
        public static let record = Category(.record)
        /// Playback and recording. This library only plays.
        public static let playAndRecord = Category(.playAndRecord)
        /// Several routes at once. This library plays to one.
        public static let multiRoute = Category(.multiRoute)

        /// Makes the category of that name.
        package init(_ category: SessionCategory) {
            rawValue = "AVAudioSessionCategory" + category.rawValue.capitalizedFirst
        }

        /// The category in `Background`.
        /// - Throws: An error if Apple has no such category.
        func known() throws(SessionSetupProblem) -> SessionCategory {
            for known in SessionCategory.allCases where Category(known) == self { return known }
            throw SessionSetupProblem("there is no category '\(rawValue)'")
        }
    }

    /// A specialization of the session within its category.
    public struct Mode: RawRepresentable, Hashable, Sendable {
        /// Apple's value.
        public let rawValue: String

        /// Makes a mode of any value.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No specialization.
        public static let `default` = Mode(.default)
        /// A voice call; only with `playAndRecord`.
        public static let voiceChat = Mode(.voiceChat)
        /// A Game Kit voice chat; only with `playAndRecord`.
        public static let gameChat = Mode(.gameChat)
        /// Recording of video; only with `playAndRecord` and `record`.
        public static let videoRecording = Mode(.videoRecording)
        /// As little signal processing as possible; not with `ambient`, `soloAmbient` and
        /// `multiRoute`.
        public static let measurement = Mode(.measurement)
        /// A film; only with `playback`.
        public static let moviePlayback = Mode(.moviePlayback)
        /// A video call; only with `playAndRecord`.
        public static let videoChat = Mode(.videoChat)
        /// Speech, which is paused instead of ducked during another application's prompts.
        public static let spokenAudio = Mode(.spokenAudio)
        /// Prompts from text to speech.
        public static let voicePrompt = Mode(.voicePrompt)

        package init(_ mode: SessionMode) {
            rawValue = "AVAudioSessionMode" + mode.rawValue.capitalizedFirst
        }

        /// The mode in `Background`.
        /// - Throws: An error if Apple has no such mode.
        func known() throws(SessionSetupProblem) -> SessionMode {
            for known in SessionMode.allCases where Mode(known) == self { return known }
            throw SessionSetupProblem("there is no mode '\(rawValue)'")
        }
    }

    /// The session's relation to other sounds, and the devices that it may use. Each option is
    /// allowed with some categories only; `setCategory` throws `badParam` for the others.
    public struct CategoryOptions: OptionSet, Hashable, Sendable {
        /// Apple's value.
        public let rawValue: UInt

        /// Makes options of any value.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Mixes with others; with `playback`, `playAndRecord` and `multiRoute`.
        public static let mixWithOthers = CategoryOptions(rawValue: 0x01)
        /// Mixes with others and ducks them; with the same categories and `ambient`. Implies
        /// `mixWithOthers`.
        public static let duckOthers = CategoryOptions(rawValue: 0x02)
        /// Allows hands-free devices; with `record` and `playAndRecord`.
        public static let allowBluetoothHFP = CategoryOptions(rawValue: 0x04)
        /// The older name of `allowBluetoothHFP`.
        public static let allowBluetooth = CategoryOptions(rawValue: 0x04)
        /// Uses the speaker instead of the earpiece; with `playAndRecord` only.
        public static let defaultToSpeaker = CategoryOptions(rawValue: 0x08)
        /// Pauses the speech of others and mixes with other sounds; with the categories of
        /// `mixWithOthers`.
        public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 0x11)
        /// Allows stereo Bluetooth; with `playAndRecord` only, since the playback categories always
        /// do.
        public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
        /// Allows AirPlay; with `playAndRecord` only, since the playback categories always do.
        public static let allowAirPlay = CategoryOptions(rawValue: 0x40)
        /// Continues while the microphone is muted; with the recording categories.
        public static let overrideMutedMicrophoneInterruption = CategoryOptions(rawValue: 0x80)
    }

    /// The output route that the session shares with others.
    public enum RouteSharingPolicy: UInt, Sendable {
        /// The route of all other sound.
        case `default` = 0
        /// The route of music and speech. Requires `playback`, the mode `default`, `moviePlayback`
        /// or `spokenAudio`, and no options.
        case longFormAudio = 1
        /// Set by Apple's systems only: `setCategory` throws `badParam`.
        case independent = 2
        /// The route of films. The requirements are those of `longFormAudio`.
        case longFormVideo = 3

        /// The older name of `longFormAudio`.
        public static var longForm: RouteSharingPolicy { .longFormAudio }
    }

    /// Options of `setActive`.
    public struct SetActiveOptions: OptionSet, Hashable, Sendable {
        /// Apple's value.
        public let rawValue: UInt

        /// Makes options of any value.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Lets the sessions interrupted by this one know that they may resume; deactivation only.
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }

    /// The target of `overrideOutputAudioPort`.
    public enum PortOverride: UInt, Sendable {
        /// The default route.
        case none = 0
        /// The speaker instead of the earpiece.
        case speaker = 0x7370_6b72
    }

    /// The recommended length of prompts.
    public enum PromptStyle: UInt, Sendable {
        /// No prompts: another application is listening.
        case none = 0x6e6f_6e65
        /// Sounds without words.
        case short = 0x7368_7274
        /// Spoken prompts.
        case normal = 0x6e72_6d6c
    }

    /// The codes of a session's errors, in Apple's domain `NSOSStatusErrorDomain`.
    public enum ErrorCode: Int, Sendable {
        /// No error.
        case none = 0
        /// The sound server has gone.
        case mediaServicesFailed = 0x6d73_7276
        /// The session was deactivated during playback.
        case isBusy = 0x2161_6374
        /// The category does not support the operation.
        case incompatibleCategory = 0x2163_6174
        /// The session does not mix, is in the background, and another session is playing.
        case cannotInterruptOthers = 0x2169_6e74
        /// Never thrown here.
        case missingEntitlement = 0x656e_743f
        /// Never thrown here.
        case siriIsRecording = 0x7369_7269
        /// The session is in the background without the `audio` mode, or its category never plays
        /// there.
        case cannotStartPlaying = 0x2170_6c61
        /// Never thrown here.
        case cannotStartRecording = 0x2172_6563
        /// An invalid value or combination.
        case badParam = -50
        /// Sound of higher priority, such as a call, has interrupted the session.
        case insufficientPriority = 0x2170_7269
        /// Never thrown here.
        case resourceNotAvailable = 0x2172_6573
        /// Never thrown here.
        case unspecified = 0x7768_6174
        /// Never thrown here.
        case expiredSession = 0x2173_6573
        /// Never thrown here.
        case sessionNotActive = 0x696e_6163
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
