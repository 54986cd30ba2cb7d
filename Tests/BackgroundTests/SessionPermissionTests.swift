import Testing
import UndersongBackground
import UndersongPlayback

@Suite struct `A session's permission` {
    @Test func `A session's permission is decided at its begin, and again only when it changes`() {
        var permission = Self.permission()

        let first = permission.handle(.begin, at: 1)
        let second = permission.handle(.begin, at: 2)

        let decision = PolicyDecision(
            reasons: [], hasAudioCapability: false, capabilitySource: "none")
        #expect(first == [.decided(decision)])
        #expect(second == [])
    }

    @Test func `A session's permission reports since when each reason forbids playback`() {
        var permission = Self.permission()

        _ = permission.handle(.enter(.background, source: "terminal"), at: 5)
        _ = permission.handle(.setHostStopped(true), at: 7)

        #expect(permission.suppressedSince == [.hostStopped: 7, .appBackgrounded: 5])
        #expect(permission.applicationStateSince == 5)
        #expect(permission.applicationStateSource == "terminal")
        #expect(!permission.isAllowed)
    }

    @Test func `A session's permission is not decided again for a state already entered`() {
        var permission = Self.permission()
        _ = permission.handle(.begin, at: 1)

        let effects = permission.handle(.enter(.active, source: "terminal"), at: 5)

        #expect(effects == [])
        #expect(permission.applicationStateSince == 0)
    }

    @Test func `A session's permission reports only the outermost of nested interruptions`() {
        var permission = Self.permission()
        _ = permission.handle(.begin, at: 1)

        let began = permission.handle(.interruptionBegan(.command), at: 2)
        let inner = permission.handle(.interruptionBegan(.sleep), at: 3)
        let outer = permission.handle(.interruptionEnded(.command, shouldResume: true), at: 4)
        let last = permission.handle(.interruptionEnded(.sleep, shouldResume: true), at: 5)

        #expect(
            began == [
                .interruption(InterruptionEvent(hasBegun: true, source: .command)),
                .decided(Self.decision([.interrupted])),
            ])
        #expect(inner == [])
        #expect(outer == [])
        #expect(
            last == [
                .interruption(
                    InterruptionEvent(hasBegun: false, source: .sleep, shouldResume: true)),
                .decided(Self.decision([])),
            ])
    }

    @Test
    func `A session pauses before it allows playback if it may not resume after an interruption`() {
        var permission = Self.permission()
        _ = permission.handle(.interruptionBegan(.command), at: 2)

        let effects = permission.handle(.interruptionEnded(.command, shouldResume: false), at: 3)

        #expect(
            effects == [
                .interruption(InterruptionEvent(hasBegun: false, source: .command)), .pause,
                .decided(Self.decision([])),
            ])
    }

    @Test func `A session overrides other sessions on a play command, but not a call`() {
        var permission = Self.permission()
        let call = InterruptionSource.call(application: "Ekiga")
        let session = InterruptionSource.session(name: "Other")
        _ = permission.handle(.interruptionBegan(session), at: 1)
        _ = permission.handle(.interruptionBegan(call), at: 2)

        _ = permission.handle(.willPlay, at: 3)
        let duringCall = permission.interruptions
        _ = permission.handle(.interruptionEnded(call, shouldResume: true), at: 4)
        _ = permission.handle(.willPlay, at: 5)

        #expect(duringCall == [session, call])
        #expect(permission.interruptions == [])
        #expect(permission.isAllowed)
    }

    @Test func `A session has a call while one lasts, also nested in another interruption`() {
        var permission = Self.permission()
        let call = InterruptionSource.call(application: "Ekiga")
        let session = InterruptionSource.session(name: "Other")

        _ = permission.handle(.interruptionBegan(session), at: 1)
        let before = permission.call
        _ = permission.handle(.interruptionBegan(call), at: 2)
        _ = permission.handle(.interruptionBegan(.command), at: 3)
        let first = permission.call
        _ = permission.handle(.interruptionEnded(call, shouldResume: true), at: 4)
        let second = permission.call
        _ = permission.handle(.interruptionEnded(.command, shouldResume: true), at: 5)

        #expect(before == nil)
        #expect(first == call)
        #expect(second == .command)
        #expect(permission.call == nil)
        #expect(permission.interruptions == [session])
    }

    private static func permission() -> SessionPermission {
        SessionPermission(
            category: .playback, capabilities: Capabilities(), capabilitySource: "none",
            applicationState: .active, applicationStateSource: "none", at: 0)
    }

    private static func decision(_ reasons: [SuppressionReason]) -> PolicyDecision {
        PolicyDecision(reasons: reasons, hasAudioCapability: false, capabilitySource: "none")
    }
}
