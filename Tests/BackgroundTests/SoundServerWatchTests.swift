import Background
import Testing

@Suite struct `A watch over the sound server` {
    @Test func `tells nothing of the first connection`() {
        var watch = SoundServerWatch()

        #expect(watch.connected(state()) == [])
    }

    @Test func `tells a loss once and a reset behind it`() {
        var watch = watching(state())

        #expect(watch.lost(reason: "gone") == [.mediaServicesWereLost(reason: "gone")])
        #expect(watch.lost(reason: "gone") == [])
        #expect(watch.changed(state(defaultDevice: "usb")) == [])
        #expect(watch.connected(state()) == [.mediaServicesWereReset])
    }

    @Test func `tells no loss of a server that was never there`() {
        var watch = SoundServerWatch()

        #expect(watch.lost(reason: "refused") == [])
        #expect(watch.connected(state()) == [])
    }

    @Test func `tells behind a reset that the device has gone`() {
        var watch = watching(state(stream: stream(on: usb)))

        _ = watch.lost(reason: "gone")
        let changes = watch.connected(state(devices: [speaker]))

        #expect(changes == [.mediaServicesWereReset, route(.oldDeviceUnavailable, usb, speaker)])
    }

    @Test func `tells what of other sounds can be heard when it changes`() {
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

    @Test func `takes a stream of a session that mixes for one that mixes`() {
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

    @Test func `forgets other sounds with the server`() {
        let foreign = ServerStream(index: 9, device: 0, application: "mpv")
        var watch = watching(state(others: [foreign]))

        #expect(
            watch.lost(reason: "gone")
                == [.mediaServicesWereLost(reason: "gone"), .otherAudio(.none)])
        #expect(
            watch.connected(state(others: [foreign]))
                == [.mediaServicesWereReset, .otherAudio(.nonMixable)])
    }

    @Test func `tells that the device sleeps only while something plays on it`() {
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

@Suite struct `A watch over routes` {
    private let playing = state(stream: stream(on: speaker))

    @Test func `tells reason 2 when the device that is played on goes (T58)`() {
        var watch = watching(state(stream: stream(on: usb)))

        let changes = watch.changed(state(devices: [speaker], stream: stream(on: speaker)))

        #expect(changes == [route(.oldDeviceUnavailable, usb, speaker)])
    }

    @Test func `tells reason 7 when no device is left`() {
        var watch = watching(playing)

        let changes = watch.changed(state(devices: [], defaultDevice: nil))

        #expect(changes == [route(.noSuitableRouteForCategory, speaker, nil)])
        #expect(watch.changed(state()) == [route(.newDeviceAvailable, nil, speaker)])
    }

    @Test func `tells reason 1 when a device comes and is played on`() {
        var watch = watching(state(devices: [speaker], stream: stream(on: speaker)))

        #expect(
            watch.changed(state(stream: stream(on: usb))) == [
                route(.newDeviceAvailable, speaker, usb)
            ])
    }

    @Test func `tells nothing when a device comes and is not played on`() {
        var watch = watching(state(devices: [speaker], stream: stream(on: speaker)))

        #expect(watch.changed(playing) == [])
    }

    @Test func `tells reason 4 when somebody moves the stream, or chooses another default`() {
        var moved = watching(playing)
        var chosen = watching(state())

        #expect(moved.changed(state(stream: stream(on: usb))) == [route(.override, speaker, usb)])
        #expect(chosen.changed(state(defaultDevice: "usb")) == [route(.override, speaker, usb)])
    }

    @Test func `tells reason 8 when the device plays at another rate`() {
        var faster = speaker
        faster.sampleRate = 48000
        var watch = watching(playing)

        let changes = watch.changed(
            state(devices: [faster, usb], stream: stream(on: speaker)))

        #expect(changes == [route(.routeConfigurationChange, speaker, faster)])
    }

    @Test func `tells reason 2 when the headphones of a device are pulled out, and 1 when put in`()
    {
        var headphones = speaker
        headphones.port = .headphones
        headphones.portName = "analog-output-headphones"
        let before = state(devices: [headphones, usb], stream: stream(on: speaker))
        var watch = watching(before)

        #expect(watch.changed(playing) == [route(.oldDeviceUnavailable, headphones, speaker)])
        #expect(watch.changed(before) == [route(.newDeviceAvailable, speaker, headphones)])
    }

    @Test func `tells reason 2 when the plug of the device is pulled, wherever the sound goes`() {
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

    @Test func `goes by names: a device with a new number is the same`() {
        var renumbered = speaker
        renumbered.index = 70
        var watch = watching(playing)

        let changes = watch.changed(state(devices: [renumbered], stream: stream(on: renumbered)))

        #expect(changes == [])
    }

    @Test func `keeps the route of a stream that is put away`() {
        var watch = watching(state(stream: stream(on: usb)))

        #expect(watch.changed(state()) == [])
        #expect(watch.changed(state(stream: stream(on: usb))) == [])
    }

    @Test func `keeps the route while the stream is on its way to a device`() {
        var nowhere = stream(on: usb)
        nowhere.device = .max
        var watch = watching(state(stream: stream(on: usb)))

        #expect(watch.changed(state(stream: nowhere)) == [])
    }

    @Test func `takes the device that the session prefers for its route`() {
        var watch = watching(state())

        watch.preferredDevice = "usb"

        #expect(watch.changed(state()) == [route(.override, speaker, usb)])
        #expect(watch.changed(state(stream: stream(on: usb))) == [])
    }

    @Test func `takes a device for new that takes the place of none`() {
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
