import Testing
import UndersongBackground

@Suite struct `A sound server watch for calls` {
    @Test(arguments: ["phone", "alert"])
    func `reports an interruption that allows resuming when it ends`(role: String) {
        var watch = watching(state())

        let began = watch.changed(state(others: [call(role: role)]))
        let ended = watch.changed(state())

        #expect(began.first == .interruptionBegan(.call(application: "Phone")))
        #expect(ended.first == .interruptionEnded(.call(application: "Phone"), shouldResume: true))
    }

    @Test func `ignores other roles and its own streams`() {
        var own = stream(on: speaker)
        own.role = "phone"
        var watch = watching(state())

        #expect(watch.changed(state(stream: own)) == [])
        #expect(
            watch.changed(state(others: [call(role: "music")])) == [.otherAudio(.nonMixable)])
    }

    @Test func `reports the end of the last of several calls (T55)`() {
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

    @Test func `reports the end when the call's stream is paused`() {
        var held = call()
        held.isCorked = true
        var watch = watching(state(others: [call()]))

        let changes = watch.changed(state(others: [held]))

        #expect(
            changes.first == .interruptionEnded(.call(application: "Phone"), shouldResume: true))
    }

    @Test func `reports a call that began before it connected`() {
        var watch = SoundServerWatch()

        let changes = watch.connected(state(others: [call()]))

        #expect(changes.first == .interruptionBegan(.call(application: "Phone")))
    }

    @Test func `starts over after a reset`() {
        var watch = watching(state(others: [call()]))

        _ = watch.lost(reason: "gone")
        let changes = watch.connected(state(others: [call()]))

        #expect(changes.contains(.interruptionBegan(.call(application: "Phone"))))
    }

    @Test func `ignores a mute that comes with a call`() {
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

    @Test func `ignores a mute that comes with a call, even if it comes later`() {
        var watch = watching(state(stream: stream(on: speaker)))

        _ = watch.changed(state(stream: stream(on: speaker), others: [call()]))

        #expect(watch.changed(state(stream: muted, others: [call()])) == [])
    }

    @Test func `reports a mute that outlasts the call`() {
        var watch = watching(state(stream: stream(on: speaker)))
        _ = watch.changed(state(stream: muted, others: [call()]))

        let changes = watch.changed(state(stream: muted))

        #expect(changes.last == .otherAudio(.none))
        #expect(changes.contains(.muteChanged(true)))
    }

    @Test func `does not undo a mute from before the call`() {
        var watch = watching(state(stream: stream(on: speaker)))

        #expect(watch.changed(state(stream: muted)) == [.muteChanged(true)])
        #expect(
            !watch.changed(state(stream: muted, others: [call()])).contains(.muteChanged(false)))
        #expect(!watch.changed(state(stream: muted)).contains(.muteChanged(true)))
        #expect(watch.changed(state(stream: stream(on: speaker))) == [.muteChanged(false)])
    }
}

@Suite struct `A sound server watch for volumes` {
    @Test func `reports changes made elsewhere`() {
        var watch = watching(state(stream: loud(1)))

        #expect(watch.changed(state(stream: loud(0.5))) == [.volumeChanged(0.5)])
        #expect(watch.changed(state(stream: loud(0.5))) == [])
        #expect(watch.changed(state(stream: loud(1.5))) == [.volumeChanged(1)])
    }

    @Test func `does not report the session's own changes, rounded or not`() {
        var watch = watching(state(stream: loud(1)))

        watch.willSet(volume: 0.3)
        watch.willSet(mute: true)
        var quiet = loud(0.30004)
        quiet.isMuted = true

        #expect(watch.changed(state(stream: quiet)) == [])
    }

    @Test func `does not mistake the old value for a change while its own is under way`() {
        var watch = watching(state(stream: loud(0.8)))

        watch.willSet(volume: 0.5)

        #expect(watch.changed(state(stream: loud(0.8))) == [])
        #expect(watch.changed(state(stream: loud(0.5))) == [])
    }

    @Test(arguments: [[0.2, 0.3, 0.4], [0.3, 0.4], [0.4], [0.2, 0.4]] as [[Float]])
    func `recognizes its own changes, whichever of them it sees`(seen: [Float]) {
        var watch = watching(state(stream: loud(1)))

        for volume in [0.2, 0.3, 0.4] as [Float] { watch.willSet(volume: volume) }

        for volume in seen { #expect(watch.changed(state(stream: loud(volume))) == []) }
        #expect(watch.changed(state(stream: loud(0.9))) == [.volumeChanged(0.9)])
    }

    @Test func `reports the final value when own and other changes cross`() {
        var watch = watching(state(stream: loud(1)))

        watch.willSet(volume: 0.3)
        watch.willSet(volume: 0.5)

        #expect(watch.changed(state(stream: loud(0.3))) == [])
        #expect(watch.changed(state(stream: loud(0.9))) == [.volumeChanged(0.9)])
        #expect(watch.changed(state(stream: loud(0.5))) == [.volumeChanged(0.5)])
    }

    @Test func `leaves the volume of a new stream alone, but reports that it is muted`() {
        var watch = watching(state(stream: loud(0.5)))
        var other = loud(1)
        other.index = 44
        other.isMuted = true

        _ = watch.changed(state())

        #expect(watch.changed(state(stream: other)) == [.muteChanged(true)])
    }
}

@Suite struct `A session among others` {
    @Test func `is interrupted by one that becomes active later and does not mix`() {
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

    @Test func `may not resume after one that ends without notifying others, or just disappears`() {
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

    @Test func `is not interrupted by an older, inactive or mixing one, nor if it mixes`() {
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

    @Test func `interrupts the other if both become active at once, or is interrupted by it`() {
        var (first, second) = (watching(state()), watching(state()))
        let (a, b) = (session("a", at: 10), session("b", at: 10))
        (first.own, second.own) = (a, b)

        #expect(first.changed(state(sessions: [b])) == [.interruptionBegan(.session(name: "b"))])
        #expect(second.changed(state(sessions: [a])) == [])
    }

    @Test func `ignores the end of an interruption after becoming active again`() {
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

    @Test func `nests interruptions, and reports each end (T55)`() {
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

    @Test func `is ducked until the last of the others that duck it is done (T56)`() {
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

    @Test func `is interrupted by a prompt if it is spoken audio, and otherwise ducked`() {
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

    @Test func `is ducked by a later one if both duck each other`() {
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

    @Test func `is no longer ducked when the server is lost`() {
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
