import Foundation
import Synchronization
import TestSupport
import UndersongBase
import UndersongPlayback

@testable import UndersongAudioIO

/// A test's own sound server with a null sink named `test`, in a private runtime folder.
final class SoundServer: Sendable {
    enum Kind: CaseIterable {
        case pulseAudio
        /// PipeWire, with WirePlumber and pipewire-pulse.
        case pipeWire

        /// The servers installed on this machine.
        static let installed = allCases.filter { kind in
            kind == .pulseAudio
                || FileManager.default.isExecutableFile(atPath: "/usr/bin/pipewire-pulse")
        }
    }

    let folder: URL
    /// The environment in which a program finds this server and no other.
    let environment: [String: String]
    private let kind: Kind
    private let modules: [String]
    private let logLevel: String
    /// A message bus, which WirePlumber needs.
    private let bus: Program?
    private let programs = Mutex<[Program]>([])

    /// Starts a server and waits until it answers. PulseAudio loads `modules`, each with its
    /// arguments, after the null sink. `rate` is the null sink's. PipeWire uses a quantum of
    /// `quantum` frames; nil for the smallest that its clients request. With `isVerbose` it counts
    /// `underruns`.
    init(
        _ kind: Kind = .pulseAudio, modules: [String] = [], rate: Int = 44100,
        quantum: Int? = nil, isVerbose: Bool = false
    ) throws {
        self.kind = kind
        folder = FileManager.default.temporaryDirectory.appending(path: "undersong-\(UUID())")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        environment = [
            "XDG_RUNTIME_DIR": folder.path, "HOME": folder.path,
            "PULSE_SERVER": "unix:\(folder.path)/pulse/native",
            "XDG_CONFIG_HOME": folder.path + "/config", "XDG_STATE_HOME": folder.path + "/state",
            "DBUS_SESSION_BUS_ADDRESS": "",
        ]
        logLevel = isVerbose ? "debug" : "notice"
        let sink =
            "module-null-sink sink_name=test rate=\(rate) format=s16le channels=2 norewinds=1"
        self.modules = [sink] + modules
        bus = kind == .pipeWire ? try Self.startBus(in: folder) : nil
        if kind == .pipeWire { try Self.configurePipeWire(in: folder, rate: rate, quantum) }
        try start()
    }

    deinit {
        RuntimeFolder.endService(in: folder.path)
        stop()
        try? FileManager.default.removeItem(at: folder)
    }

    var address: String { "unix:\(folder.path)/pulse/native" }
    /// The folder of its socket.
    var socketFolder: String { folder.path + "/pulse" }

    /// Starts the server, also after `stop`, and waits until it answers.
    func start() throws {
        switch kind {
        case .pulseAudio: try run("/usr/bin/pulseaudio", arguments(socket: "native"))
        case .pipeWire:
            try run("/usr/bin/pipewire", [])
            // The other programs end if they cannot connect.
            try waitUntil { try isDone("/usr/bin/pw-cli", "info", "0") }
            try run("/usr/bin/wireplumber", [])
            try run("/usr/bin/pipewire-pulse", [])
        }
        try waitUntilReady(in: environment)
    }

    /// Starts the server again after `stop` and returns the result of `prepare`, which gets an
    /// environment to find the server in. Other programs find PulseAudio only after that.
    func start<Result>(preparing prepare: ([String: String]) throws -> Result) throws -> Result {
        guard kind == .pulseAudio else {
            try start()
            return try prepare(environment)
        }
        let hidden = socketFolder + "/hidden"
        let environment = environment.merging(["PULSE_SERVER": "unix:" + hidden]) { $1 }
        try run("/usr/bin/pulseaudio", arguments(socket: hidden))
        try waitUntilReady(in: environment)
        let result = try prepare(environment)
        guard rename(hidden, socketFolder + "/native") == 0 else {
            throw HelperFailure(command: "rename", text: String(cString: strerror(errno)))
        }
        return result
    }

    private func arguments(socket: String) -> [String] {
        [
            "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
            "--log-target=stderr", "--log-level=\(logLevel)",
            "-L", "module-native-protocol-unix socket=\(socket)",
        ] + modules.flatMap { ["-L", $0] }
    }

    /// Kills the server, as in a crash.
    func stop() {
        let running = programs.withLock { programs in
            defer { programs = [] }
            return programs
        }
        for program in running.reversed() { program.signal(SIGKILL) }
        for program in running { _ = try? program.wait() }
    }

    /// Makes the server hang: it accepts connections, but answers nothing.
    func freeze() { signal(SIGSTOP) }

    /// Makes the server continue.
    func thaw() { signal(SIGCONT) }

    /// The number of underruns reported by a verbose PulseAudio.
    var underruns: Int {
        programs.withLock { $0.map(\.errorText) }.reduce(0) { count, text in
            count + text.split(separator: "\n").count { $0.contains("underrun of '") }
        }
    }

    /// Loads a module, given by its name and arguments.
    func load(_ module: String) throws {
        let arguments = ["load-module"] + module.split(separator: " ").map(String.init)
        let program = try Program("/usr/bin/pactl", arguments, environment: environment)
        guard try program.wait() == 0 else {
            throw HelperFailure(command: module, text: program.errorText)
        }
    }

    /// Runs `pactl` on this server and returns its output. It ends by itself only if the server
    /// answers.
    @discardableResult
    func pactl(_ arguments: String...) throws -> String {
        try pactl(arguments, environment)
    }

    private func pactl(
        _ arguments: [String], _ environment: [String: String]
    ) throws -> String {
        let program = try Program("/usr/bin/pactl", arguments, environment: environment)
        guard try program.wait() == 0 else {
            throw HelperFailure(command: "pactl \(arguments)", text: program.errorText)
        }
        return program.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func signal(_ number: Int32) {
        for program in programs.withLock({ $0 }) { program.signal(number) }
    }

    private func run(_ path: String, _ arguments: [String]) throws {
        var environment = environment
        if bus != nil { environment["DBUS_SESSION_BUS_ADDRESS"] = Self.busAddress(in: folder) }
        let program = try Program(path, arguments, environment: environment)
        programs.withLock { $0.append(program) }
    }

    /// Tries to connect until that succeeds: the socket exists once the server listens, and
    /// `inotifywait` would be one more package. PipeWire answers before it has a device.
    private func waitUntilReady(in environment: [String: String]) throws {
        do {
            try waitUntil { (try? pactl(["get-default-sink"], environment)) == "test" }
        } catch {
            let texts = programs.withLock { $0.map(\.errorText) }
            throw HelperFailure(command: "\(kind)", text: texts.joined())
        }
    }

    private func isDone(_ path: String, _ arguments: String...) throws -> Bool {
        try Program(path, arguments, environment: environment).wait() == 0
    }

    private static func busAddress(in folder: URL) -> String { "unix:path=\(folder.path)/bus" }

    private static func startBus(in folder: URL) throws -> Program {
        let bus = try Program(
            "/usr/bin/dbus-daemon",
            ["--session", "--nofork", "--print-address", "--address=" + busAddress(in: folder)],
            environment: ["XDG_RUNTIME_DIR": folder.path])
        try bus.waitForOutput { !$0.isEmpty }
        return bus
    }

    /// Configures a null sink of PipeWire's own, and its rate for all of PipeWire.
    private static func configurePipeWire(
        in folder: URL, rate: Int, _ quantum: Int?
    ) throws {
        let cycle = quantum.map {
            "default.clock.quantum = \($0) default.clock.min-quantum = \($0)"
        }
        let configuration = folder.appending(path: "config/pipewire/pipewire.conf.d")
        try FileManager.default.createDirectory(
            at: configuration, withIntermediateDirectories: true)
        try """
        context.properties = { default.clock.rate = \(rate) \(cycle ?? "") }
        context.objects = [
            { factory = adapter
              args = {
                  factory.name = support.null-audio-sink
                  node.name = test
                  media.class = Audio/Sink
                  audio.rate = \(rate)
                  audio.position = [ FL FR ]
                  object.linger = true
              } }
        ]

        """.write(
            to: configuration.appending(path: "test.conf"), atomically: true, encoding: .utf8)
    }
}

/// Records what a server's sink plays, from its monitor.
final class Recording: Sendable {
    private let program: Program

    /// Starts recording and waits until sound, or silence, arrives.
    convenience init(_ server: SoundServer, sink: String = "test") throws {
        try self.init(server.environment, sink: sink)
    }

    /// The same for the server that programs find in `environment`.
    init(_ environment: [String: String], sink: String = "test") throws {
        program = try Program(
            "/usr/bin/parec",
            [
                "-d", "\(sink).monitor", "--raw", "--format=s16le", "--rate=44100", "--channels=2",
                "--latency-msec=20",
            ], environment: environment)
        try program.waitForOutput { !$0.isEmpty }
    }

    /// Records the output of `program`, which reads what a sink plays.
    init(of program: Program) { self.program = program }

    /// Waits for `seconds` more of the sink's time and returns the whole recording.
    func finish(after seconds: Double = 0.5) throws -> [Frame] {
        let end = program.data.count + Int(seconds * 44100) * 4
        try program.waitForOutput { $0.count >= end }
        program.signal(SIGTERM)
        try program.wait()
        return frames(program.data)
    }

    /// The whole recording, up to the end of the server.
    func finishWithServer() throws -> [Frame] {
        try program.wait()
        return frames(program.data)
    }

    /// Waits for the first frame that is not silent.
    func waitForSound() throws {
        try program.waitForOutput { data in data.contains { $0 != 0 } }
    }

    /// Waits until the sink has played `seconds` more.
    func wait(_ seconds: Double) throws {
        let end = program.data.count + Int(seconds * 44100) * 4
        try program.waitForOutput { $0.count >= end }
    }
}

/// Two 16-bit samples, compared as one.
typealias Frame = UInt32

func frames(_ data: Data) -> [Frame] {
    data.withUnsafeBytes { Array($0.bindMemory(to: Frame.self)) }
}

/// The recording split at its silences: each piece runs from the first to the last frame that is
/// not silent. A silence is at least 2 ms long, longer than any in noise.
func sounds(in recording: [Frame], silence: Int = 88) -> [ArraySlice<Frame>] {
    var pieces: [ArraySlice<Frame>] = []
    var start: Int?
    var last = 0
    for (index, frame) in recording.enumerated() where frame != 0 {
        if let begin = start, index - last > silence {
            pieces.append(recording[begin...last])
            start = index
        }
        start = start ?? index
        last = index
    }
    if let start { pieces.append(recording[start...last]) }
    return pieces
}

extension PulseOutput {
    /// Opens a stream over its own connection, which belongs to the calling thread.
    init(format: StreamFormat, server: String?, device: String?) throws(OutputError) {
        try self.init(
            format: format,
            on: ServerConnection(
                .init(server: server, clock: SystemClock()), doing: WorkList()),
            device: device)
    }
}
