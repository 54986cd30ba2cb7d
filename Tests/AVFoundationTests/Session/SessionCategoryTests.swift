import AVFoundation
import TestSupport
import Testing

@Suite struct `An audio session's category` {
    private let session = AVAudioSession(center: NotificationCenter())

    @Test(.rule("C2")) func `A category is set on the one session of the process`() {
        #expect(AVAudioSession.sharedInstance() === AVAudioSession.sharedInstance())
    }

    @Test(.rule("2.5")) func `A session's category is soloAmbient by default`() {
        #expect(session.category == .soloAmbient)
        #expect(session.mode == .default)
        #expect(session.categoryOptions == [])
        #expect(session.routeSharingPolicy == .default)
    }

    @Test(.rule("2.5")) func `A session's categories have Apple's names`() {
        let categories = session.availableCategories.map(\.rawValue)

        #expect(
            categories == [
                "AVAudioSessionCategoryAmbient", "AVAudioSessionCategorySoloAmbient",
                "AVAudioSessionCategoryPlayback", "AVAudioSessionCategoryRecord",
                "AVAudioSessionCategoryPlayAndRecord", "AVAudioSessionCategoryMultiRoute",
            ])
        #expect(AVAudioSession.Category.playback.rawValue == "AVAudioSessionCategoryPlayback")
    }

    @Test(.rule("2.5")) func `A session's modes have Apple's names`() {
        let modes = session.availableModes.map(\.rawValue)

        #expect(
            modes == [
                "AVAudioSessionModeDefault", "AVAudioSessionModeVoiceChat",
                "AVAudioSessionModeGameChat", "AVAudioSessionModeVideoRecording",
                "AVAudioSessionModeMeasurement", "AVAudioSessionModeMoviePlayback",
                "AVAudioSessionModeVideoChat", "AVAudioSessionModeSpokenAudio",
                "AVAudioSessionModeVoicePrompt",
            ])
    }

    @Test(.rule("2.5")) func `A session's options have Apple's bits`() {
        let options: [AVAudioSession.CategoryOptions] = [
            .mixWithOthers, .duckOthers, .allowBluetooth, .allowBluetoothHFP, .defaultToSpeaker,
            .interruptSpokenAudioAndMixWithOthers, .allowBluetoothA2DP, .allowAirPlay,
            .overrideMutedMicrophoneInterruption,
        ]

        #expect(options.map(\.rawValue) == [0x1, 0x2, 0x4, 0x4, 0x8, 0x11, 0x20, 0x40, 0x80])
    }

    @Test(.rule("C2")) func `A category can be set in each of Apple's four ways`() throws {
        try session.setCategory(.playback)
        let alone = (session.category, session.categoryOptions)
        try session.setCategory(.playAndRecord, options: .defaultToSpeaker)
        let withOptions = (session.category, session.categoryOptions)
        try session.setCategory(.playback, mode: .spokenAudio, options: [.mixWithOthers])
        let withMode = (session.mode, session.categoryOptions)
        try session.setCategory(.playback, mode: .default, policy: .longFormAudio)

        #expect(alone == (.playback, []))
        #expect(withOptions == (.playAndRecord, .defaultToSpeaker))
        #expect(withMode == (.spokenAudio, .mixWithOthers))
        #expect(session.routeSharingPolicy == .longFormAudio)
    }

    @Test(.rule("C2", "2.5"))
    func `A category throws -50 for an invalid combination and stays unchanged`() throws {
        try session.setCategory(.playback, mode: .moviePlayback, options: .mixWithOthers)

        let errors = [
            code { try session.setCategory(.soloAmbient, options: .defaultToSpeaker) },
            code { try session.setCategory(.playback, mode: .voiceChat) },
            code { try session.setCategory(.playback, mode: .default, options: .allowAirPlay) },
            code {
                try session.setCategory(
                    .playback, mode: .default, policy: .longFormAudio, options: .mixWithOthers)
            },
            code { try session.setCategory(.playback, mode: .default, policy: .independent) },
            code { try session.setMode(.videoChat) },
            code { try session.setCategory(AVAudioSession.Category(rawValue: "music")) },
            code { try session.setMode(AVAudioSession.Mode(rawValue: "quiet")) },
        ]

        #expect(errors == Array(repeating: -50, count: 8))
        #expect(session.category == .playback)
        #expect(session.mode == .moviePlayback)
        #expect(session.categoryOptions == .mixWithOthers)
    }

    @Test(.rule("C2"), arguments: Self.problems)
    func `A category throws an error with its domain, code and reason`(problem: Problem) {
        do {
            try session.setCategory(
                problem.category, mode: problem.mode, policy: problem.policy,
                options: problem.options)
            Issue.record("a wrong combination was taken")
        } catch {
            #expect((error as NSError).domain == "NSOSStatusErrorDomain")
            #expect((error as NSError).code == AVAudioSession.ErrorCode.badParam.rawValue)
            #expect(error.localizedDescription == "cannot set the category: \(problem.reason)")
        }
    }

    struct Problem: Sendable {
        var category = AVAudioSession.Category.playback
        var mode = AVAudioSession.Mode.default
        var policy = AVAudioSession.RouteSharingPolicy.default
        var options: AVAudioSession.CategoryOptions = []
        let reason: String
    }

    static let problems = [
        Problem(
            options: [.defaultToSpeaker, .mixWithOthers],
            reason:
                "the option defaultToSpeaker is not for the category playback, only for playAndRecord"
        ),
        Problem(
            category: .ambient, options: [.defaultToSpeaker, .allowBluetooth],
            reason: "the options allowBluetoothHFP and defaultToSpeaker are not for the category "
                + "ambient, only for playAndRecord"),
        Problem(
            category: .soloAmbient, options: .interruptSpokenAudioAndMixWithOthers,
            reason: "the option interruptSpokenAudioAndMixWithOthers is not for the category "
                + "soloAmbient, only for playback, playAndRecord and multiRoute"),
        Problem(
            options: .init(rawValue: 0x100),
            reason: "the option 0x100 is not for the category playback"),
        Problem(
            mode: .voiceChat,
            reason: "the mode voiceChat is not for the category playback, only for playAndRecord"),
        Problem(
            mode: .init(rawValue: "quiet"), reason: "there is no mode 'quiet'"),
        Problem(category: .init(rawValue: "music"), reason: "there is no category 'music'"),
        Problem(
            policy: .independent, reason: "the policy independent is set by the system alone"),
        Problem(
            policy: .longFormAudio, options: .mixWithOthers,
            reason: "the policy longFormAudio is only for the category playback without options, "
                + "in the mode default, moviePlayback or spokenAudio"),
    ]

    @Test(.rule("2.5")) func `A category resets the options when set alone`() throws {
        try session.setCategory(.playback, mode: .spokenAudio, options: .mixWithOthers)

        try session.setCategory(.ambient)

        #expect(session.categoryOptions == [])
        #expect(session.mode == .spokenAudio)
    }

    @Test(.rule("2.5")) func `A session loses the long-form policy when options are set`() throws {
        try session.setCategory(.playback, mode: .default, policy: .longFormAudio)

        try session.setCategory(.playback, options: .mixWithOthers)

        #expect(session.routeSharingPolicy == .default)
        #expect(session.categoryOptions == .mixWithOthers)
    }

    @Test(.rule("2.5")) func `A session loses the options implied by a mode when the mode changes`()
        throws
    {
        try session.setCategory(.playAndRecord, mode: .videoChat, options: .mixWithOthers)
        let during = session.categoryOptions.rawValue

        try session.setMode(.default)

        #expect(during == 0x0d)
        #expect(session.categoryOptions == .mixWithOthers)
    }

    @Test(.rule("2.5")) func `A session has Apple's error codes`() {
        let codes: [AVAudioSession.ErrorCode] = [
            .none, .mediaServicesFailed, .isBusy, .incompatibleCategory, .cannotInterruptOthers,
            .missingEntitlement, .siriIsRecording, .cannotStartPlaying, .cannotStartRecording,
            .badParam, .insufficientPriority, .resourceNotAvailable, .unspecified,
            .expiredSession, .sessionNotActive,
        ]

        #expect(
            codes.map(\.rawValue) == [
                0, 1_836_282_486, 560_030_580, 560_161_140, 560_557_684, 1_701_737_535,
                1_936_290_409, 561_015_905, 561_145_187, -50, 561_017_449, 561_145_203,
                2_003_329_396, 561_210_739, 1_768_841_571,
            ])
    }

    @Test(.rule("2.5")) func `A session allows the speaker override with playAndRecord only`()
        throws
    {
        let alone = code { try session.overrideOutputAudioPort(.speaker) }
        let none = code { try session.overrideOutputAudioPort(.none) }
        try session.setCategory(.playAndRecord)

        let both = code { try session.overrideOutputAudioPort(.speaker) }

        #expect(alone == 560_161_140)
        #expect(none == nil)
        #expect(both == nil)
        #expect(AVAudioSession.PortOverride.speaker.rawValue == 1_936_747_378)
    }

    @Test(.rule("2.5")) func `A session stores preferred device values as mere preferences`() throws
    {
        try session.setPreferredSampleRate(48_000)
        try session.setPreferredIOBufferDuration(0.005)
        try session.setPreferredOutputNumberOfChannels(1)

        #expect(session.preferredSampleRate == 48_000)
        #expect(session.sampleRate == 44_100)
        #expect(session.preferredIOBufferDuration == 0.005)
        #expect(session.preferredOutputNumberOfChannels == 1)
        #expect(session.outputNumberOfChannels == 2)
        #expect(code { try session.setPreferredSampleRate(-1) } == -50)
        #expect(code { try session.setPreferredIOBufferDuration(.nan) } == -50)
        #expect(code { try session.setPreferredOutputNumberOfChannels(3) } == -50)
    }

    private func code(_ body: () throws -> Void) -> Int? {
        do {
            try body()
            return nil
        } catch {
            return (error as NSError).code
        }
    }
}
