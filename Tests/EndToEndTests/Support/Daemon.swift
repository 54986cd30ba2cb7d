import Foundation
import Glibc
import TestSupport
import UndersongControl

/// A separate service, which a test may kill and restart with its state on the disk.
final class Daemon {
    let folder: String
    private let arguments: [String]
    let environment: [String: String]
    private var child: Child?

    /// Starts a service in `folder`, which must exist.
    init(in folder: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws
    {
        self.folder = folder
        self.arguments = arguments
        self.environment = [
            "XDG_RUNTIME_DIR": folder, "XDG_CONFIG_HOME": folder + "/config",
            "XDG_STATE_HOME": folder + "/state", "XDG_CACHE_HOME": folder + "/cache",
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere", "DBUS_SESSION_BUS_ADDRESS": "",
        ].merging(environment) { $1 }
        try start()
    }

    deinit { end(by: SIGKILL) }

    /// Its process; 0 if it does not run.
    var process: pid_t { child?.process ?? 0 }

    /// The folder of its store.
    var state: String { folder + "/state/undersong/default" }

    /// Starts the service. Clients can connect at once: the socket is listening before the program
    /// runs.
    func start() throws {
        let listener = try ControlSocket(session: "default", runtimeFolder: folder).listen()
        defer { close(listener) }
        let silence = FileHandle.nullDevice.fileDescriptor
        child = try Child(
            Program.path(of: "undersongd"), ["serve", "--listen-fd", "3"] + arguments, environment,
            [silence, silence, STDERR_FILENO, listener])
    }

    /// Ends the service by a signal, and returns when it has exited.
    func end(by signal: Int32) {
        child?.end(by: signal)
        child = nil
    }

    /// Kills the service, no matter who has started it: the program with the network may have.
    func killAnyone() {
        let running = try? client().call(Hello(client: "test")).process
        let isOurs = running == process
        end(by: SIGKILL)
        if let running, !isOurs { kill(running, SIGKILL) }
    }

    /// Starts the service unless the program with the network has done so.
    func startUnlessRunning() throws {
        try waitUntil {
            (try? start()) != nil || (try? client().call(Hello(client: "test"))) != nil
        }
    }

    /// The names of its threads, as far as the kernel keeps them.
    func threadNames() throws -> [String] {
        let folder = "/proc/\(process)/task"
        return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { thread in
            (try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8))?
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    func client(
        onNotice: @escaping @Sendable (ControlNoticeMessage) -> Void = { _ in }
    ) throws -> ControlClient {
        try ControlClient(
            socket: ControlSocket(session: "default", runtimeFolder: folder).path, name: "test",
            onNotice: onNotice)
    }
}
