import Testing
import UndersongPlayback

@Suite struct `A player whose output is lost` {
    @Test func `A player that lost its output tries again at once when sound is wanted again`() {
        var stage = SteppedPlayer(items: 1)
        stage.sound()
        stage.lose()
        let paused = stage.feed(.command(.pause(.userPaused)))

        let played = stage.feed(.command(.play))

        #expect(!paused.contains(.retryOutput))
        #expect(played.contains(.runOutput) && played.contains(.retryOutput))
    }

    @Test(
        arguments: [
            (.present(hasDefaultDevice: false), .present(hasDefaultDevice: true), true),
            (.present(hasDefaultDevice: true), .present(hasDefaultDevice: true), false),
            (.present(hasDefaultDevice: true), .gone(wasPresent: true), false),
        ] as [(Player.Server, Player.Server, Bool)])
    func `A player tries again when the server finally has a default device`(
        before: Player.Server, after: Player.Server, isTried: Bool
    ) {
        var stage = SteppedPlayer(items: 1)
        stage.feed(.output(.server(before)))
        stage.sound()
        stage.lose()

        let effects = stage.feed(.output(.server(after)))

        #expect(effects.contains(.retryOutput) == isTried)
    }

    @Test func `A player pings a server that never answered, and waits for one that did`() {
        var stage = SteppedPlayer(items: 1)
        stage.sound()
        stage.lose()

        stage.feed(.output(.server(.gone(wasPresent: false))))
        let stranger = stage.feed(.output(.retryIsDue))
        stage.feed(.output(.server(.gone(wasPresent: true))))
        let known = stage.feed(.output(.retryIsDue))

        #expect(stranger == [.retryOutput])
        #expect(known == [])
    }

    @Test func `A player without an output answers a seek that nobody can hear`() {
        var stage = SteppedPlayer(items: 1)
        stage.sound()

        let sought = stage.feed(.command(.seek(time(7), Player.AnswerID(1))))
        let lost = stage.lose()
        let again = stage.feed(.command(.seek(time(8), Player.AnswerID(2))))

        #expect(!sought.contains(.answer(Player.AnswerID(1), true)))
        #expect(lost.contains(.answer(Player.AnswerID(1), true)))
        #expect(again.contains(.answer(Player.AnswerID(2), true)))
        #expect(stage.seconds == 8)
    }

    @Test(arguments: [true, false])
    func `A player waits for a device that may be missing, and fails without another`(
        isRemembered: Bool
    ) {
        var stage = SteppedPlayer(items: 1)
        stage.feed(.command(.play))
        stage.open()
        stage.feed(.stream(.ready))

        let effects = stage.lose(.noSuchDevice, isDeviceRemembered: isRemembered)

        #expect(effects.contains(.useDefaultDevice) == isRemembered)
        #expect(effects.contains(.retryLater) == isRemembered)
        #expect(effects.contains(.stopStream) == !isRemembered)
    }

    @Test func `A player does not resume because its device wakes`() {
        var stage = SteppedPlayer(items: 1)
        stage.sound()
        stage.lose()

        let woken = stage.feed(.output(.deviceSuspended(false)))
        let status = stage.player.status
        stage.feed(.output(.works))

        #expect(woken == [])
        #expect(status == .waiting(.noOutput))
        #expect(stage.player.status == .playing)
    }
}

@Suite struct `A player whose output does not answer` {
    @Test
    func `A player whose output does not answer is waiting after 0.8 s, and pings the server`() {
        var stage = SteppedPlayer(items: 1)
        stage.sound()
        let (start, answer) = (stage.moment.hostTime, Player.AnswerID(1))
        stage.feed(.command(.seek(time(7), answer)))

        stage.moment.hostTime = start + 800_000_000
        let early = stage.feed(.output(.secondPassed(waitsSince: start)))
        let status = stage.player.status
        stage.moment.hostTime += 1
        let late = stage.feed(.output(.secondPassed(waitsSince: start)))

        #expect(status == .playing && !early.contains(.pingServer))
        #expect(late.contains(.pingServer) && late.contains(.answer(answer, true)))
        #expect(stage.player.status == .waiting(.noOutput))
    }

    @Test func `A player whose output did not answer continues when it does`() {
        var stage = SteppedPlayer(items: 1)
        stage.sound()
        stage.moment.hostTime += 1_000_000_000
        stage.feed(.output(.secondPassed(waitsSince: 1)))

        stage.feed(.output(.works))

        #expect(stage.player.status == .playing)
    }
}
