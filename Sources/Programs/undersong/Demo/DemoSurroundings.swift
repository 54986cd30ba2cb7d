import CUndersongLinux
import Glibc
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl

/// The folder in which the demo's service and app live, and the environment by which they find nothing
/// else: no other service, no desktop, and no file of the user but the sound server's key.
struct DemoSurroundings: Sendable {
    /// The session of the demo's service.
    static let session = "demo"
    /// The length of the longest path in the folder, a socket's, whose path has 107 bytes at most.
    private static let longestName = "/run/undersong/demo.transfer.sock".utf8.count
    /// Variables by which the service would take itself for systemd's, or follow the user's choices.
    static let removedVariables = [
        "INVOCATION_ID", "JOURNAL_STREAM", "LISTEN_FDNAMES", "LISTEN_FDS", "LISTEN_PID",
        "NOTIFY_SOCKET", "UNDERSONG_CONFIG", "UNDERSONG_LAUNCH", "UNDERSONG_SESSION",
        "WATCHDOG_PID", "WATCHDOG_USEC", "XDG_SESSION_ID",
    ]

    private let ownFolder: DemoFolder
    /// The variables of the service and the app.
    let variables: [String: String]
    /// True if no sound server answers, so that the app plays to nobody.
    let isSilent: Bool

    /// Makes the folder.
    ///
    /// - Throws: a failure if there is no place for it in which a program may run.
    init() throws {
        ownFolder = try DemoFolder(longestName: Self.longestName)
        let folder = ownFolder.path
        let sound = Self.soundVariables()
        isSilent = sound == nil
        var variables =
            sound ?? ["PULSE_SERVER": "unix:\(folder)/none", "UNDERSONG_DEMO_SILENT": "1"]
        for (name, path) in [
            ("HOME", ""), ("XDG_RUNTIME_DIR", "/run"), ("XDG_STATE_HOME", "/state"),
            ("XDG_CONFIG_HOME", "/config"), ("XDG_DATA_HOME", "/data"),
            ("XDG_CACHE_HOME", "/cache"), ("UNDERSONG_DEMO", "/screen"),
        ] {
            variables[name] = folder + path
        }
        for name in ["DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS"] {
            variables[name] = "unix:path=\(folder)/none"
        }
        let own = Folder.path(of: ResourceFile.ownPath)
        variables["PATH"] = own + ":" + (Environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin")
        self.variables = variables
        Folder.make(runtimeFolder)
        Folder.make(bundle)
    }

    /// The path of the folder, which only this user can enter.
    var folder: String { ownFolder.path }
    var runtimeFolder: String { folder + "/run" }
    /// The socket to which the app connects.
    var socket: String { folder + "/screen" }
    /// The folder of the app's program, with its property list.
    var bundle: String { folder + "/app" }

    /// Removes the folder.
    func remove() { ownFolder.remove() }

    /// The location of the service.
    var service: ServiceLocation {
        ServiceLocation(session: Self.session) { variables[$0] }
    }

    /// The variables by which a program in other surroundings finds the user's sound server; nil if
    /// none answers.
    private static func soundVariables() -> [String: String]? {
        let address = Environment["PULSE_SERVER"]
        let socket = SoundServerCheck.socket(address, runtimeFolder: Environment.runtimeFolder)
        if let socket, !SoundServerCheck.answers(socket) { return nil }
        var variables = ["PULSE_SERVER": address ?? "unix:" + (socket ?? "")]
        let home = Environment["HOME"] ?? ""
        let configuration = Environment["XDG_CONFIG_HOME"] ?? home + "/.config"
        let keys = [
            Environment["PULSE_COOKIE"], configuration + "/pulse/cookie", home + "/.pulse-cookie",
        ]
        variables["PULSE_COOKIE"] = keys.compactMap(\.self).first { FilePath($0).exists }
        return variables
    }
}

/// The processes that a demo has started, directly or not: those that know its folder.
struct DemoProcesses {
    /// The nanoseconds for which the service may take to end by itself.
    private static let patience: Int64 = 2_500_000_000
    /// The number of bytes of an environment that are looked at.
    private static let environmentLimit = 1 << 20

    let folder: String

    /// Ends all of them, the service last, so that it does not continue a suspended app, and returns
    /// when they have ended.
    func end(service: ChildProcess?) {
        endAll(except: service?.id)
        if let service {
            kill(service.id, SIGTERM)
            if !service.waitForEnd(until: SystemClock().now + Self.patience) {
                kill(service.id, SIGKILL)
            }
            service.reap()
        }
        endAll(except: nil)
    }

    /// Ends the processes, and those that they have started meanwhile.
    private func endAll(except service: Int32?) {
        for _ in 0..<10 {
            let processes = found(except: service)
            if processes.isEmpty { return }
            for process in processes { try? KnownProcess(process).end() }
            for process in processes { Self.waitForEnd(of: process) }
        }
    }

    private func found(except service: Int32?) -> [ProcessIdentity] {
        let mark = "UNDERSONG_DEMO=\(folder)/"
        return Folder.names(in: "/proc").compactMap { Int32($0) }.compactMap { process in
            guard process != getpid(), process != service else { return nil }
            let environment = KernelFile.text(
                of: "/proc/\(process)/environ", limit: Self.environmentLimit)
            guard environment.split(separator: "\0").contains(where: { $0.hasPrefix(mark) }) else {
                return nil
            }
            return ProcessCondition(of: process).flatMap {
                $0.activity == .ended ? nil : $0.identity
            }
        }
    }

    private static func waitForEnd(of process: ProcessIdentity) {
        let descriptor = pidfd_open(process.id, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard ProcessCondition(of: process.id)?.identity == process else { return }
        Wakeup.wait(for: descriptor, until: SystemClock().now + patience)
    }
}
