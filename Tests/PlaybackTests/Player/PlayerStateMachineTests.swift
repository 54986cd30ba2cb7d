import TestSupport
import Testing
import UndersongPlayback

/// Behaviour 2.2: what is wanted distinguishes paused from the other states.
@Suite struct `A player` {
    @Test(.rule("2.2")) func `A player is paused by the user initially`() {
        let player = PlayerStateMachine()

        #expect(player.timeControlStatus == .paused(.userPaused))
    }

    @Test(.rule("2.2")) func `A player waits for an item if it has none`() {
        var player = PlayerStateMachine()

        let actions = player.play()

        #expect(actions == [.publish(.waiting(.noItemToPlay))])
        #expect(player.timeControlStatus == .waiting(.noItemToPlay))
    }

    @Test(.rule("2.2")) func `A player waits while the first item is opened, then runs`() {
        var player = PlayerStateMachine()
        _ = player.play()

        let appended = player.itemsAppended()
        let ready = player.itemBecameReady()

        #expect(appended == [.publish(.waiting(.evaluatingBufferingRate))])
        #expect(ready == [.runOutput])
        #expect(player.timeControlStatus == .playing)
    }

    @Test func `A player does not run on its own when an item is ready`() {
        var player = PlayerStateMachine()

        let actions = player.itemsAppended() + player.itemBecameReady()

        #expect(actions == [])
        #expect(player.timeControlStatus == .paused(.userPaused))
    }

    @Test func `A player runs at once when play follows the item`() {
        var player = PlayerStateMachine()
        _ = player.itemsAppended()
        _ = player.itemBecameReady()

        let actions = player.play()

        #expect(actions == [.runOutput])
    }

    @Test(.rule("C10"))
    func `A player holds the output on pause, keeps the device, and runs again on play`() {
        var player = PlayerStateMachine()
        _ = player.play() + player.itemsAppended() + player.itemBecameReady()

        let paused = player.pause()
        let resumed = player.play()

        #expect(paused == [.holdOutput(release: false, then: .paused(.userPaused))])
        #expect(resumed == [.runOutput])
    }

    @Test func `A player publishes nothing if a command changes nothing`() {
        var player = PlayerStateMachine()
        _ = player.play() + player.itemsAppended() + player.itemBecameReady()

        let played = player.play()
        let appended = player.itemsAppended()
        let ready = player.itemBecameReady()
        let allowed = player.policyDecided([])
        _ = player.pause()
        let paused = player.pause()

        #expect([played, appended, ready, allowed, paused] == [[], [], [], [], []])
    }

    @Test func `A player only publishes that it is paused if nothing was playing yet`() {
        var player = PlayerStateMachine()
        _ = player.play() + player.itemsAppended()

        let actions = player.pause()

        #expect(actions == [.publish(.paused(.userPaused))])
    }

    @Test(.rule("2.3"))
    func `A player waits for an item when the queue has ended, and plays a new one at once`() {
        var player = PlayerStateMachine()
        _ = player.play() + player.itemsAppended() + player.itemBecameReady()

        let ended = player.queueEnded()
        let appended = player.itemsAppended()
        let ready = player.itemBecameReady()

        #expect(ended == [.publish(.waiting(.noItemToPlay))])
        #expect(appended == [.publish(.waiting(.evaluatingBufferingRate))])
        #expect(ready == [.runOutput])
    }

    @Test func `A player waits for its item again once that was closed`() {
        var player = PlayerStateMachine()
        _ = player.play() + player.itemsAppended() + player.itemBecameReady() + player.pause()
        _ = player.itemClosed()

        let played = player.play()
        let ready = player.itemBecameReady()

        #expect(played == [.publish(.waiting(.evaluatingBufferingRate))])
        #expect(ready == [.runOutput])
    }

    @Test func `A player stays paused by its user if something else would pause it`() {
        var player = PlayerStateMachine()
        _ = player.itemsAppended() + player.itemBecameReady()

        let actions = player.pause(.oldDeviceUnavailable)

        #expect(actions == [])
        #expect(player.timeControlStatus == .paused(.userPaused))
    }

    @Test func `A player stays paused when the queue ends while it is paused`() {
        var player = PlayerStateMachine()
        _ = player.play() + player.itemsAppended() + player.itemBecameReady() + player.pause()

        let ended = player.queueEnded()

        #expect(ended == [])
        #expect(player.timeControlStatus == .paused(.userPaused))
    }
}

@Suite struct `A time control status` {
    @Test(.rule("2.2")) func `A time control status has Apple's names and names its reason`() {
        let backgrounded = SuppressionReason(rawValue: "appBackgrounded")
        let statuses: [TimeControlStatus] = [
            .playing, .paused(.userPaused), .paused(.suppressed(backgrounded)),
            .waiting(.noItemToPlay), .waiting(.evaluatingBufferingRate), .waiting(.noOutput),
        ]

        #expect(
            statuses.map(\.name) == [
                "playing", "paused", "paused", "waiting", "waiting", "waiting",
            ])
        #expect(
            statuses.map(\.reason) == [
                nil, "userPaused", "appBackgrounded", "noItemToPlay", "evaluatingBufferingRate",
                "noOutput",
            ])
    }
}
