import Foundation
import Testing

/// A sink, with its own sound server, on which to test the player.
struct Sink: Sendable {
    /// The source on which every frame played by the sink can be read as the player wrote it.
    enum Proof: Sendable {
        /// The monitor of the null sink `test`.
        case monitor
        /// The monitor on the server to which a tunnel leads.
        case farMonitor
        /// The other end of the pipe.
        case pipe
        /// Nowhere, for this reason.
        case none(String)
    }

    let name: String
    var kind = SoundServer.Kind.pulseAudio
    /// The sample rate of the null sink `test`, in Hz.
    var rate = 44100
    /// The modules to load, in this order, with their arguments. `FIFO` stands for a path created
    /// by the test.
    var modules: [String] = []
    let proof: Proof
    /// The accepted pace: seconds of music per second, as reported by the player.
    var pace = 0.98...1.02

    /// As PulseAudio loads it by itself: it takes large blocks and rewinds, as sound cards do. It
    /// is not recorded, since a recorder would make its blocks short.
    private static let plain = "module-null-sink sink_name=plain"
    private static let rewound = Proof.none("what it takes back, it has given the monitor")
    private static let resampled = Proof.none("the server resamples it")

    static let all =
        [
            Sink(name: "test", proof: .monitor),
            Sink(name: "plain", modules: [plain], proof: rewound),
            Sink(
                name: "remapped",
                modules: [plain, "module-remap-sink sink_name=remapped master=plain"],
                proof: rewound),
            Sink(
                name: "virtual",
                modules: [plain, "module-virtual-sink sink_name=virtual master=plain"],
                proof: rewound),
            Sink(
                name: "mono",
                modules: [
                    plain,
                    "module-remap-sink sink_name=mono master=plain channels=1 channel_map=mono",
                ], proof: rewound),
            Sink(
                name: "fast", modules: ["module-null-sink sink_name=fast rate=48000"],
                proof: resampled),
            Sink(
                name: "six",
                modules: ["module-null-sink sink_name=six rate=48000 channels=6 format=float32le"],
                proof: resampled),
            // Its reported latency varies by 0.15 s in the first seconds, with mpv too.
            Sink(
                name: "combined",
                modules: [
                    plain, "module-null-sink sink_name=other",
                    "module-combine-sink sink_name=combined slaves=plain,other",
                ], proof: .none("the server resamples it, to keep both sinks in step"),
                pace: 0.85...1.15),
            Sink(
                name: "virtual test",
                modules: ["module-virtual-sink sink_name=virtual-test master=test"],
                proof: .monitor),
            Sink(name: "tunnel", proof: .farMonitor),
            Sink(
                name: "pipe",
                modules: [
                    "module-pipe-sink sink_name=pipe file=FIFO rate=44100 format=s16le channels=2 "
                        + "use_system_clock_for_timing=yes"
                ], proof: .pipe),
            Sink(
                name: "paced pipe",
                modules: [
                    "module-pipe-sink sink_name=paced-pipe file=FIFO rate=44100 format=s16le "
                        + "channels=2"
                ], proof: .pipe),
        ] + pipeWire

    private static let pipeWire: [Sink] =
        SoundServer.Kind.installed.contains(.pipeWire)
        ? [44100, 48000].map { rate in
            // The position within a cycle, up to 46 ms, is determined while a run of 1 s begins.
            Sink(
                name: "PipeWire at \(rate) Hz", kind: .pipeWire, rate: rate,
                proof: .none("a cork is exact only to what PipeWire takes at a time"),
                pace: 0.95...1.05)
        } : []

    /// Its name on the sound server.
    var device: String {
        kind == .pipeWire ? "test" : name.replacing(" ", with: "-")
    }
}

extension Sink: CustomTestStringConvertible {
    var testDescription: String { name }
}

/// A sink with its server and its recording.
final class SinkStage: Sendable {
    let server: SoundServer
    /// The server to which a tunnel leads.
    private let farServer: SoundServer?
    private let recording: Recording?
    private let proof: Sink.Proof

    /// Starts the server and waits until the sink exists.
    init(_ sink: Sink) throws {
        server = try SoundServer(sink.kind, rate: sink.rate, isVerbose: true)
        let fifo = server.folder.path + "/fifo"
        for module in sink.modules { try server.load(module.replacing("FIFO", with: fifo)) }
        switch sink.proof {
        case .monitor, .none:
            (farServer, recording) = (nil, nil)
        case .farMonitor:
            let far = try SoundServer()
            let network = try NetworkServer(far)
            try server.load(
                "module-tunnel-sink sink_name=\(sink.device) server=\(network.address) sink=test "
                    + "cookie=\(network.cookie)")
            farServer = far
            recording = try Recording(far)
        case .pipe:
            farServer = nil
            let isPaced = !sink.modules.contains { $0.contains("system_clock") }
            recording = Recording(of: try Self.reader(of: fifo, isPaced: isPaced))
        }
        proof = sink.proof
    }

    /// Ends the session and returns the recording; nil if it cannot be compared.
    func finish(_ studio: Studio) async throws -> [Frame]? {
        let monitored = try await studio.stop()
        switch proof {
        case .monitor: return monitored
        case .farMonitor: return try recording?.finish()
        case .pipe:
            // A pipe that nothing is played into may have no more data.
            server.stop()
            return try recording?.finishWithServer()
        case .none: return nil
        }
    }

    /// Reads a pipe as fast as possible or, if paced, at the pace of the music.
    private static func reader(of path: String, isPaced: Bool) throws -> Program {
        guard isPaced else { return try Program("/usr/bin/cat", [path]) }
        let script = """
            import sys, time
            pipe, due = open(sys.argv[1], "rb", buffering=0), time.monotonic()
            while data := pipe.read(1764):
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()
                due += len(data) / 176400
                time.sleep(max(0, due - time.monotonic()))
            """
        return try Program("/usr/bin/python3", ["-c", script, path])
    }
}
