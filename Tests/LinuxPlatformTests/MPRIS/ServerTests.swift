import Synchronization
import TestSupport
import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongLinuxPlatform

/// A server on a bus of its own, with a player that does what the test says.
@Suite(.blockingThreads, .serialized) struct `A player on a bus` {
    @Test func `A player on a bus is found by its name, and by another if that is taken`() throws {
        let bus = try MessageBus()
        try bus.start()
        let (first, second) = (Stage(bus), Stage(bus))
        defer { [first, second].forEach { $0.server.stop() } }

        try first.begin()
        try waitUntil { try bus.names().contains("org.mpris.MediaPlayer2.test") }
        try second.begin()

        try waitUntil { try bus.names().contains("org.mpris.MediaPlayer2.test.instance9") }
    }

    @Test func `A player on a bus answers reads from what it has shown, however many there are`()
        throws
    {
        let bus = try MessageBus()
        try bus.start()
        let stage = Stage(bus)
        defer { stage.server.stop() }
        try stage.begin()
        try waitUntil { try bus.names().contains("org.mpris.MediaPlayer2.test") }

        let volumes = try (0..<20).map { _ in try bus.property("Volume") }

        #expect(Set(volumes) == ["d 0.5"])
        #expect(stage.player.refreshes.rest == [])
    }

    @Test func `A player on a bus asks for a position that is old, and answers with a new one`()
        throws
    {
        let bus = try MessageBus()
        try bus.start()
        let stage = Stage(bus)
        defer { stage.server.stop() }
        try stage.begin()
        try waitUntil { try bus.names().contains("org.mpris.MediaPlayer2.test") }

        let fresh = try bus.property("Position")
        stage.clock.advance(by: 2)
        let old = try bus.property("Position")

        #expect(fresh == "x 2000000")
        #expect(old == "x 7000000")
        #expect(stage.player.refreshes.rest == [1])
    }

    @Test func `A player on a bus passes commands on, and errors back`() throws {
        let bus = try MessageBus()
        try bus.start()
        let stage = Stage(bus)
        defer { stage.server.stop() }
        try stage.begin()
        try waitUntil { try bus.names().contains("org.mpris.MediaPlayer2.test") }

        let next = try bus.call("Next")
        let stop = try bus.call("Stop")
        let unknown = try bus.call("Dance")

        #expect(next == "" && stop.contains("cannot stop: It is a test"))
        #expect(unknown.contains("No such method"))
        #expect(stage.player.commands.rest == [.player(.next), .player(.stop)])
    }

    @Test func `A player waits for a bus that comes later, and for one that was lost`() throws {
        let bus = try MessageBus()
        let stage = Stage(bus)
        defer { stage.server.stop() }
        stage.server.start(stage.player)

        for _ in 0..<2 {
            try bus.start()
            try stage.player.beginnings.wait()
            stage.server.update(stage.player.state)
            try waitUntil { try bus.names().contains("org.mpris.MediaPlayer2.test") }
            #expect(try bus.property("Volume") == "d 0.5")
            bus.stop()
            try waitUntil { !stage.server.isConnected }
        }
    }

    @Test func `A player ends at once without a bus, and with one that does not answer`() throws {
        let bus = try MessageBus()
        let missing = Stage(bus)
        missing.server.start(missing.player)
        missing.server.stop()

        try bus.start()
        let there = Stage(bus)
        try there.begin()
        there.server.stop()

        #expect(!missing.server.isConnected && !there.server.isConnected)
    }
}

/// A server and its player.
private final class Stage: Sendable {
    let player: ScriptedPlayer
    let server: MPRISServer
    let clock = ManualClock(now: 1_000_000)

    init(_ bus: MessageBus) {
        server = MPRISServer(
            names: BusName.names(["test"], process: 9),
            bus: BusService(.at(bus.address), clock: SystemClock()), clock: clock)
        player = ScriptedPlayer(server)
    }

    /// Starts, and shows the player when there is a bus.
    func begin() throws {
        server.start(player)
        try player.beginnings.wait()
        server.update(player.state)
    }
}

private final class ScriptedPlayer: MPRISPlayer {
    let state = MediaPlayerState.playing
    let beginnings = Beginnings()
    let refreshes = Inbox<Int>()
    let commands = Inbox<MediaPlayerCommand>()
    private let server: MPRISServer

    init(_ server: MPRISServer) { self.server = server }

    func begin() { beginnings.inbox.put(1) }

    func refresh(_ done: @escaping @Sendable () -> Void) {
        refreshes.put(1)
        server.update(
            state.with { state in
                state.position = PlaybackPosition(
                    microseconds: 7_000_000, hostTime: 2_001_000_000, rate: 1)
            })
        done()
    }

    func perform(
        _ command: MediaPlayerCommand, _ done: @escaping @Sendable (BusError?) -> Void
    ) {
        commands.put(command)
        done(command == .player(.stop) ? BusError(.failed, "cannot stop: It is a test") : nil)
    }
}

/// The number of buses so far.
private final class Beginnings: Sendable {
    let inbox = Inbox<Int>()
    func wait() throws { _ = try inbox.next() }
}
