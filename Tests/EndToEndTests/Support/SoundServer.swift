import Foundation

/// A PulseAudio of the test's own with a null sink, in a private runtime folder.
final class SoundServer: Sendable {
    let folder: URL
    /// What a program needs to find this server and no other.
    let environment: [String: String]
    private let program: Program

    /// Starts a server and waits until it answers.
    init() throws {
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
        program = try Program(
            "/usr/bin/pulseaudio",
            [
                "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
                "--log-target=stderr", "-L", "module-native-protocol-unix", "-L",
                "module-null-sink sink_name=test rate=44100 format=s16le channels=2 norewinds=1",
            ], environment: environment)
        try waitUntilReady()
    }

    deinit {
        RuntimeFolder.endService(in: folder.path)
        stop()
        try? FileManager.default.removeItem(at: folder)
    }

    var address: String { "unix:\(folder.path)/pulse/native" }

    /// Ends the server at once, as a crash would.
    func stop() { program.signal(SIGKILL) }

    /// The socket exists once the server listens. `inotifywait` would be one package more, and the
    /// connection itself tells best: it is tried until it succeeds.
    private func waitUntilReady() throws {
        let deadline = Date(timeIntervalSinceNow: 30)
        while true {
            let answer = try Program("/usr/bin/pactl", ["info"], environment: environment)
            if answer.wait() == 0 { return }
            guard Date() < deadline else {
                throw HelperFailure(command: "pulseaudio", text: program.errorText)
            }
        }
    }
}

/// Records what a server's sink plays, from its monitor.
final class Recording: Sendable {
    private let program: Program

    /// Starts to record and waits until sound, or silence, arrives.
    init(_ server: SoundServer) throws {
        program = try Program(
            "/usr/bin/parec",
            [
                "-d", "test.monitor", "--raw", "--format=s16le", "--rate=44100", "--channels=2",
                "--latency-msec=20",
            ], environment: server.environment)
        program.waitForOutput { !$0.isEmpty }
    }

    /// Waits for `seconds` more of the sink's time and returns all that was recorded.
    func finish(after seconds: Double = 0.5) -> [Frame] {
        let end = program.data.count + Int(seconds * 44100) * 4
        program.waitForOutput { $0.count >= end }
        program.signal(SIGTERM)
        program.wait()
        return frames(program.data)
    }

    /// Waits until the sink has played `seconds` more.
    func wait(_ seconds: Double) {
        let end = program.data.count + Int(seconds * 44100) * 4
        program.waitForOutput { $0.count >= end }
    }
}

/// Two samples of 16 bits, compared as one.
typealias Frame = UInt32

func frames(_ data: Data) -> [Frame] {
    data.withUnsafeBytes { Array($0.bindMemory(to: Frame.self)) }
}

/// The recording cut at its silences: each piece runs from the first to the last frame that is not
/// silent. A silence counts from 2 ms on, which no noise has.
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
