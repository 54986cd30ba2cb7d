import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Follows `Documentation/manual/rooms.md` to the letter, except for addresses, ports and
    /// devices.
    @Suite(.enabled(if: Rooms.canPlay, "snapserver and snapclient are not installed"))
    struct `Multiple rooms` {
        @Test(.comparesSamples)
        func `Multiple rooms play in sync what is played on the sink that feeds them`()
            throws
        {
            let server = try SoundServer()
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 30), to: "a.mp3")
            let rooms = try Rooms(server)

            let player = try Program(
                Program.undersong, ["play", "--device", "rooms", path],
                environment: server.environment)
            // A room that connects late, or starts on a busy machine, drifts into sync.
            let recording = try rooms.finish(after: 26)
            player.signal(SIGTERM)
            try player.wait()

            let offsets = Offsets(recording, last: 20)
            print("Two rooms: \(offsets)")
            // The clients need some seconds for a correction, and a busy machine holds one up for
            // longer: most of the time says whether they follow one clock.
            #expect(offsets.milliseconds.count >= 15)
            #expect(offsets.median < 10)
        }
    }
}

/// Two rooms that snapclients play in: the two halves of one sink, so that one recording contains
/// both.
private struct Rooms {
    private static let programs = ["/usr/bin/snapserver", "/usr/bin/snapclient"]
    private let players: [Program]
    private let recorder: Program

    /// True if snapserver and snapclient are installed.
    static var canPlay: Bool {
        programs.allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Loads the sinks into `server` and starts a snapserver that is fed by the sink `rooms`, and a
    /// snapclient for each room. Returns when the rooms are connected and the recording has
    /// started.
    init(_ server: SoundServer) throws {
        let fifo = server.folder.path + "/snapfifo"
        let port = try NetworkServer.freePort()
        let all = "front-left,front-right,rear-left,rear-right"
        try server.load(
            "module-null-sink sink_name=house rate=44100 format=s16le channels=4 "
                + "channel_map=\(all) norewinds=1")
        for (room, half) in [
            ("kitchen", "front-left,front-right"), ("bath", "rear-left,rear-right"),
        ] {
            try server.load(
                "module-remap-sink sink_name=\(room) master=house channels=2 remix=no "
                    + "master_channel_map=\(half) channel_map=front-left,front-right")
        }
        let feeder = try Program(
            Self.programs[0],
            [
                "--config=/dev/null", "--server.datadir=\(server.folder.path)",
                "--http.enabled=false", "--tcp.enabled=false",
                "--stream.bind_to_address=127.0.0.1", "--stream.port=\(port)",
                "--stream.source=pipe://\(fifo)?name=rooms&mode=create&sampleformat=44100:16:2",
                "--stream.codec=pcm",
            ], environment: server.environment)
        try feeder.waitForOutput { String(decoding: $0, as: UTF8.self).contains("(StreamServer)") }
        try server.load(
            "module-pipe-sink sink_name=rooms file=\(fifo) rate=44100 format=s16le channels=2")
        let rooms = try ["kitchen", "bath"].map { room in
            try Program(
                Self.programs[1],
                [
                    "--host=127.0.0.1", "--port=\(port)", "--hostID=\(room)",
                    "--soundcard=\(room)", "--player=pulse:server=\(server.address)",
                ], environment: server.environment)
        }
        for room in rooms {
            try room.waitForOutput {
                String(decoding: $0, as: UTF8.self).contains("diff to server")
            }
        }
        recorder = try Program(
            "/usr/bin/parec",
            [
                "-d", "house.monitor", "--raw", "--format=s16le", "--rate=44100", "--channels=4",
                "--channel-map=\(all)",
            ], environment: server.environment)
        players = [feeder] + rooms
    }

    /// Waits for `seconds` of the rooms' time and returns both rooms' left channels.
    func finish(after seconds: Double) throws -> [[Float]] {
        try recorder.waitForOutput { $0.count >= Int(seconds * 44100) * 8 }
        for program in players + [recorder] { program.signal(SIGKILL) }
        try recorder.wait()
        return recorder.data.withUnsafeBytes { bytes in
            let samples = bytes.bindMemory(to: Int16.self)
            return [0, 2].map { channel in
                stride(from: channel, to: samples.count - 3, by: 4).map { Float(samples[$0]) }
            }
        }
    }
}

/// The delay of the second room after the first, once a second.
private struct Offsets: CustomStringConvertible {
    private static let window = 1024
    /// The largest offset, in frames, that can be found.
    private static let reach = 1102
    private(set) var milliseconds: [Double] = []

    /// Compares the last `seconds` of two rooms that both have sound.
    init(_ rooms: [[Float]], last seconds: Int) {
        let count = min(rooms[0].count, rooms[1].count)
        rooms[0].withUnsafeBufferPointer { first in
            rooms[1].withUnsafeBufferPointer { second in
                for start in (1...seconds).map({ count - $0 * 44_100 }).reversed()
                where start >= Self.reach {
                    let lags = -Self.reach...(min(Self.reach, count - Self.window - start))
                    let scores = lags.map { lag in
                        Self.product(first, start, second, start + lag)
                    }
                    let own = Self.product(first, start, first, start)
                    guard own > 0, let best = scores.max(), best > own / 5 else { continue }
                    let lag = lags.lowerBound + (scores.firstIndex(of: best) ?? 0)
                    milliseconds.append(Double(lag) / 44.1)
                }
            }
        }
    }

    /// The size that half of the offsets do not exceed, in milliseconds.
    var median: Double {
        let sizes = milliseconds.map(abs).sorted()
        return sizes.isEmpty ? .infinity : sizes[sizes.count / 2]
    }

    var description: String {
        let sizes = milliseconds.map(abs)
        let drift = (milliseconds.last ?? 0) - (milliseconds.first ?? 0)
        return String(
            format: "apart by %.2f ms on average, %.2f ms at most, drift %.2f ms in %ld s",
            sizes.reduce(0, +) / Double(max(1, sizes.count)), sizes.max() ?? 0, drift,
            milliseconds.count - 1)
    }

    private static func product(
        _ first: UnsafeBufferPointer<Float>, _ start: Int, _ second: UnsafeBufferPointer<Float>,
        _ other: Int
    ) -> Float {
        var sum: Float = 0
        var index = 0
        while index < window {
            sum += first[start + index] * second[other + index]
            index += 1
        }
        return sum
    }
}
