import TestSupport
import Testing
import UndersongBackground

@Suite struct `A sound server watch for calls` {
    @Test(arguments: ["phone", "alert"])
    func `A call is reported as an interruption that allows resuming when it ends`(role: String) {
        var watch = watching(state())

        let began = watch.changed(state(others: [call(role: role)]))
        let ended = watch.changed(state())

        #expect(began.first == .interruptionBegan(.call(application: "Phone")))
        #expect(ended.first == .interruptionEnded(.call(application: "Phone"), shouldResume: true))
    }

    @Test func `The watch for calls ignores other roles and its own streams`() {
        var own = stream(on: speaker)
        own.role = "phone"
        var watch = watching(state())

        #expect(watch.changed(state(stream: own)) == [])
        #expect(
            watch.changed(state(others: [call(role: "music")])) == [.otherAudio(.nonMixable)])
    }

    @Test(.rule("T55")) func `The watch for calls reports the end of the last of several calls`() {
        let second = ServerStream(index: 21, device: 0, application: "Bell", role: "alert")
        var watch = watching(state(others: [call()]))

        #expect(watch.changed(state(others: [call(), second])) == [])
        #expect(watch.changed(state(others: [second])) == [])
        #expect(
            watch.changed(state()) == [
                .interruptionEnded(.call(application: "Phone"), shouldResume: true),
                .otherAudio(.none),
            ])
    }

    @Test func `The watch for calls reports the end when the call's stream is paused`() {
        var held = call()
        held.isCorked = true
        var watch = watching(state(others: [call()]))

        let changes = watch.changed(state(others: [held]))

        #expect(
            changes.first == .interruptionEnded(.call(application: "Phone"), shouldResume: true))
    }

    @Test func `The watch for calls reports a call that began before it connected`() {
        var watch = SoundServerWatch()

        let changes = watch.connected(state(others: [call()]))

        #expect(changes.first == .interruptionBegan(.call(application: "Phone")))
    }

    @Test func `The watch for calls starts over after a reset`() {
        var watch = watching(state(others: [call()]))

        _ = watch.lost(reason: "gone")
        let changes = watch.connected(state(others: [call()]))

        #expect(changes.contains(.interruptionBegan(.call(application: "Phone"))))
    }

    @Test func `The watch for calls ignores a mute that comes with a call`() {
        var watch = watching(state(stream: stream(on: speaker)))

        let began = watch.changed(state(stream: muted, others: [call()]))
        let ended = watch.changed(state(stream: stream(on: speaker)))

        #expect(
            began == [.interruptionBegan(.call(application: "Phone")), .otherAudio(.nonMixable)])
        #expect(
            ended == [
                .interruptionEnded(.call(application: "Phone"), shouldResume: true),
                .otherAudio(.none),
            ])
    }

    @Test func `The watch for calls ignores a mute that comes with a call, even if it comes later`()
    {
        var watch = watching(state(stream: stream(on: speaker)))

        _ = watch.changed(state(stream: stream(on: speaker), others: [call()]))

        #expect(watch.changed(state(stream: muted, others: [call()])) == [])
    }

    @Test func `The watch for calls reports a mute that outlasts the call`() {
        var watch = watching(state(stream: stream(on: speaker)))
        _ = watch.changed(state(stream: muted, others: [call()]))

        let changes = watch.changed(state(stream: muted))

        #expect(changes.last == .otherAudio(.none))
        #expect(changes.contains(.muteChanged(true)))
    }

    @Test func `The watch for calls does not undo a mute from before the call`() {
        var watch = watching(state(stream: stream(on: speaker)))

        #expect(watch.changed(state(stream: muted)) == [.muteChanged(true)])
        #expect(
            !watch.changed(state(stream: muted, others: [call()])).contains(.muteChanged(false)))
        #expect(!watch.changed(state(stream: muted)).contains(.muteChanged(true)))
        #expect(watch.changed(state(stream: stream(on: speaker))) == [.muteChanged(false)])
    }
}

@Suite struct `A sound server watch for volumes` {
    @Test func `The watch for volumes reports changes made elsewhere`() {
        var watch = watching(state(stream: loud(1)))

        #expect(watch.changed(state(stream: loud(0.5))) == [.volumeChanged(0.5)])
        #expect(watch.changed(state(stream: loud(0.5))) == [])
        #expect(watch.changed(state(stream: loud(1.5))) == [.volumeChanged(1)])
    }

    @Test func `The watch for volumes does not report the session's own changes, rounded or not`() {
        var watch = watching(state(stream: loud(1)))

        watch.willSet(volume: 0.3)
        watch.willSet(mute: true)
        var quiet = loud(0.30004)
        quiet.isMuted = true

        #expect(watch.changed(state(stream: quiet)) == [])
    }

    @Test func `The watch for volumes knows the old value while its own change is under way`() {
        var watch = watching(state(stream: loud(0.8)))

        watch.willSet(volume: 0.5)

        #expect(watch.changed(state(stream: loud(0.8))) == [])
        #expect(watch.changed(state(stream: loud(0.5))) == [])
    }

    @Test(arguments: [[0.2, 0.3, 0.4], [0.3, 0.4], [0.4], [0.2, 0.4]] as [[Float]])
    func `The watch for volumes recognizes its own changes, whichever of them it sees`(
        seen: [Float]
    ) {
        var watch = watching(state(stream: loud(1)))

        for volume in [0.2, 0.3, 0.4] as [Float] { watch.willSet(volume: volume) }

        for volume in seen { #expect(watch.changed(state(stream: loud(volume))) == []) }
        #expect(watch.changed(state(stream: loud(0.9))) == [.volumeChanged(0.9)])
    }

    @Test func `The watch for volumes reports the final value when own and other changes cross`() {
        var watch = watching(state(stream: loud(1)))

        watch.willSet(volume: 0.3)
        watch.willSet(volume: 0.5)

        #expect(watch.changed(state(stream: loud(0.3))) == [])
        #expect(watch.changed(state(stream: loud(0.9))) == [.volumeChanged(0.9)])
        #expect(watch.changed(state(stream: loud(0.5))) == [.volumeChanged(0.5)])
    }

    @Test func `The volume of a new stream is left alone, but its mute is reported`() {
        var watch = watching(state(stream: loud(0.5)))
        var other = loud(1)
        other.index = 44
        other.isMuted = true

        _ = watch.changed(state())

        #expect(watch.changed(state(stream: other)) == [.muteChanged(true)])
    }
}

@Suite struct `A session among others` {
    @Test func `A session is interrupted by a later one that does not mix`() {
        var watch = watching(state())
        watch.own = session("ours", at: 10)
        var other = session("other", at: 20)

        #expect(
            watch.changed(state(sessions: [other]))
                == [.interruptionBegan(.session(name: "other"))])
        #expect(watch.changed(state(sessions: [other])) == [])
        other.isActive = false
        other.notifiesOthers = true
        #expect(
            watch.changed(state(sessions: [other]))
                == [.interruptionEnded(.session(name: "other"), shouldResume: true)])
    }

    @Test
    func `A session may not resume after one that ends without notifying others, or disappears`() {
        var watch = watching(state())
        watch.own = session("ours", at: 10)
        let other = session("other", at: 20)
        var ended = other
        ended.isActive = false
        let end = SoundServerChange.interruptionEnded(
            .session(name: "other"), shouldResume: false)

        _ = watch.changed(state(sessions: [other]))
        #expect(watch.changed(state(sessions: [ended])) == [end])
        _ = watch.changed(state(sessions: [other]))
        #expect(watch.changed(state()) == [end])
    }

    @Test func `A session is not interrupted by an older, inactive or mixing one, or if it mixes`()
    {
        var mixable = session("other", at: 20)
        mixable.isMixable = true
        var inactive = session("other", at: 20)
        inactive.isActive = false
        var mixing = session("ours", at: 10)
        mixing.isMixable = true
        let ours = session("ours", at: 10)
        let table = [
            (ours, session("other", at: 5)), (ours, mixable), (ours, inactive),
            (mixing, session("other", at: 20)),
        ]

        for (own, other) in table {
            var watch = watching(state())
            watch.own = own

            #expect(watch.changed(state(sessions: [other])) == [])
        }
    }

    @Test func `Of two sessions that become active at once, one interrupts the other`() {
        var (first, second) = (watching(state()), watching(state()))
        let (a, b) = (session("a", at: 10), session("b", at: 10))
        (first.own, second.own) = (a, b)

        #expect(first.changed(state(sessions: [b])) == [.interruptionBegan(.session(name: "b"))])
        #expect(second.changed(state(sessions: [a])) == [])
    }

    @Test func `A session ignores the end of an interruption after becoming active again`() {
        var watch = watching(state())
        watch.own = session("ours", at: 10)
        var other = session("other", at: 20)
        _ = watch.changed(state(sessions: [other]))

        watch.own = session("ours", at: 30)
        #expect(watch.changed(state(sessions: [other])) == [])
        other.isActive = false
        #expect(watch.changed(state(sessions: [other])) == [])

        other = session("other", at: 40)
        #expect(
            watch.changed(state(sessions: [other]))
                == [.interruptionBegan(.session(name: "other"))])
    }

    @Test(.rule("T55")) func `A session nests interruptions, and reports each end`() {
        var watch = watching(state())
        watch.own = session("ours", at: 10)
        let (a, b) = (session("a", at: 20), session("b", at: 30))
        var over = b
        over.isActive = false
        over.notifiesOthers = true

        _ = watch.changed(state(sessions: [a]))
        #expect(
            watch.changed(state(sessions: [a, b])) == [.interruptionBegan(.session(name: "b"))])
        #expect(
            watch.changed(state(sessions: [a, over]))
                == [.interruptionEnded(.session(name: "b"), shouldResume: true)])
        #expect(
            watch.changed(state(sessions: [over]))
                == [.interruptionEnded(.session(name: "a"), shouldResume: false)])
    }

    @Test(.rule("T56"))
    func `A session is ducked until the last of the others that duck it is done`() {
        var prompt = session("prompt", at: 20)
        prompt.isMixable = true
        prompt.ducksOthers = true
        var second = prompt
        second.identifier = "second"
        var watch = watching(state())
        watch.own = session("ours", at: 30)

        #expect(watch.changed(state(sessions: [prompt])) == [.duckingBegan])
        #expect(watch.changed(state(sessions: [prompt, second])) == [])
        prompt.isActive = false
        #expect(watch.changed(state(sessions: [prompt, second])) == [])
        #expect(watch.changed(state()) == [.duckingEnded])
    }

    @Test func `A prompt interrupts a session of spoken audio, and ducks any other`() {
        var prompt = session("prompt", at: 20)
        prompt.isMixable = true
        prompt.interruptsSpokenAudio = true
        var (speech, music) = (watching(state()), watching(state()))
        speech.own = session("ours", at: 10)
        speech.isSpokenAudio = true
        music.own = session("ours", at: 10)

        #expect(
            speech.changed(state(sessions: [prompt]))
                == [.interruptionBegan(.session(name: "prompt"))])
        #expect(music.changed(state(sessions: [prompt])) == [.duckingBegan])
    }

    @Test func `A session is ducked by a later one if both duck each other`() {
        var (early, late) = (session("early", at: 10), session("late", at: 20))
        for session in [\SessionAnnouncement.isMixable, \.ducksOthers] {
            early[keyPath: session] = true
            late[keyPath: session] = true
        }
        var (first, second) = (watching(state()), watching(state()))
        (first.own, second.own) = (early, late)

        #expect(first.changed(state(sessions: [late])) == [.duckingBegan])
        #expect(second.changed(state(sessions: [early])) == [])
    }

    @Test func `A session is no longer ducked when the server is lost`() {
        var prompt = session("prompt", at: 20)
        prompt.ducksOthers = true
        prompt.isMixable = true
        var watch = watching(state(sessions: [prompt]))

        #expect(
            watch.lost(reason: "gone") == [.mediaServicesWereLost(reason: "gone"), .duckingEnded])
    }
}

private func call(role: String = "phone") -> ServerStream {
    ServerStream(index: 20, device: 0, application: "Phone", role: role)
}

private var muted: ServerStream {
    var stream = stream(on: speaker)
    stream.isMuted = true
    return stream
}

private func loud(_ volume: Float) -> ServerStream {
    var stream = stream(on: speaker)
    stream.volume = volume
    return stream
}

private func session(_ name: String, at time: Int64) -> SessionAnnouncement {
    var session = SessionAnnouncement(identifier: name, name: name)
    session.isActive = true
    session.activationTime = time
    return session
}
