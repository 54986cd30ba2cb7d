package import Background

extension AVAudioSession {
    /// How the session's sound relates to other sounds and to the background (behaviour 2.5).
    public struct Category: RawRepresentable, Hashable, Sendable {
        /// Apple's value.
        public let rawValue: String

        /// Takes any value.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Sound that the application works without; it mixes, and never sounds in the background.
        public static let ambient = Category(.ambient)
        /// The same, silencing others. The default.
        public static let soloAmbient = Category(.soloAmbient)
        /// Music or speech; in the background where the `audio` mode is declared.
        public static let playback = Category(.playback)
        /// Recording. Nothing in this library records.
        public static let record = Category(.record)
        /// Playing and recording; this library only plays.
        public static let playAndRecord = Category(.playAndRecord)
        /// Several routes at once; this library plays to one.
        public static let multiRoute = Category(.multiRoute)

        /// The category of that name.
        package init(_ category: SessionCategory) {
            rawValue = "AVAudioSessionCategory" + category.rawValue.capitalizedFirst
        }

        /// The core's name for it, or nil where Apple has none.
        package var known: SessionCategory? {
            SessionCategory.allCases.first { Category($0) == self }
        }
    }

    /// What the session is tuned for within its category.
    public struct Mode: RawRepresentable, Hashable, Sendable {
        /// Apple's value.
        public let rawValue: String

        /// Takes any value.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Nothing in particular.
        public static let `default` = Mode(.default)
        /// A call; only with `playAndRecord`.
        public static let voiceChat = Mode(.voiceChat)
        /// A call of Game Kit; only with `playAndRecord`.
        public static let gameChat = Mode(.gameChat)
        /// A video with sound; only with `playAndRecord` and `record`.
        public static let videoRecording = Mode(.videoRecording)
        /// As little processing as can be; not with `ambient`, `soloAmbient` and `multiRoute`.
        public static let measurement = Mode(.measurement)
        /// A film; only with `playback`.
        public static let moviePlayback = Mode(.moviePlayback)
        /// A video call; only with `playAndRecord`.
        public static let videoChat = Mode(.videoChat)
        /// Speech, which is paused and not ducked while another application speaks a prompt.
        public static let spokenAudio = Mode(.spokenAudio)
        /// Prompts made from text.
        public static let voicePrompt = Mode(.voicePrompt)

        package init(_ mode: SessionMode) {
            rawValue = "AVAudioSessionMode" + mode.rawValue.capitalizedFirst
        }

        package var known: SessionMode? { SessionMode.allCases.first { Mode($0) == self } }
    }

    /// How the session behaves beside others and where it sounds. Each goes only with some
    /// categories; `setCategory` throws `badParam` for the others.
    public struct CategoryOptions: OptionSet, Hashable, Sendable {
        /// Apple's value.
        public let rawValue: UInt

        /// Takes any value.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Lets others sound; with `playback`, `playAndRecord` and `multiRoute`.
        public static let mixWithOthers = CategoryOptions(rawValue: 0x01)
        /// Lets others sound, softly; the same and `ambient`. It brings `mixWithOthers` with it.
        public static let duckOthers = CategoryOptions(rawValue: 0x02)
        /// Hands-free devices; with `record` and `playAndRecord`.
        public static let allowBluetoothHFP = CategoryOptions(rawValue: 0x04)
        /// The older name of `allowBluetoothHFP`.
        public static let allowBluetooth = CategoryOptions(rawValue: 0x04)
        /// The speaker, not the earpiece; with `playAndRecord` only.
        public static let defaultToSpeaker = CategoryOptions(rawValue: 0x08)
        /// Pauses speech and mixes with the rest; where `mixWithOthers` goes.
        public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 0x11)
        /// Stereo Bluetooth; with `playAndRecord` only, the playing categories always have it.
        public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
        /// AirPlay; with `playAndRecord` only, the playing categories always have it.
        public static let allowAirPlay = CategoryOptions(rawValue: 0x40)
        /// Goes on while the microphone is muted; with the recording categories.
        public static let overrideMutedMicrophoneInterruption = CategoryOptions(rawValue: 0x80)
    }

    /// Which output the session shares with others of its kind.
    public enum RouteSharingPolicy: UInt, Sendable {
        /// The output of everything else.
        case `default` = 0
        /// The output of music and speech: `playback`; `default`, `moviePlayback` or `spokenAudio`;
        /// no options.
        case longFormAudio = 1
        /// Set by Apple's system, never by an application: `setCategory` throws `badParam`.
        case independent = 2
        /// The output of films; rules as for `longFormAudio`.
        case longFormVideo = 3

        /// The older name of `longFormAudio`.
        public static var longForm: RouteSharingPolicy { .longFormAudio }
    }

    /// What `setActive` does besides.
    public struct SetActiveOptions: OptionSet, Hashable, Sendable {
        /// Apple's value.
        public let rawValue: UInt

        /// Takes any value.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Tells those whom this session has interrupted that they may resume; only when it is
        /// deactivated.
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }

    /// Where `overrideOutputAudioPort` sends the sound.
    public enum PortOverride: UInt, Sendable {
        /// Where it goes by itself.
        case none = 0
        /// To the speaker, not the earpiece.
        case speaker = 0x7370_6b72
    }

    /// How long a prompt should be.
    public enum PromptStyle: UInt, Sendable {
        /// None, since another application listens.
        case none = 0x6e6f_6e65
        /// A sound without words.
        case short = 0x7368_7274
        /// Words.
        case normal = 0x6e72_6d6c
    }

    /// The codes of the errors that a session throws, in Apple's domain `NSOSStatusErrorDomain`.
    public enum ErrorCode: Int, Sendable {
        /// No error.
        case none = 0
        /// The sound server is gone.
        case mediaServicesFailed = 0x6d73_7276
        /// Deactivated while something was still playing.
        case isBusy = 0x2161_6374
        /// The category has no such thing.
        case incompatibleCategory = 0x2163_6174
        /// Not mixable, in the background, and another session plays.
        case cannotInterruptOthers = 0x2169_6e74
        /// Never thrown here.
        case missingEntitlement = 0x656e_743f
        /// Never thrown here.
        case siriIsRecording = 0x7369_7269
        /// In the background without the `audio` mode, or in a category that never plays there.
        case cannotStartPlaying = 0x2170_6c61
        /// Never thrown here.
        case cannotStartRecording = 0x2172_6563
        /// A combination or a value that does not exist.
        case badParam = -50
        /// A sound of higher priority, such as a call, has interrupted the session.
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
