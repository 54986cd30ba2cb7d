import TestSupport
import Testing
import UndersongBackground

@Suite struct `An interrupted player` {
    @Test(.rule("T51")) func `An interrupted player goes silent, and resumes if the end allows it`()
    {
        var player = PlaybackInterruption()

        let begin = player.begin(isPlaying: true)
        let end = player.end(mayResume: true)

        #expect(begin == .pause)
        #expect(end == .resume)
        #expect(!player.isActive)
    }

    @Test(.rule("T51"))
    func `An interrupted player does not start on a play command, but plays at the end`() {
        var player = PlaybackInterruption()
        _ = player.begin(isPlaying: false)

        let starts = player.play()
        let end = player.end(mayResume: true)
        let startsLater = player.play()

        #expect(!starts)
        #expect(end == .resume)
        #expect(startsLater)
    }

    @Test(.rule("T52"))
    func `An interrupted player stays paused if the end does not allow it to resume`() {
        var player = PlaybackInterruption()
        _ = player.begin(isPlaying: true)

        let end = player.end(mayResume: false)

        #expect(end == nil)
    }

    @Test(.rule("T52"))
    func `An interrupted player forgets a play command if the end does not allow it to resume`() {
        var player = PlaybackInterruption()
        _ = player.begin(isPlaying: true)
        _ = player.end(mayResume: false)

        let begin = player.begin(isPlaying: false)
        let end = player.end(mayResume: true)

        #expect(begin == nil)
        #expect(end == nil)
    }

    @Test(.rule("T53"))
    func `An interrupted player pauses in a background without sound, and resumes in front`() {
        var policy = SessionPolicy(category: .playback, hasAudioCapability: false)
        var player = PlaybackInterruption()

        policy.applicationState = .background
        let away = policy.suppressions.isEmpty ? nil : player.begin(isPlaying: true)
        policy.applicationState = .active
        let back = policy.suppressions.isEmpty ? player.end(mayResume: true) : nil

        #expect(away == .pause)
        #expect(back == .resume)
    }

    @Test(.rule("T55"))
    func `An interrupted player responds only to the outermost of nested interruptions`() {
        var player = PlaybackInterruption()

        let begins = [player.begin(isPlaying: true), player.begin(isPlaying: false)]
        let inner = player.end(mayResume: true)
        let outer = player.end(mayResume: true)

        #expect(begins == [.pause, nil])
        #expect(inner == nil)
        #expect(outer == .resume)
    }

    @Test(.rule("T55"))
    func `An interrupted player follows the last end's options, whatever an inner one said`() {
        var player = PlaybackInterruption()
        _ = player.begin(isPlaying: true)
        _ = player.begin(isPlaying: false)

        let ends = [player.end(mayResume: true), player.end(mayResume: false)]

        #expect(ends == [nil, nil])
    }

    @Test(.rule("T55")) func `An interrupted player ignores an end without a begin`() {
        var player = PlaybackInterruption()

        let spurious = player.end(mayResume: true)
        let begin = player.begin(isPlaying: true)

        #expect(spurious == nil)
        #expect(begin == .pause)
        #expect(player.depth == 1)
    }

    @Test(.rule("T56"))
    func `A player waits through a transient loss, and does not play after a permanent one`() {
        var passing = PlaybackInterruption()
        var lasting = PlaybackInterruption()

        let begins = [passing.begin(isPlaying: true), lasting.begin(isPlaying: true)]
        let end = passing.end(mayResume: true)
        let starts = lasting.play()

        #expect(begins == [.pause, .pause])
        #expect(end == .resume)
        #expect(!starts)
    }

    @Test(.rule("T57"))
    func `An interrupted player does not resume if the user has paused meanwhile`() {
        var player = PlaybackInterruption()
        _ = player.begin(isPlaying: true)

        player.pause()
        let end = player.end(mayResume: true)

        #expect(end == nil)
    }

    @Test(.rule("T57"))
    func `An interrupted player resumes if the user has paused and then played`() {
        var player = PlaybackInterruption()
        _ = player.begin(isPlaying: true)

        player.pause()
        _ = player.play()
        let end = player.end(mayResume: true)

        #expect(end == .resume)
    }

    @Test func `An interrupted player plays at once after reactivation, but not by itself`() {
        var player = PlaybackInterruption()
        _ = player.begin(isPlaying: true)

        player.override()
        let starts = player.play()
        let end = player.end(mayResume: true)

        #expect(starts)
        #expect(end == nil)
    }
}

@Suite struct `An interrupted session` {
    @Test(.rule("T55")) func `An interrupted session reports the outermost begin and the last end`()
    {
        var session = SessionInterruption()

        let begins = [session.begin(isOverridable: false), session.begin(isOverridable: false)]
        let ends = [session.end(), session.end(), session.end()]

        #expect(begins == [true, false])
        #expect(ends == [false, true, false])
    }

    @Test func `An interrupted session can be overridden only if no interruption is a call`() {
        var session = SessionInterruption()
        _ = session.begin(isOverridable: true)
        let player = session.isOverridable
        _ = session.begin(isOverridable: false)
        let call = session.isOverridable
        _ = session.end()
        _ = session.end()
        _ = session.begin(isOverridable: true)

        #expect(player)
        #expect(!call)
        #expect(session.isOverridable)
    }

    @Test func `An interrupted session has no interruption left after an override`() {
        var session = SessionInterruption()
        _ = session.begin(isOverridable: true)
        _ = session.begin(isOverridable: true)

        session.override()
        let end = session.end()

        #expect(!session.isActive)
        #expect(!end)
    }
}

@Suite struct `A ducked session` {
    @Test(.rule("T56"))
    func `A ducked session is quiet while another speaks, and then as loud as before`() {
        var ducking = Ducking()

        let before = ducking.gain
        ducking.begin()
        ducking.begin()
        let both = ducking.gain
        ducking.end()
        let one = ducking.gain
        ducking.end()

        #expect([before, both, one, ducking.gain] == [1, 0.2, 0.2, 1])
    }

    @Test(.rule("T56")) func `A ducked session ignores an end without a begin`() {
        var ducking = Ducking()

        ducking.end()
        ducking.begin()

        #expect(ducking.gain == 0.2)
    }
}

@Suite struct `Now Playing` {
    @Test(
        .rule("2.6"),
        arguments: [
            (true, true, false, true), (false, true, false, false), (true, false, false, false),
            (true, true, true, false),
        ])
    func `Now Playing is the one that handles commands in an active session that does not mix`(
        hasHandler: Bool, isActive: Bool, isMixable: Bool, isEligible: Bool
    ) {
        #expect(
            NowPlaying.isEligible(
                hasHandler: hasHandler, isSessionActive: isActive, isMixable: isMixable)
                == isEligible)
    }

    @Test(
        .rule("2.6"),
        arguments: [
            (10.0, 1.0, 5.0, 100.0 as Double?, 15.0),
            (10, 2, 5, 100, 20),
            (10, 0, 5, 100, 10),
            (10, -1, 5, 100, 5),
            (3, -1, 5, 100, 0),
            (98, 1, 5, 100, 100),
            (98, 1, 5, nil, 103),
            (98, 1, 5, .nan, 103),
            (10, 1, -5, 100, 10),
        ])
    func `Now Playing advances from the item's last position, at its rate and within it`(
        elapsed: Double, rate: Double, interval: Double, duration: Double?, expected: Double
    ) {
        let position = NowPlaying.elapsed(
            from: elapsed, rate: rate, after: interval, duration: duration)

        #expect(position == expected)
    }
}
