import TestSupport
import Testing
import UndersongBackground
import UndersongPlayback

/// The table of behaviour 2.5, row by row.
@Suite struct `The session policy` {
    @Test(
        .rule("A4", "B4", "2.5"),
        arguments: [
            (
                SessionCategory.ambient, true,
                SuppressionReason.categoryForbidsBackground as SuppressionReason?
            ),
            (.ambient, false, .categoryForbidsBackground),
            (.soloAmbient, true, .categoryForbidsBackground),
            (.soloAmbient, false, .categoryForbidsBackground),
            (.playback, true, nil),
            (.playback, false, .appBackgrounded),
            (.record, true, nil),
            (.record, false, .appBackgrounded),
            (.playAndRecord, true, nil),
            (.playAndRecord, false, .appBackgrounded),
            (.multiRoute, true, nil),
            (.multiRoute, false, .appBackgrounded),
        ])
    func `In the background a session plays as its category and the audio mode allow`(
        category: SessionCategory, hasAudioCapability: Bool, reason: SuppressionReason?
    ) {
        let policy = SessionPolicy(
            category: category, hasAudioCapability: hasAudioCapability,
            applicationState: .background)

        let suppressions = policy.suppressions

        #expect(suppressions.first == reason)
        #expect(suppressions.count == (reason == nil ? 0 : 1))
    }

    @Test(.rule("A2", "2.5"), arguments: SessionCategory.allCases, [true, false])
    func `In the foreground a session plays in every category, declared or not`(
        category: SessionCategory, hasAudioCapability: Bool
    ) {
        let active = SessionPolicy(
            category: category, hasAudioCapability: hasAudioCapability, applicationState: .active)
        let inactive = SessionPolicy(
            category: category, hasAudioCapability: hasAudioCapability, applicationState: .inactive)

        #expect(active.suppressions == [])
        #expect(inactive.suppressions == [])
    }

    @Test(.rule("B4"))
    func `The session policy forbids on leaving the foreground and allows on return`() {
        var policy = SessionPolicy(hasAudioCapability: false)

        let before = policy.suppressions
        policy.applicationState = .background
        let away = policy.suppressions
        policy.applicationState = .active
        let back = policy.suppressions

        #expect([before, away, back] == [[], [.appBackgrounded], []])
    }

    @Test(.rule("2.5"), arguments: [ApplicationState.active, .inactive, .background])
    func `An interruption forbids playback in every state and with the capability`(
        state: ApplicationState
    ) {
        let policy = SessionPolicy(
            hasAudioCapability: true, applicationState: state, isInterrupted: true)

        #expect(policy.suppressions == [.interrupted])
    }

    @Test(.rule("A3"), arguments: [ApplicationState.active, .inactive, .background])
    func `A stopped host forbids playback in every state and with the capability`(
        state: ApplicationState
    ) {
        let policy = SessionPolicy(
            hasAudioCapability: true, applicationState: state, isHostStopped: true)

        #expect(policy.suppressions == [.hostStopped])
    }

    @Test func `The session policy names every reason, the most important first`() {
        let undeclared = SessionPolicy(
            hasAudioCapability: false, applicationState: .background, isInterrupted: true,
            isHostStopped: true)
        let ambient = SessionPolicy(
            category: .ambient, hasAudioCapability: false, applicationState: .background,
            isInterrupted: true)

        #expect(undeclared.suppressions == [.hostStopped, .interrupted, .appBackgrounded])
        #expect(ambient.suppressions == [.interrupted, .categoryForbidsBackground])
    }

    @Test func `The session policy defaults to playback in an active host`() {
        let policy = SessionPolicy(hasAudioCapability: true)

        #expect(policy.category == .playback)
        #expect(policy.applicationState == .active)
        #expect(!policy.isInterrupted)
        #expect(!policy.isHostStopped)
    }

    @Test(.rule("2.5")) func `The session policy uses Apple's names for categories`() {
        #expect(
            SessionCategory.allCases.map(\.rawValue) == [
                "ambient", "soloAmbient", "playback", "record", "playAndRecord", "multiRoute",
            ])
    }

    @Test func `The session policy names its reasons as events do`() {
        #expect(
            SuppressionReason.allCases.map(\.rawValue) == [
                "hostStopped", "interrupted", "deviceMissing", "categoryForbidsBackground",
                "appBackgrounded",
            ])
    }
}
