import TestSupport
import Testing
import UndersongBackground

@Suite struct `A sound server watch` {
    @Test func `SoundServerWatch does not report the first connection`() {
        var watch = SoundServerWatch()

        #expect(watch.connected(state()) == [])
    }

    @Test func `SoundServerWatch reports a loss once, and then a reset`() {
        var watch = watching(state())

        #expect(watch.lost(reason: "gone") == [.mediaServicesWereLost(reason: "gone")])
        #expect(watch.lost(reason: "gone") == [])
        #expect(watch.changed(state(defaultDevice: "usb")) == [])
        #expect(watch.connected(state()) == [.mediaServicesWereReset])
    }

    @Test func `SoundServerWatch reports no loss of a server that never existed`() {
        var watch = SoundServerWatch()

        #expect(watch.lost(reason: "refused") == [])
        #expect(watch.connected(state()) == [])
    }

    @Test func `SoundServerWatch reports after a reset that the device is gone`() {
        var watch = watching(state(stream: stream(on: usb)))

        _ = watch.lost(reason: "gone")
        let changes = watch.connected(state(devices: [speaker]))

        #expect(changes == [.mediaServicesWereReset, route(.oldDeviceUnavailable, usb, speaker)])
    }

    @Test func `SoundServerWatch reports which other audio can be heard when that changes`() {
        var foreign = ServerStream(index: 9, device: 0, application: "mpv")
        var watch = watching(state())

        #expect(watch.changed(state(others: [foreign])) == [.otherAudio(.nonMixable)])
        #expect(watch.changed(state(others: [foreign])) == [])
        foreign.isCorked = true
        #expect(watch.changed(state(others: [foreign])) == [.otherAudio(.none)])
        foreign.isCorked = false
        foreign.role = "event"
        #expect(watch.changed(state(others: [foreign])) == [.otherAudio(.mixable)])
        foreign.isMuted = true
        #expect(watch.changed(state(others: [foreign])) == [.otherAudio(.none)])
        foreign.isMuted = false
        foreign.role = "filter"
        #expect(watch.changed(state(others: [foreign])) == [])
    }

    @Test func `SoundServerWatch treats a stream of a mixing session as mixing`() {
        var foreign = ServerStream(index: 9, device: 0, application: "Undersong")
        foreign.session = "7.1"
        var session = RemoteSession(identifier: "7.1", name: "other")
        session.isMixable = true
        var watch = watching(state())

        #expect(
            watch.changed(state(others: [foreign], sessions: [session])) == [.otherAudio(.mixable)])
        session.isMixable = false
        #expect(
            watch.changed(state(others: [foreign], sessions: [session]))
                == [.otherAudio(.nonMixable)])
    }

    @Test func `SoundServerWatch forgets other audio with the server`() {
        let foreign = ServerStream(index: 9, device: 0, application: "mpv")
        var watch = watching(state(others: [foreign]))

        #expect(
            watch.lost(reason: "gone")
                == [.mediaServicesWereLost(reason: "gone"), .otherAudio(.none)])
        #expect(
            watch.connected(state(others: [foreign]))
                == [.mediaServicesWereReset, .otherAudio(.nonMixable)])
    }

    @Test func `SoundServerWatch reports a suspended device only while something plays on it`() {
        var asleep = speaker
        asleep.isSuspended = true
        var watch = watching(state(devices: [asleep, usb]))

        #expect(watch.changed(state(devices: [asleep, usb])) == [])
        #expect(
            watch.changed(state(devices: [asleep, usb], stream: stream(on: speaker)))
                == [.deviceSuspended(true)])
        #expect(watch.changed(state(stream: stream(on: speaker))) == [.deviceSuspended(false)])
    }
}

@Suite struct `A sound server watch for routes` {
    private let playing = state(stream: stream(on: speaker))

    @Test(.rule("T58")) func `A route change has reason 2 when the device in use disappears`() {
        var watch = watching(state(stream: stream(on: usb)))

        let changes = watch.changed(state(devices: [speaker], stream: stream(on: speaker)))

        #expect(changes == [route(.oldDeviceUnavailable, usb, speaker)])
    }

    @Test func `A route change has reason 7 when no device is left`() {
        var watch = watching(playing)

        let changes = watch.changed(state(devices: [], defaultDevice: nil))

        #expect(changes == [route(.noSuitableRouteForCategory, speaker, nil)])
        #expect(watch.changed(state()) == [route(.newDeviceAvailable, nil, speaker)])
    }

    @Test func `A route change has reason 1 when a device appears and is used`() {
        var watch = watching(state(devices: [speaker], stream: stream(on: speaker)))

        #expect(
            watch.changed(state(stream: stream(on: usb))) == [
                route(.newDeviceAvailable, speaker, usb)
            ])
    }

    @Test func `No route change is reported when a device appears and is not used`() {
        var watch = watching(state(devices: [speaker], stream: stream(on: speaker)))

        #expect(watch.changed(playing) == [])
    }

    @Test func `A route change has reason 4 if another program moves the stream or the default`() {
        var moved = watching(playing)
        var chosen = watching(state())

        #expect(moved.changed(state(stream: stream(on: usb))) == [route(.override, speaker, usb)])
        #expect(chosen.changed(state(defaultDevice: "usb")) == [route(.override, speaker, usb)])
    }

    @Test func `A route change has reason 8 when the device's sample rate changes`() {
        var faster = speaker
        faster.sampleRate = 48000
        var watch = watching(playing)

        let changes = watch.changed(
            state(devices: [faster, usb], stream: stream(on: speaker)))

        #expect(changes == [route(.routeConfigurationChange, speaker, faster)])
    }

    @Test func `A route change has reason 2 for headphones unplugged, and 1 when plugged in`() {
        var headphones = speaker
        headphones.port = .headphones
        headphones.portName = "analog-output-headphones"
        let before = state(devices: [headphones, usb], stream: stream(on: speaker))
        var watch = watching(before)

        #expect(watch.changed(playing) == [route(.oldDeviceUnavailable, headphones, speaker)])
        #expect(watch.changed(before) == [route(.newDeviceAvailable, speaker, headphones)])
    }

    @Test func `A route change has reason 2 for an unplugged device, wherever the sound goes`() {
        var unplugged = usb
        unplugged.isAvailable = false
        let before = state(stream: stream(on: usb))
        var (staying, moving) = (watching(before), watching(before))

        let devices = [speaker, unplugged]
        #expect(
            staying.changed(state(devices: devices, stream: stream(on: usb)))
                == [route(.oldDeviceUnavailable, usb, unplugged)])
        #expect(
            moving.changed(state(devices: devices, stream: stream(on: speaker)))
                == [route(.oldDeviceUnavailable, usb, speaker)])
    }

    @Test func `The watch for routes identifies devices by name, even if their numbers change`() {
        var renumbered = speaker
        renumbered.index = 70
        var watch = watching(playing)

        let changes = watch.changed(state(devices: [renumbered], stream: stream(on: renumbered)))

        #expect(changes == [])
    }

    @Test func `The route of a closed stream is kept`() {
        var watch = watching(state(stream: stream(on: usb)))

        #expect(watch.changed(state()) == [])
        #expect(watch.changed(state(stream: stream(on: usb))) == [])
    }

    @Test func `The route is kept while the stream is moving to a device`() {
        var nowhere = stream(on: usb)
        nowhere.device = .max
        var watch = watching(state(stream: stream(on: usb)))

        #expect(watch.changed(state(stream: nowhere)) == [])
    }

    @Test func `The session's preferred device is its route`() {
        var watch = watching(state())

        watch.preferredDevice = "usb"

        #expect(watch.changed(state()) == [route(.override, speaker, usb)])
        #expect(watch.changed(state(stream: stream(on: usb))) == [])
    }

    @Test func `A device that does not replace another is a new one`() {
        let none = OutputDevice(name: "auto_null", index: 5)
        var watch = watching(
            state(devices: [none], defaultDevice: "auto_null", stream: stream(on: none)))

        let changes = watch.changed(state(devices: [speaker], stream: stream(on: speaker)))

        #expect(changes == [route(.newDeviceAvailable, none, speaker)])
    }
}

let speaker = OutputDevice(name: "speaker", port: .builtInSpeaker, index: 0, portName: "a")
let usb = OutputDevice(name: "usb", port: .usbAudio, index: 1)

/// A server with two devices, a stream of this process, others and sessions.
func state(
    devices: [OutputDevice] = [speaker, usb], defaultDevice: String? = "speaker",
    stream: ServerStream? = nil, others: [ServerStream] = [], sessions: [RemoteSession] = []
) -> SoundServerState {
    var state = SoundServerState()
    state.devices = devices
    state.defaultDevice = defaultDevice
    state.streams = (stream.map { [$0] } ?? []) + others
    state.sessions = sessions
    return state
}

func stream(on device: OutputDevice) -> ServerStream {
    var stream = ServerStream(index: 3, device: device.index, application: "Undersong")
    stream.isOwn = true
    return stream
}

func watching(_ state: SoundServerState) -> SoundServerWatch {
    var watch = SoundServerWatch()
    _ = watch.connected(state)
    return watch
}

private func route(
    _ reason: RouteChangeReason, _ previous: OutputDevice?, _ current: OutputDevice?
) -> SoundServerChange {
    .routeChanged(RouteChange(reason: reason, previous: previous, current: current))
}
