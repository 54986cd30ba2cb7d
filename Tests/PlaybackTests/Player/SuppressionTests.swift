import TestSupport
import Testing
import UndersongPlayback

private let backgrounded = SuppressionReason(rawValue: "appBackgrounded")
private let interrupted = SuppressionReason(rawValue: "interrupted")

/// A3, B4, behaviour 2.2 (`appBackgrounded`): wanted and allowed are separate.
@Suite struct `A player that is not allowed to play` {
    @Test(.rule("B4"))
    func `A forbidden player holds the output, releases the device, and names the reason`() {
        var player = PlayerStateMachine()
        _ = player.play() + player.itemsAppended() + player.itemBecameReady()

        let actions = player.policyDecided([backgrounded])

        #expect(
            actions == [.holdOutput(release: true, then: .paused(.suppressed(backgrounded)))])
        #expect(player.timeControlStatus == .paused(.suppressed(backgrounded)))
    }

    @Test(.rule("A3")) func `A forbidden player runs again automatically when it is allowed again`()
    {
        var player = PlayerStateMachine()
        _ = player.play() + player.itemsAppended() + player.itemBecameReady()
        _ = player.policyDecided([backgrounded])

        let actions = player.policyDecided([])

        #expect(actions == [.runOutput])
    }

    @Test(.rule("T57")) func `A forbidden player stays paused if the user has paused it meanwhile`()
    {
        var player = PlayerStateMachine()
        _ = player.play() + player.itemsAppended() + player.itemBecameReady()
        _ = player.policyDecided([interrupted])

        let paused = player.pause()
        let allowed = player.policyDecided([])

        #expect(paused == [.publish(.paused(.userPaused))])
        #expect(allowed == [])
        #expect(player.timeControlStatus == .paused(.userPaused))
    }

    @Test(.rule("T51"))
    func `A forbidden player does not run on play, but when it is allowed again`() {
        var player = PlayerStateMachine()
        _ = player.itemsAppended() + player.itemBecameReady()
        _ = player.policyDecided([interrupted])

        let played = player.play()
        let allowed = player.policyDecided([])

        #expect(played == [.publish(.paused(.suppressed(interrupted)))])
        #expect(allowed == [.runOutput])
    }

    @Test func `A player keeps the user's pause while the policy forbids and allows`() {
        var player = PlayerStateMachine()
        _ = player.play() + player.itemsAppended() + player.itemBecameReady() + player.pause()

        let forbidden = player.policyDecided([backgrounded])
        let allowed = player.policyDecided([])

        #expect(forbidden == [])
        #expect(allowed == [])
    }

    @Test func `A forbidden player names the most important reason, and publishes when it changes`()
    {
        var player = PlayerStateMachine()
        _ = player.play() + player.itemsAppended() + player.itemBecameReady()
        _ = player.policyDecided([interrupted, backgrounded])

        let other = player.policyDecided([backgrounded])
        let same = player.policyDecided([backgrounded, interrupted])

        #expect(other == [.publish(.paused(.suppressed(backgrounded)))])
        #expect(same == [])
    }

    @Test func `A forbidden player does not run when an item becomes ready`() {
        var player = PlayerStateMachine()
        _ = player.policyDecided([backgrounded])
        _ = player.play() + player.itemsAppended()

        let ready = player.itemBecameReady()
        let allowed = player.policyDecided([])

        #expect(ready == [])
        #expect(allowed == [.runOutput])
    }

    @Test func `A player waits for its item if it is allowed before that is open`() {
        var player = PlayerStateMachine()
        _ = player.policyDecided([backgrounded])
        _ = player.play() + player.itemsAppended()

        let allowed = player.policyDecided([])

        #expect(allowed == [.publish(.waiting(.evaluatingBufferingRate))])
    }
}
