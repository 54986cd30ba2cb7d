import Testing
import UndersongPlayback

private let backgrounded = SuppressionReason(rawValue: "appBackgrounded")
private let interrupted = SuppressionReason(rawValue: "interrupted")

/// A3, B4, behaviour 2.2 (`appBackgrounded`): wanted and allowed are separate.
@Suite struct `A player that is not allowed to play` {
    @Test func `B4: holds the output, releases the device, and names the reason`() {
        var player = PlayerStateMachine()
        _ = player.play() + player.itemsAppended() + player.itemBecameReady()

        let actions = player.policyDecided([backgrounded])

        #expect(
            actions == [.holdOutput(release: true, then: .paused(.suppressed(backgrounded)))])
        #expect(player.timeControlStatus == .paused(.suppressed(backgrounded)))
    }

    @Test func `A3: runs again automatically when it is allowed again`() {
        var player = PlayerStateMachine()
        _ = player.play() + player.itemsAppended() + player.itemBecameReady()
        _ = player.policyDecided([backgrounded])

        let actions = player.policyDecided([])

        #expect(actions == [.runOutput])
    }

    @Test func `T57: stays paused if the user has paused it meanwhile`() {
        var player = PlayerStateMachine()
        _ = player.play() + player.itemsAppended() + player.itemBecameReady()
        _ = player.policyDecided([interrupted])

        let paused = player.pause()
        let allowed = player.policyDecided([])

        #expect(paused == [.publish(.paused(.userPaused))])
        #expect(allowed == [])
        #expect(player.timeControlStatus == .paused(.userPaused))
    }

    @Test func `T51: does not run on play, but when it is allowed again`() {
        var player = PlayerStateMachine()
        _ = player.itemsAppended() + player.itemBecameReady()
        _ = player.policyDecided([interrupted])

        let played = player.play()
        let allowed = player.policyDecided([])

        #expect(played == [.publish(.paused(.suppressed(interrupted)))])
        #expect(allowed == [.runOutput])
    }

    @Test func `keeps the user's pause while the policy forbids and allows`() {
        var player = PlayerStateMachine()
        _ = player.play() + player.itemsAppended() + player.itemBecameReady() + player.pause()

        let forbidden = player.policyDecided([backgrounded])
        let allowed = player.policyDecided([])

        #expect(forbidden == [])
        #expect(allowed == [])
    }

    @Test func `names the most important reason, and publishes when that changes`() {
        var player = PlayerStateMachine()
        _ = player.play() + player.itemsAppended() + player.itemBecameReady()
        _ = player.policyDecided([interrupted, backgrounded])

        let other = player.policyDecided([backgrounded])
        let same = player.policyDecided([backgrounded, interrupted])

        #expect(other == [.publish(.paused(.suppressed(backgrounded)))])
        #expect(same == [])
    }

    @Test func `does not run when an item becomes ready`() {
        var player = PlayerStateMachine()
        _ = player.policyDecided([backgrounded])
        _ = player.play() + player.itemsAppended()

        let ready = player.itemBecameReady()
        let allowed = player.policyDecided([])

        #expect(ready == [])
        #expect(allowed == [.runOutput])
    }

    @Test func `waits for its item if it is allowed before that is open`() {
        var player = PlayerStateMachine()
        _ = player.policyDecided([backgrounded])
        _ = player.play() + player.itemsAppended()

        let allowed = player.policyDecided([])

        #expect(allowed == [.publish(.waiting(.evaluatingBufferingRate))])
    }
}
