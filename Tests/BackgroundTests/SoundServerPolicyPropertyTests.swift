import Testing
import UndersongBackground
import UndersongBase
import UndersongPlayback

/// Random inputs, the same in every run, from a server that is lost now and then and whose devices,
/// streams and sessions come and go.
@Suite struct `The sound server policy under random events` {
    @Test(
        arguments: [
            [.session, .stream], .session, .stream,
        ] as [SoundServerPolicy.Scope])
    func `A sound server's policy pairs all begins and ends, and undoes what it did`(
        scope: SoundServerPolicy.Scope
    ) {
        for seed in 0..<200 {
            var server = RandomServer(scope: scope, seed: UInt64(seed))
            for _ in 0..<150 where server.faults.isEmpty { server.step() }
            server.finish()

            #expect(server.faults == [], "seed \(seed)")
            guard server.faults.isEmpty else { return }
        }
    }
}

/// A server, a policy that follows it, and the results of the policy's effects.
private struct RandomServer {
    private static let devices = ["speaker", "usb", "hdmi"]
    /// No step of a ramp from one of these volumes is close to another.
    private static let volumes: [Float] = [1, 0.56]

    private(set) var faults: [String] = []
    private var generator: SeededGenerator
    private var policy: SoundServerPolicy
    private let scope: SoundServerPolicy.Scope

    // The server.
    private var isConnected = false
    private var state = SoundServerState()
    /// The volume that somebody wants for each stream of another program.
    private var wanted: [UInt32: Float] = [:]
    private var time: Int64 = 0
    private var firstIndex: UInt32 = 100

    // The results of the effects.
    private var interruptions: [InterruptionSource] = []
    private var isDucked = false
    private var isMissing = false
    private var isRamping = false
    private var isLost = false
    private var announced: SessionAnnouncement?

    init(scope: SoundServerPolicy.Scope, seed: UInt64) {
        self.scope = scope
        generator = SeededGenerator(seed: seed)
        policy = SoundServerPolicy(scope: scope, identifier: "ours", name: "Ours")
        setUpServer()
    }

    mutating func step() {
        // Inputs about devices go only to a policy for a stream.
        let isForStream = scope.contains(.stream)
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<8: change()
        case 8: isConnected ? lose() : connect()
        case 9: if !isConnected { feed(.event(.unavailable(reason: "refused"))) }
        case 10:
            time += 1
            interruptions.removeAll(where: \.isOverridable)
            feed(.activated(at: time))
        case 11: feed(.deactivated(notifyingOthers: Bool.random(using: &generator)))
        case 12: feed(.mix(pick(MixingMode.allCases), .playback))
        case 13: feed(.setPlaying(Bool.random(using: &generator)))
        case 14 where isForStream: feed(.chooseDevice(pick(Self.devices + [nil])))
        case 15 where isForStream: feed(.setUnplugPolicy(pick(UnplugPolicy.allCases)))
        case 16 where isForStream: feed(.willOpenStream)
        case 17 where isForStream: feed(.willPlay)
        case 18:
            isConnected = false
            feed(.serverReplaced)
            checkVolumes()
            setUpServer()
        default: if isRamping { feed(.rampStep) }
        }
    }

    /// Ends everything in progress, after which nothing of it may be left.
    mutating func finish() {
        if !isConnected { connect() }
        for name in Self.devices where !state.devices.contains(where: { $0.name == name }) {
            addDevice(name)
        }
        state.streams.removeAll { $0.role == "phone" }
        state.sessions = []
        feed(.event(.changed(state)))
        feed(.setPlaying(false))
        for _ in 0..<30 where isRamping {
            feed(.rampStep)
            feed(.event(.changed(state)))
        }
        check(!isRamping, "a ramp does not end")
        check(interruptions.isEmpty, "interruptions stay: \(interruptions)")
        check(!isDucked, "it stays ducked")
        check(!isMissing, "a device is missing, and all are there")
        checkVolumes()
        if let announced { check(announced == policy.announcement, "it announced another") }
    }

    /// Other programs are as loud as they are wanted to be.
    private mutating func checkVolumes() {
        for stream in state.streams where !stream.isOwn {
            let wanted = wanted[stream.index] ?? 1
            check(abs(stream.volume - wanted) < 0.001, "\(stream.volume), not \(wanted)")
        }
    }

    // MARK: The server

    private mutating func setUpServer() {
        state = SoundServerState()
        wanted = [:]
        firstIndex += 10
        addDevice("speaker")
        state.defaultDevice = "speaker"
    }

    private mutating func connect() {
        isConnected = true
        feed(.event(.connected(state)))
        check(!isLost, "it does not hear that the server is back")
    }

    /// Recreates what was on the server, as loud as it is wanted to be.
    private mutating func lose() {
        isConnected = false
        feed(.event(.lost(reason: "gone", hostTime: time)))
        check(isLost, "it does not hear that the server is lost")
        setUpServer()
    }

    private mutating func change() {
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: toggleDevice(pick(Self.devices))
        case 1: toggleOwnStream()
        case 2: toggleStream("Phone", role: "phone", at: 1)
        case 3: toggleStream("mpv", role: "music", at: 2)
        case 4: toggleSession("Other", isPrompt: false)
        case 5: toggleSession("Prompt", isPrompt: true)
        default:
            if let index = state.streams.firstIndex(where: { !$0.isOwn }) {
                let volume = pick(Self.volumes)
                state.streams[index].volume = volume
                wanted[state.streams[index].index] = volume
            }
        }
        guard isConnected else { return }
        feed(.event(.changed(state)))
    }

    private mutating func toggleDevice(_ name: String) {
        if state.devices.contains(where: { $0.name == name }) {
            state.devices.removeAll { $0.name == name }
        } else {
            addDevice(name)
        }
        state.defaultDevice = state.devices.first?.name
        let indices = state.devices.map(\.index)
        for place in state.streams.indices where !indices.contains(state.streams[place].device) {
            state.streams[place].device = indices.first ?? .max
        }
    }

    private mutating func addDevice(_ name: String) {
        let index = firstIndex + UInt32(Self.devices.firstIndex(of: name) ?? 0)
        state.devices.append(OutputDevice(name: name, index: index))
    }

    private mutating func toggleOwnStream() {
        if state.ownStream != nil { return state.streams.removeAll(where: \.isOwn) }
        guard let device = state.devices.first else { return }
        var stream = ServerStream(
            index: firstIndex, device: device.index, application: "Undersong")
        stream.isOwn = true
        state.streams.append(stream)
    }

    private mutating func toggleStream(_ name: String, role: String, at place: UInt32) {
        if state.streams.contains(where: { $0.role == role }) {
            return state.streams.removeAll { $0.role == role }
        }
        guard let device = state.devices.first else { return }
        var stream = ServerStream(
            index: firstIndex + place, device: device.index, application: name, role: role)
        stream.volume = pick(Self.volumes)
        wanted[stream.index] = stream.volume
        state.streams.append(stream)
    }

    private mutating func toggleSession(_ name: String, isPrompt: Bool) {
        if state.sessions.contains(where: { $0.name == name }) {
            return state.sessions.removeAll { $0.name == name }
        }
        time += 1
        var session = RemoteSession(identifier: name, name: name)
        (session.isActive, session.activationTime) = (true, time)
        (session.isMixable, session.ducksOthers) = (isPrompt, isPrompt)
        state.sessions.append(session)
    }

    // MARK: The policy

    private mutating func feed(_ input: SoundServerPolicy.Input) {
        for effect in policy.handle(input) { perform(effect) }
        if !isConnected {
            check(interruptions.isEmpty, "interrupted without a server: \(interruptions)")
            check(!isDucked, "ducked without a server")
        } else if scope.contains(.session) {
            let isCalled = state.streams.contains { $0.role == "phone" }
            let call = InterruptionSource.call(application: "Phone")
            if case .event = input {
                check(interruptions.contains(call) == isCalled, "a call is not what it is")
            }
        }
        check(policy.gain == (isDucked ? Ducking.factor : 1), "its gain is another")
    }

    private mutating func perform(_ effect: SoundServerPolicy.Effect) {
        switch effect {
        case .interruptionBegan(let source):
            check(!interruptions.contains(source), "\(source) has begun twice")
            interruptions.append(source)
        case .interruptionEnded(let source, _):
            check(interruptions.contains(source), "\(source) has ended without a begin")
            interruptions.removeAll { $0 == source }
        case .ducked(let isNow):
            check(isNow != isDucked, "it is ducked twice")
            isDucked = isNow
        case .setDeviceMissing(let isNow): isMissing = isNow
        case .mediaServicesWereLost: isLost = true
        case .mediaServicesWereReset: isLost = false
        case .announce(let announcement): announced = announcement
        case .beginRamp:
            check(!isRamping, "it ramps twice")
            isRamping = true
        case .endRamp:
            check(isRamping, "it ends no ramp")
            isRamping = false
        case .setVolumes(let volumes):
            for (index, volume) in volumes {
                guard let place = state.streams.firstIndex(where: { $0.index == index }) else {
                    continue
                }
                check(!state.streams[place].isOwn, "it makes itself softer")
                state.streams[place].volume = volume
            }
        case .moveStream(let index, let name):
            check(index == state.ownStream?.index, "it moves what is not its own")
            let device = state.devices.first { $0.name == name }
            check(device != nil, "it moves to \(name), which is not there")
            if let device { moveOwnStream(to: device) }
        case .useDevice(let name):
            let isThere = state.devices.contains { $0.name == name }
            check(!isConnected || name == nil || isThere, "it uses a device that is not there")
        case .server(.present): check(isConnected, "it takes a server for present")
        case .server: check(!isConnected, "it takes a server for gone")
        case .routeChanged, .otherAudio, .pause, .volumeChanged, .muteChanged, .deviceSuspended,
            .deviceSilent, .answered:
            break
        }
        checkScope(of: effect)
    }

    private mutating func moveOwnStream(to device: OutputDevice) {
        guard let place = state.streams.firstIndex(where: \.isOwn) else { return }
        state.streams[place].device = device.index
    }

    private mutating func checkScope(of effect: SoundServerPolicy.Effect) {
        switch effect {
        case .interruptionBegan, .interruptionEnded, .ducked, .routeChanged, .otherAudio, .announce:
            check(scope.contains(.session), "\(effect) is the session's")
        case .server, .pause, .useDevice, .setDeviceMissing, .moveStream, .volumeChanged,
            .muteChanged, .deviceSuspended, .deviceSilent:
            check(scope.contains(.stream), "\(effect) is the player's")
        case .setVolumes, .beginRamp, .endRamp:
            check(scope == [.session, .stream], "\(effect) is a player's with a session")
        case .mediaServicesWereLost, .mediaServicesWereReset, .answered: break
        }
    }

    private mutating func check(_ isSo: Bool, _ fault: String) {
        if !isSo, faults.count < 5 { faults.append(fault) }
    }

    private mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
        choices[Int.random(in: 0..<choices.count, using: &generator)]
    }
}
