import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongPlayback

@testable import UndersongAudioSession

/// A session on a server controlled by the test: nothing sounds, and no server is needed.
@Suite(.blockingThreads, .timeLimit(.minutes(5)))
struct `A session that listens to a sound server` {
    @Test func `A session announces itself to a sound server, and reports it and its devices`()
        async
    {
        let stage = Stage()

        let report = await stage.listen()

        #expect(report.server == "scripted 1")
        #expect(report.devices.map(\.name) == ["speaker", "usb"])
        #expect(report.current?.name == "speaker")
        #expect(report.lostReason == nil)
        #expect(stage.announcements.last?.name == "Undersong")
        #expect(stage.announcements.last?.isMixable == false)
        await stage.session.stop()
    }

    @Test func `A session with a sound server keeps an answer that comes before it is awaited`()
        async throws
    {
        let clock = ManualClock()
        let stage = Stage(clock: clock)
        let session = stage.session
        let hasReport = Mutex(false)
        stage.server.whenAnswered {
            session.executor.queue.async { session.engine.assumeIsolated { $0.catchUp() } }
        }

        let report = Task {
            let report = await stage.listen()
            hasReport.withLock { $0 = true }
            return report
        }
        let end = clock.now + 60_000_000_000
        try await eventually { hasReport.withLock { $0 } || clock.dueTimes.contains(end) }

        #expect(hasReport.withLock { $0 })
        clock.advance(by: 60)
        #expect(await report.value.server == "scripted 1")
        await stage.session.stop()
    }

    @Test func `A session with a sound server reports why there is no server`() async {
        let stage = Stage(nil)

        let report = await stage.listen()

        #expect(report.server == nil)
        #expect(report.lostReason == "Connection refused")
        await stage.session.stop()
    }

    @Test func `A session is interrupted by a call, until the server is lost with it`() async throws
    {
        let stage = Stage()
        _ = await stage.listen()

        stage.server.change { $0.streams = [call] }
        let began = try stage.event { if case .interruption(let event) = $0 { event } else { nil } }
        let isAllowed = await stage.session.isAllowed
        stage.server.lose()
        let reason = try stage.event {
            if case .mediaServicesWereLost(let reason) = $0 { reason } else { nil }
        }
        let ended = try stage.event { if case .interruption(let event) = $0 { event } else { nil } }

        let source = InterruptionSource.call(application: "Phone")
        #expect(began == InterruptionEvent(hasBegun: true, source: source))
        #expect(!isAllowed)
        #expect(reason == "It is gone")
        #expect(ended == InterruptionEvent(hasBegun: false, source: source, shouldResume: true))
        #expect(await stage.session.isAllowed)
        await stage.session.stop()
    }

    @Test func `A session with a sound server moves its stream to a chosen device`() async {
        let stage = await Stage.playing()

        await stage.session.setOutputDevice("usb")

        #expect(stage.server.requests.last == .move(3, to: "usb"))
        await stage.session.stop()
    }

    @Test
    func `A session with a sound server reports its move once the stream is on the chosen device`()
        async throws
    {
        let clock = ManualClock()
        let stage = await Stage.playing(moving: .later, clock: clock)
        await stage.session.setOutputDevice("usb")

        async let arrival = stage.arrival(within: 50)
        try await stage.beginsToWait(50, clock)
        let early = await stage.listen().current?.name
        stage.server.change { $0.streams[0].device = usb.index }

        #expect(early == "speaker")
        #expect(await arrival == (true, "usb"))
        await stage.session.stop()
    }

    @Test func `A session knows at once that the server refuses to move its stream`() async {
        // Its time does not pass.
        let stage = await Stage.playing(moving: .refused, clock: ManualClock())

        await stage.session.setOutputDevice("usb")

        #expect(await stage.arrival(within: 60) == (false, "speaker"))
        await stage.session.stop()
    }

    @Test func `A session does not wait for ever for a move that does not happen`() async throws {
        let clock = ManualClock()
        let stage = await Stage.playing(moving: .later, clock: clock)
        await stage.session.setOutputDevice("usb")

        async let arrival = stage.arrival(within: 2)
        try await stage.beginsToWait(2, clock)
        clock.advance(by: 2)

        #expect(await arrival == (false, "speaker"))
        await stage.session.stop()
    }

    @Test func `A session moves its stream again if the device is chosen again`() async {
        let stage = await Stage.playing()
        await stage.session.setOutputDevice("usb")
        stage.server.change { $0.streams[0].device = speaker.index }

        await stage.session.setOutputDevice("usb")

        #expect(await stage.arrival(within: 60) == (true, "usb"))
        await stage.session.stop()
    }

    @Test
    func `A session with a sound server reports the chosen device before anything plays on it`()
        async
    {
        let stage = Stage()
        _ = await stage.listen()

        await stage.session.setOutputDevice("usb")

        #expect(await stage.arrival(within: 60) == (true, "usb"))
        await stage.session.stop()
    }

    @Test func `A session waits for a device that disappeared, and forbids sound meanwhile`()
        async throws
    {
        let stage = Stage()
        stage.server.change { server in
            server.streams = [ownStream]
            server.streams[0].device = 1
        }
        await stage.session.player.set { $0.unplugPolicy = .wait }
        _ = await stage.listen()

        stage.server.change { server in
            server.devices.removeLast()
            server.streams[0].device = 0
        }
        let forbidden = try stage.event { kind -> [SuppressionReason]? in
            guard case .policy(let decision) = kind, !decision.reasons.isEmpty else { return nil }
            return decision.reasons
        }
        stage.server.change { $0.devices.append(usb) }
        let allowed = try stage.event { kind -> [SuppressionReason]? in
            if case .policy(let decision) = kind { decision.reasons } else { nil }
        }

        #expect(forbidden == [.deviceMissing])
        #expect(allowed == [])
        await stage.session.stop()
    }

    @Test func `A session receives nothing from a sound server after its end`() async throws {
        let stage = Stage()
        _ = await stage.listen()
        await stage.session.stop()
        let count = stage.events.rest.count

        stage.server.change { $0.streams = [call] }
        _ = await stage.session.report

        #expect(stage.events.rest.count == count)
    }
}

private let speaker = OutputDevice(name: "speaker", index: 0)
private let usb = OutputDevice(name: "usb", index: 1)
private let call = ServerStream(index: 20, device: 0, application: "Phone", role: "phone")

private var ownStream: ServerStream {
    var stream = ServerStream(index: 3, device: 0, application: "Undersong")
    stream.isOwn = true
    return stream
}

private struct Stage {
    let server: ScriptedSoundServer
    let session: AudioSession
    let events = Inbox<PlayerEvent>()

    /// A session on a server with two devices, or on one that does not answer.
    init(
        _ devices: [OutputDevice]? = [speaker, usb], moving: ScriptedSoundServer.Moving = .atOnce,
        clock: (any HostClock)? = nil
    ) {
        let state = devices.map { devices in
            var state = SoundServerState()
            state.name = "scripted 1"
            state.devices = devices
            state.defaultDevice = devices.first?.name
            return state
        }
        server = ScriptedSoundServer(state, moving: moving)
        var configuration = SessionConfiguration()
        if let clock { configuration.clock = clock }
        configuration.soundServer = server
        session = AudioSession(configuration)
        session.subscribe { [events] in events.put($0) }
        // Tests block the shared threads while they await an event.
        Task(executorPreference: session.executor) { [session] in await session.run() }
    }

    var announcements: [SessionAnnouncement] {
        server.requests.compactMap { if case .announce(let session) = $0 { session } else { nil } }
    }

    /// A session that listens to a server on which its stream is.
    static func playing(
        moving: ScriptedSoundServer.Moving = .atOnce, clock: (any HostClock)? = nil
    ) async -> Stage {
        let stage = Stage(moving: moving, clock: clock)
        stage.server.change { $0.streams = [ownStream] }
        _ = await stage.listen()
        return stage
    }

    func listen() async -> Outputs { await session.outputs(waitingUpTo: 60) }

    /// True if the stream reached its device in time, and the device that it is on then.
    func arrival(within seconds: Double) async -> (Bool, String?) {
        let hasArrived = await session.soundHasMoved(within: seconds)
        return (hasArrived, await listen().current?.name)
    }

    /// Returns once an arrival within `seconds` is waited for.
    func beginsToWait(_ seconds: Int64, _ clock: ManualClock) async throws {
        let end = clock.now + seconds * 1_000_000_000
        try await eventually { clock.dueTimes.contains(end) }
    }

    /// The result of `value` for the next event for which it has one.
    func event<Value>(_ value: (PlayerEvent.Kind) -> Value?) throws -> Value {
        while true { if let value = value(try events.next().kind) { return value } }
    }
}
