import TestSupport
import Testing
import UndersongBackground
import UndersongPlayback

@Suite struct `A player and its sound server` {
    @Test func `A sound server's news begins with the server and its devices`() {
        var policy = policy()

        #expect(
            policy.handle(.event(.connected(state()))) == [
                .mediaServicesWereReset, .server(.present(hasDefaultDevice: true)), .answered,
            ])
        #expect(policy.state == state())
    }

    @Test func `A missing sound server is a loss, whether it was ever connected or not`() {
        var (before, after) = (policy(), connected(to: state()))

        #expect(
            before.handle(.event(.unavailable(reason: "refused")))
                == [.server(.gone(wasPresent: false)), .answered])
        #expect(
            after.handle(lost)
                == [.server(.gone(wasPresent: true)), .mediaServicesWereLost(reason: "gone")])
        #expect(before.trouble == "refused")
        #expect(after.state == nil)
    }

    @Test func `Another attempt to connect to a lost sound server in vain changes nothing`() {
        var policy = connected(to: state())
        _ = policy.handle(lost)

        let effects = policy.handle(.event(.unavailable(reason: "refused")))

        #expect(effects == [.server(.gone(wasPresent: true)), .answered])
    }

    @Test func `The end of a sound server ends calls and ducking`() {
        var policy = connected(to: state())
        _ = policy.handle(.activated(at: 10))
        _ = policy.handle(changed(state(others: [call], sessions: [prompt])))

        let effects = policy.handle(lost)

        #expect(
            effects == [
                .server(.gone(wasPresent: true)), .mediaServicesWereLost(reason: "gone"),
                .ducked(false), .otherAudio(.none),
                .interruptionEnded(.call(application: "Phone"), shouldResume: true),
            ])
        #expect(policy.gain == 1)
    }

    @Test func `A sound server ends when another one replaces it`() {
        var policy = connected(to: state())
        _ = policy.handle(changed(state(others: [call])))

        let effects = policy.handle(.serverReplaced)

        #expect(
            effects == [
                .server(.unknown), .otherAudio(.none),
                .interruptionEnded(.call(application: "Phone"), shouldResume: true),
            ])
        #expect(policy.isAwaitingAnswer)
    }

    @Test func `A silent device is reported for as long as it is silent`() {
        var muted = speaker
        muted.isMuted = true
        var policy = connected(to: state())

        #expect(
            policy.handle(changed(state(devices: [muted, usb]))).contains(.deviceSilent(true)))
        #expect(policy.isDeviceSilent)
        #expect(policy.handle(lost).contains(.deviceSilent(false)))
    }

    @Test func `A player has a fifth of its loudness while another session speaks`() {
        var policy = connected(to: state())

        #expect(policy.handle(changed(state(sessions: [prompt]))).contains(.ducked(true)))
        #expect(policy.gain == Ducking.factor)
        #expect(policy.handle(changed(state())).contains(.ducked(false)))
        #expect(policy.gain == 1)
    }

    @Test func `A change that the player made itself is not reported`() {
        var policy = connected(to: state(stream: stream(on: speaker)))
        var (softer, silent) = (stream(on: speaker), stream(on: speaker))
        softer.volume = 0.5
        (silent.volume, silent.isMuted) = (0.25, true)

        _ = policy.handle(.willSetVolume(StreamVolume.Change(factor: 0.5)))
        let own = policy.handle(changed(state(stream: softer)))
        let others = policy.handle(changed(state(stream: silent)))

        #expect(own == [.server(.present(hasDefaultDevice: true))])
        #expect(others.contains(.volumeChanged(0.25)))
        #expect(others.contains(.muteChanged(true)))
    }
}

@Suite struct `A device that disappears` {
    private let gone = changed(state(devices: [speaker], stream: stream(on: speaker)))

    @Test(
        .rule("T58"),
        arguments: [
            (UnplugPolicy.pause, [SoundServerPolicy.Effect.pause]), (.follow, []),
            (.wait, [.setDeviceMissing(true)]),
        ])
    func `A device that disappears is handled by the unplug policy`(
        unplugPolicy: UnplugPolicy, consequence: [SoundServerPolicy.Effect]
    ) {
        var policy = connected(to: state(stream: stream(on: usb)), unplugPolicy: unplugPolicy)

        let effects = policy.handle(gone)

        let change = RouteChange(
            reason: .oldDeviceUnavailable, previous: usb, current: speaker)
        #expect(
            effects == [.routeChanged(change)] + consequence
                + [.server(.present(hasDefaultDevice: true))])
    }

    @Test func `A device that disappears is waited for by name, and used when it returns`() {
        var policy = connected(to: state(stream: stream(on: usb)), unplugPolicy: .wait)
        _ = policy.handle(gone)

        let still = policy.handle(changed(state(devices: [speaker])))
        var back = usb
        back.index = 8
        let effects = policy.handle(changed(state(devices: [speaker, back])))

        #expect(still == [.server(.present(hasDefaultDevice: true))])
        #expect(
            effects == [
                .useDevice("usb"), .setDeviceMissing(false),
                .server(.present(hasDefaultDevice: true)),
            ])
    }

    @Test func `A device that disappears is no longer waited for once the user wants to play`() {
        var policy = connected(to: state(stream: stream(on: usb)), unplugPolicy: .wait)
        _ = policy.handle(gone)

        #expect(policy.handle(.willPlay) == [.useDevice(nil), .setDeviceMissing(false)])
        #expect(policy.handle(.willPlay) == [])
    }

    @Test func `A device that disappears is waited for again if necessary and chosen by the user`()
    {
        var policy = connected(to: state(stream: stream(on: usb)), unplugPolicy: .wait)
        _ = policy.handle(.chooseDevice("usb"))
        _ = policy.handle(gone)

        #expect(
            policy.handle(.willPlay)
                == [.useDevice(nil), .setDeviceMissing(true), .setDeviceMissing(true)])
    }
}

@Suite struct `A device that is chosen` {
    @Test func `A device that is chosen is used at once`() {
        var policy = connected(to: state(stream: stream(on: speaker)))

        #expect(
            policy.handle(.chooseDevice("usb")) == [.useDevice("usb"), .moveStream(3, to: "usb")])
        #expect(
            policy.handle(.chooseDevice(nil)) == [.useDevice(nil), .moveStream(3, to: "speaker")])
    }

    @Test func `A chosen device is current once the stream is there, or at once without a stream`()
    {
        var (playing, silent) = (connected(to: state(stream: stream(on: speaker))), policy())
        _ = silent.handle(.event(.connected(state())))

        _ = playing.handle(.chooseDevice("usb"))
        _ = silent.handle(.chooseDevice("usb"))

        #expect(playing.isMoving && !silent.isMoving)
        #expect(playing.currentDevice == speaker && silent.currentDevice == usb)
        _ = playing.handle(changed(state(stream: stream(on: usb))))
        #expect(!playing.isMoving)
        #expect(playing.currentDevice == usb)
    }

    @Test func `A device that is chosen is used as soon as it appears`() {
        let before = state(devices: [speaker], stream: stream(on: speaker))
        var policy = connected(to: before)

        #expect(policy.handle(.chooseDevice("usb")) == [.useDevice(nil)])
        _ = policy.handle(changed(before))
        let effects = policy.handle(changed(state(stream: stream(on: speaker))))
        let after = policy.handle(changed(state(stream: stream(on: speaker))))

        #expect(effects.contains(.moveStream(3, to: "usb")))
        // Whoever moves the stream elsewhere afterwards wants it there.
        #expect(!after.contains(.moveStream(3, to: "usb")))
    }

    @Test func `A chosen device gives way to one that a run requests, which is not remembered`() {
        var policy = connected(to: state())
        _ = policy.handle(.chooseDevice("usb"))
        let isRemembered = policy.isDeviceRemembered

        _ = policy.handle(.setRunDevice("speaker"))

        #expect(policy.handle(.willOpenStream) == [.useDevice("speaker")])
        #expect(isRemembered)
        #expect(!policy.isDeviceRemembered)
    }

    @Test func `A chosen device is opened blindly while the devices are unknown`() {
        var policy = policy()
        _ = policy.handle(.chooseDevice("usb"))

        #expect(policy.handle(.willOpenStream) == [.useDevice("usb")])
    }

    @Test func `A chosen device is not there if nothing is plugged in`() {
        var unplugged = usb
        unplugged.isAvailable = false
        var policy = connected(to: state(devices: [speaker, unplugged]))
        _ = policy.handle(.chooseDevice("usb"))

        #expect(policy.handle(.willOpenStream) == [.useDevice(nil)])
    }
}

@Suite struct `Other sessions` {
    @Test func `Other sessions see if this one is active, since when, and how it mixes`() {
        var policy = policy()
        var expected = SessionAnnouncement(identifier: "1", name: "Ours")
        expected.ducksOthers = true
        expected.isMixable = true

        #expect(policy.handle(.mix(.duck, .playback)) == [.announce(expected)])
        expected.isActive = true
        expected.activationTime = 7
        #expect(policy.handle(.activated(at: 7)) == [.announce(expected)])
        expected.isActive = false
        expected.notifiesOthers = true
        #expect(policy.handle(.deactivated(notifyingOthers: true)) == [.announce(expected)])
        #expect(policy.handle(.deactivated(notifyingOthers: true)) == [])
    }

    @Test(arguments: [
        (MixingMode.exclusive, SessionCategory.playback, false, false, false),
        (.exclusive, .ambient, true, false, false), (.mix, .playback, true, false, false),
        (.duck, .playback, true, true, false), (.interruptSpoken, .playback, true, true, true),
    ])
    func `Other sessions learn from mixing mode and category how to sound beside this one`(
        mode: MixingMode, category: SessionCategory, isMixable: Bool, ducks: Bool,
        interrupts: Bool
    ) {
        var policy = policy()

        _ = policy.handle(.mix(mode, category))

        #expect(policy.announcement.isMixable == isMixable)
        #expect(policy.announcement.ducksOthers == ducks)
        #expect(policy.announcement.interruptsSpokenAudio == interrupts)
    }

    @Test func `Other sessions learn from an AVAudioSession's options how to sound beside it`()
        throws
    {
        var policy = SoundServerPolicy(scope: .session, identifier: "1", name: "Ours")

        let setup = try #require(
            try? SessionSetup(category: .playback, options: [.interruptSpokenAudioAndMixWithOthers])
        )

        _ = policy.handle(.setUp(setup))

        #expect(policy.announcement.isMixable)
        #expect(policy.announcement.interruptsSpokenAudio)
    }

    @Test func `Other sessions no longer interrupt when this one is activated after them`() {
        var policy = connected(to: state())
        _ = policy.handle(.activated(at: 10))
        var other = RemoteSession(identifier: "2", name: "Other")
        (other.isActive, other.activationTime) = (true, 20)
        let began = policy.handle(changed(state(sessions: [other])))

        _ = policy.handle(.activated(at: 30))

        #expect(began.first == .interruptionBegan(.session(name: "Other")))
        #expect(
            policy.handle(lost)
                == [.server(.gone(wasPresent: true)), .mediaServicesWereLost(reason: "gone")])
    }
}

@Suite struct `Other programs` {
    @Test func `Other programs are lowered in ten steps while the player plays, and raised again`()
    {
        var policy = connected(to: state(others: [music()]))
        _ = policy.handle(.mix(.duck, .playback))

        #expect(policy.handle(.setPlaying(true)) == [.beginRamp])
        let down = ramp(&policy)
        #expect(policy.handle(.setPlaying(false)) == [.beginRamp])
        let up = ramp(&policy)

        #expect(down.count == 10)
        #expect(zip(down, [0.92, 0.84] as [Float]).allSatisfy { abs($0 - $1) < 1e-4 })
        #expect(abs((down.last ?? 0) - 0.2) < 1e-6)
        #expect(up.count == 10)
        #expect(up.last == 1)
    }

    @Test func `Other programs are left alone if somebody changes their volume meanwhile`() {
        var policy = connected(to: state(others: [music()]))
        _ = policy.handle(.mix(.duck, .playback))
        _ = policy.handle(.setPlaying(true))
        _ = ramp(&policy)
        _ = policy.handle(changed(state(others: [music(0.2)])))

        _ = policy.handle(changed(state(others: [music(0.56)])))
        let again = policy.handle(changed(state(others: [music(0.56)])))

        #expect(!again.contains(.beginRamp))
        #expect(policy.handle(.setPlaying(false)) == [])
        #expect(policy.handle(.end) == [])
    }

    @Test func `Other programs are not considered changed because of a late report`() throws {
        var policy = connected(to: state(others: [music()]))
        _ = policy.handle(.mix(.duck, .playback))
        _ = policy.handle(.setPlaying(true))
        let steps = ramp(&policy)
        try #require(steps.count == 10)

        for volume in [1, steps[3], steps[9]] {
            _ = policy.handle(changed(state(others: [music(volume)])))
        }

        #expect(policy.handle(.setPlaying(false)) == [.beginRamp])
        #expect(ramp(&policy).last == 1)
    }

    @Test func `Other programs are lowered again when the server returns, with other numbers`() {
        var policy = connected(to: state(others: [music()]))
        _ = policy.handle(.mix(.duck, .playback))
        _ = policy.handle(.setPlaying(true))
        _ = policy.handle(.rampStep)

        let end = policy.handle(lost)
        let again = policy.handle(.event(.connected(state(others: [music()]))))

        #expect(end.contains(.endRamp))
        #expect(again.contains(.beginRamp))
        #expect(ramp(&policy).count == 10)
    }

    @Test func `Other programs return to their loudness at once when the session ends`() {
        var policy = connected(to: state(others: [music(0.5)]))
        _ = policy.handle(.mix(.duck, .playback))
        _ = policy.handle(.setPlaying(true))
        _ = policy.handle(.rampStep)

        #expect(policy.handle(.end) == [.endRamp, .setVolumes([9: 0.5])])
    }

    @Test func `A session that does not duck, or an AVAudioSession, leaves other programs alone`() {
        var mixing = connected(to: state(others: [music()]))
        var session = SoundServerPolicy(scope: .session, identifier: "1", name: "Ours")
        _ = session.handle(.event(.connected(state(others: [music()]))))
        _ = mixing.handle(.mix(.mix, .playback))
        _ = session.handle(.mix(.duck, .playback))

        #expect(mixing.handle(.setPlaying(true)) == [])
        #expect(session.handle(.setPlaying(true)) == [])
    }

    private func music(_ volume: Float = 1) -> ServerStream {
        var stream = ServerStream(index: 9, device: 0, application: "mpv", role: "music")
        stream.volume = volume
        return stream
    }

    /// Takes steps until the ramp ends, and returns the volumes of the stream.
    private func ramp(_ policy: inout SoundServerPolicy) -> [Float] {
        var volumes: [Float] = []
        for _ in 0..<100 {
            let effects = policy.handle(.rampStep)
            for case .setVolumes(let new) in effects { volumes += new.values }
            if effects.contains(.endRamp) { break }
        }
        return volumes
    }
}

private let lost = SoundServerPolicy.Input.event(.lost(reason: "gone", hostTime: 1))
private let call = ServerStream(index: 20, device: 0, application: "Phone", role: "phone")
private let prompt = {
    var session = RemoteSession(identifier: "2", name: "Prompt")
    (session.isActive, session.activationTime) = (true, 20)
    (session.isMixable, session.ducksOthers) = (true, true)
    return session
}()

private func changed(_ state: SoundServerState) -> SoundServerPolicy.Input {
    .event(.changed(state))
}

private func policy(unplugPolicy: UnplugPolicy = .pause) -> SoundServerPolicy {
    SoundServerPolicy(
        scope: [.session, .stream], identifier: "1", name: "Ours", unplugPolicy: unplugPolicy)
}

private func connected(
    to state: SoundServerState, unplugPolicy: UnplugPolicy = .pause
) -> SoundServerPolicy {
    var policy = policy(unplugPolicy: unplugPolicy)
    _ = policy.handle(.event(.connected(state)))
    return policy
}
