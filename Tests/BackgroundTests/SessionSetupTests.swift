import TestSupport
import Testing
import UndersongBackground

/// The table of valid combinations, behaviour 2.5.
@Suite struct `A session's setup` {
    /// The bits of all options valid in each category.
    static let options: [(category: SessionCategory, bits: UInt)] = [
        (.ambient, 0x02),
        (.soloAmbient, 0x00),
        (.playback, 0x13),
        (.record, 0x84),
        (.playAndRecord, 0xff),
        (.multiRoute, 0x93),
    ]

    static let modes: [(mode: SessionMode, categories: Set<SessionCategory>)] = [
        (
            .default,
            [.ambient, .soloAmbient, .playback, .record, .playAndRecord, .multiRoute]
        ),
        (.voiceChat, [.playAndRecord]),
        (.gameChat, [.playAndRecord]),
        (.videoRecording, [.playAndRecord, .record]),
        (.measurement, [.playback, .record, .playAndRecord]),
        (.moviePlayback, [.playback]),
        (.videoChat, [.playAndRecord]),
        (
            .spokenAudio,
            [.ambient, .soloAmbient, .playback, .record, .playAndRecord, .multiRoute]
        ),
        (
            .voicePrompt,
            [.ambient, .soloAmbient, .playback, .record, .playAndRecord, .multiRoute]
        ),
    ]

    @Test func `A session is soloAmbient by default, without a mode, a policy or options`() {
        let setup = SessionSetup()

        #expect(setup.category == .soloAmbient)
        #expect(setup.mode == .default)
        #expect(setup.policy == .default)
        #expect(setup.options == [])
        #expect(setup.category.supportsBackground == false)
    }

    @Test(
        .rule("2.5"),
        arguments: options,
        [0x01, 0x02, 0x04, 0x08, 0x11, 0x20, 0x40, 0x80] as [UInt])
    func `A session accepts an option only in the categories that have it`(
        row: (category: SessionCategory, bits: UInt), option: UInt
    ) {
        let setup = try? SessionSetup(
            category: row.category, options: SessionCategoryOptions(rawValue: option))

        #expect((setup != nil) == (option & row.bits == option))
    }

    @Test(.rule("2.5")) func `A session has every category and mode in its tables`() {
        #expect(Self.options.map(\.category) == SessionCategory.allCases)
        #expect(Self.modes.map(\.mode) == SessionMode.allCases)
    }

    @Test(.rule("2.5"), arguments: modes, SessionCategory.allCases)
    func `A session accepts a mode only in the categories that have it`(
        row: (mode: SessionMode, categories: Set<SessionCategory>), category: SessionCategory
    ) {
        let setup = try? SessionSetup(category: category, mode: row.mode)

        #expect((setup != nil) == row.categories.contains(category))
    }

    @Test(.rule("2.5")) func `A session accepts no option that does not exist`() {
        #expect(
            (try? SessionSetup(category: .playAndRecord, options: .init(rawValue: 0x100))) == nil)
    }

    @Test(.rule("2.5"), arguments: [SessionSharingPolicy.longFormAudio, .longFormVideo])
    func `A session is long-form only for playback in three modes without options`(
        policy: SessionSharingPolicy
    ) {
        func isValid(
            _ category: SessionCategory, _ mode: SessionMode, _ options: SessionCategoryOptions = []
        ) -> Bool {
            (try? SessionSetup(category: category, mode: mode, policy: policy, options: options))
                != nil
        }

        #expect(isValid(.playback, .default))
        #expect(isValid(.playback, .moviePlayback))
        #expect(isValid(.playback, .spokenAudio))
        #expect(!isValid(.playback, .measurement))
        #expect(!isValid(.playback, .voicePrompt))
        #expect(!isValid(.playback, .default, .mixWithOthers))
        #expect(!isValid(.playAndRecord, .default))
        #expect(!isValid(.ambient, .default))
    }

    @Test(.rule("2.5")) func `A session leaves the independent policy to the system`() {
        #expect((try? SessionSetup(category: .playback, policy: .independent)) == nil)
    }

    @Test(.rule("2.5")) func `A session mixes if it ducks`() {
        let playback = try? SessionSetup(category: .playback, options: .duckOthers)
        let ambient = try? SessionSetup(category: .ambient, options: .duckOthers)

        #expect(playback?.options == [.mixWithOthers, .duckOthers])
        #expect(ambient?.options == [.mixWithOthers, .duckOthers])
    }

    @Test(.rule("2.5")) func `A session switches on the options that a call mode needs`() {
        let voice = try? SessionSetup(category: .playAndRecord, mode: .voiceChat)
        let video = try? SessionSetup(category: .playAndRecord, mode: .videoChat)

        #expect(voice?.options == [.allowBluetoothHFP])
        #expect(video?.options == [.allowBluetoothHFP, .defaultToSpeaker])
    }

    @Test(
        .rule("2.5", "2.6"),
        arguments: [
            (SessionCategory.ambient, 0x00 as UInt, true),
            (.soloAmbient, 0x00, false),
            (.playback, 0x00, false),
            (.playback, 0x01, true),
            (.playback, 0x02, true),
            (.playback, 0x11, true),
            (.playAndRecord, 0x08, false),
            (.playAndRecord, 0x01, true),
        ])
    func `A session is mixable if its category or an option says so`(
        category: SessionCategory, options: UInt, isMixable: Bool
    ) {
        let setup = try? SessionSetup(
            category: category, options: SessionCategoryOptions(rawValue: options))

        #expect(setup?.isMixable == isMixable)
    }

    @Test func `A session keeps its mode in another category that has it`() {
        let movie = try? SessionSetup(category: .playback, mode: .moviePlayback)
        let speech = try? SessionSetup(category: .playback, mode: .spokenAudio)

        #expect(movie?.mode(in: .ambient) == .default)
        #expect(speech?.mode(in: .ambient) == .spokenAudio)
    }
}

@Suite struct `The activation of a session` {
    private let music = try? SessionSetup(category: .playback)

    private func failure(
        _ setup: SessionSetup?, _ interruption: SessionInterruption = SessionInterruption(),
        _ change: (inout SessionCircumstances) -> Void = { _ in }
    ) -> SessionRefusal? {
        var circumstances = SessionCircumstances()
        change(&circumstances)
        return setup.flatMap { circumstances.failureOfActivation($0, interruption) }
    }

    @Test(.rule("2.5"))
    func `Activation is possible in the foreground, declared or not, no matter who plays`() {
        #expect(failure(music) == nil)
        #expect(failure(music) { $0.applicationState = .inactive } == nil)
        #expect(failure(music) { $0.otherAudio = .nonMixable } == nil)
    }

    @Test(.rule("2.5")) func `Activation fails with msrv while the sound server is gone`() {
        #expect(failure(music) { $0.areMediaServicesLost = true } == .mediaServicesFailed)
    }

    @Test(.rule("2.5"))
    func `Activation fails with !pri during a call, but not for another player`() {
        var call = SessionInterruption()
        _ = call.begin(isOverridable: false)
        var player = SessionInterruption()
        _ = player.begin(isOverridable: true)

        #expect(failure(music, call) == .insufficientPriority)
        #expect(failure(music, player) == nil)
    }

    @Test(.rule("B4", "2.5"))
    func `Activation fails with !pla in the background if that forbids playback`() {
        let undeclared = failure(music) { $0.applicationState = .background }
        let declared = failure(music) {
            $0.applicationState = .background
            $0.hasAudioCapability = true
        }
        let ambient = failure(try? SessionSetup(category: .ambient)) {
            $0.applicationState = .background
            $0.hasAudioCapability = true
        }

        #expect(undeclared == .cannotStartPlaying)
        #expect(declared == nil)
        #expect(ambient == .cannotStartPlaying)
    }

    @Test(.rule("2.5"))
    func `Activation fails with !int in the background if it would interrupt another session`() {
        func inBackground(_ setup: SessionSetup?, _ other: OtherAudio) -> SessionRefusal? {
            failure(setup) {
                $0.applicationState = .background
                $0.hasAudioCapability = true
                $0.otherAudio = other
            }
        }
        let mixing = try? SessionSetup(category: .playback, options: .mixWithOthers)

        #expect(inBackground(music, .nonMixable) == .cannotInterruptOthers)
        #expect(inBackground(music, .mixable) == nil)
        #expect(inBackground(mixing, .nonMixable) == nil)
    }

    @Test(.rule("2.5")) func `Activation fails with Apple's four-character codes`() {
        let codes: [(SessionRefusal, Int)] = [
            (.badParameter, -50), (.mediaServicesFailed, 1_836_282_486),
            (.isBusy, 560_030_580), (.incompatibleCategory, 560_161_140),
            (.cannotInterruptOthers, 560_557_684), (.cannotStartPlaying, 561_015_905),
            (.insufficientPriority, 561_017_449),
        ]

        #expect(codes.allSatisfy { $0.0.rawValue == $0.1 })
    }

    @Test(.rule("2.5"))
    func `A session hints at silencing secondary audio only if it does not mix`() {
        var circumstances = SessionCircumstances()

        let hints = [OtherAudio.none, .mixable, .nonMixable].map {
            circumstances.otherAudio = $0
            return circumstances.shouldSilenceSecondaryAudio
        }

        #expect(hints == [false, false, true])
    }
}
