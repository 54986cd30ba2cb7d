import ArgumentParser
import FoundationEssentials
import Glibc
import Synchronization
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongLinuxPlatform
import UndersongTransferClient
import UndersongTransferIO

/// The program that transfers files. It is the only one that uses the network. Of players it knows
/// only how to ask one to take a file into its queue.
@main
struct UndersongTransferd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undersong-transferd",
        abstract: "Download files for clients such as undersong, through crashes and restarts.",
        discussion: """
            There is one process for each user and session name. 'undersong download' starts it if \
            none is running; systemd may start it too, through its socket.

            Exit status: 0 after a request to end or when idle, 1 if it cannot listen.
            """,
        version: "\(Version.built)\n\(TransferEngine.libraries)")

    @Option(help: ArgumentHelp("The session's name.", valueName: "name"))
    var session = "default"

    @Option(
        help: ArgumentHelp(
            "The descriptor of a socket that is already listening.", valueName: "descriptor"))
    var listenFd: Int32?

    @Option(
        help: ArgumentHelp(
            "Exit after this many seconds without work; 0 to stay.", valueName: "seconds"))
    var idleExit = 5.0

    @Option(
        help: ArgumentHelp("The runtime folder, instead of $XDG_RUNTIME_DIR.", valueName: "folder"))
    var runtimeFolder: String?

    @Option(
        help: ArgumentHelp(
            "The folder for records and parts, instead of $XDG_STATE_HOME/undersong.",
            valueName: "folder"))
    var stateFolder: String?

    @Option(
        help: ArgumentHelp(
            "A file with the certificates to trust instead of the system's.", valueName: "file"))
    var caFile: String?

    func validate() throws {
        guard ControlSocket.isValid(session: session) else {
            throw ValidationError(
                "'\(session)' is not a session name: use 1 to 64 letters, digits, '.', '_' and '-'."
            )
        }
        guard idleExit >= 0 else { throw ValidationError("--idle-exit must be 0 or above.") }
        for folder in [runtimeFolder, stateFolder].compactMap(\.self) where !folder.hasPrefix("/") {
            throw ValidationError("'\(folder)' is not an absolute path of a folder.")
        }
    }

    func run() throws {
        let signals = TerminationSignals()
        let clock = SystemClock()
        let runtimeFolder = runtimeFolder ?? Environment.runtimeFolder
        do {
            guard let state = stateFolder ?? Environment.stateFolder else {
                throw ControlError(.unavailable, "cannot keep transfers: HOME is not set")
            }
            let inherited = SystemdService.listenDescriptors().first
            // systemd's socket outlives this process, and starts the next one.
            let keepsSocket = listenFd == nil && inherited != nil
            let folder = "\(state)/\(session)/transfers"
            let entrance = StateEntrance(folder: folder)
            let socket = ControlSocket(
                session: ControlSocket.transfers(of: session), runtimeFolder: runtimeFolder,
                entrance: entrance)
            let listener = try listenFd ?? inherited ?? socket.listen()
            let engine = TransferEngine(clock: clock)
            let settings = settings
            let sessions = SessionRegistry(
                bootID: settings.bootID, launch: Self.launch,
                later: { seconds, body in
                    _ = clock.wake(after: seconds, leeway: 50_000_000) { engine.perform(body) }
                })
            let streams = StreamService(streamSettings, clock: clock)
            let delivery = QueueDelivery(
                to: ControlSocket(
                    session: session, runtimeFolder: runtimeFolder,
                    entrance: StateEntrance(folder: "\(state)/\(session)")),
                program: playerProgram)
            let pushEngine = pushEngine("\(folder)/pushes", delivery, clock)
            let unifiedPush = unifiedPush(
                "\(folder)/unifiedpush", in: runtimeFolder, delivery, clock)
            let pushes = PushService(
                pushEngine, unifiedPush, PushSender(pushSettings, clock: clock))
            let regions = regionService("\(folder)/regions", in: runtimeFolder, clock)
            let loads = LoadService(loadSettings, clock: clock)
            let service = TransferService(
                engine, sessions, streams, DocumentService(documentSettings, clock: clock),
                loads, pushes, GPSService(clock: clock), regions, session: session, clock: clock
            ) { kill(getpid(), SIGTERM) }
            let server = Mutex<ControlServer?>(nil)
            let hasLeft = Mutex(false)
            var reports = TransferEngine.Reports()
            reports.trouble = { Self.log($0) }
            reports.settled = { ProcessMemory.release() }
            reports.changed = { service.changed($1, in: $0) }
            reports.join = { delivery.send($0, $1, $2) }
            reports.idle = {
                guard !pushes.isListening, !regions.isWatching else { return }
                server.withLock { $0 }?.stopIfUnused(socket, keepsSocket: keepsSocket) {
                    hasStopped in
                    if hasStopped {
                        // The socket was removed, and may be another's now.
                        hasLeft.withLock { $0 = true }
                        kill(getpid(), SIGTERM)
                    } else {
                        engine.perform { $0.countIdleTimeAgain() }
                    }
                }
            }
            let watch = machineWatch(engine, loads, pushes, clock)
            try engine.start(folder: folder, settings: settings, reports: reports)
            engine.perform { sessions.restore($0) }
            pushes.start()
            regions.restore()
            // The folder is locked now.
            let new = ControlServer(
                listener: listener,
                entrance: (try? entrance.listen()).map { listener in
                    ControlServer.Entrance(listener: listener) {
                        keepsSocket
                            ? nil
                            : socket.restore()
                    }
                }, handler: service, clock: clock)
            server.withLock { $0 = new }
            new.start()
            SystemdService.ready()
            _ = signals.next()
            SystemdService.stopping()
            watch.stop()
            regions.stop()
            entrance.remove()
            end(engine, new) {
                guard !keepsSocket, !hasLeft.withLock({ $0 }) else { return }
                socket.remove()
            }
        } catch {
            Self.log("\(error)")
            throw ExitCode(1)
        }
    }

    /// Reports the machine's conditions. Waits for the first ones, so that nothing begins that they
    /// forbid, but not for a bus that hangs.
    private func machineWatch(
        _ engine: TransferEngine, _ loads: LoadService, _ pushes: PushService,
        _ clock: any HostClock
    ) -> MachineWatch {
        let last = Mutex<MachineState?>(nil)
        let isKnown = Semaphore()
        let watch = MachineWatch { machine in
            engine.perform { $0.handle(.conditions(machine)) }
            loads.apply(machine)
            let previous = last.withLock { last in
                defer { last = machine }
                return last
            }
            guard let previous else { return isKnown.post() }
            let hasAwoken =
                previous.isSleeping && !machine.isSleeping
                || previous.network.connectivity != machine.network.connectivity
            if hasAwoken { pushes.awake() }
        }
        isKnown.wait(until: clock.now + 1_000_000_000)
        return watch
    }

    private func end(
        _ engine: TransferEngine, _ server: ControlServer, removeSocket: () -> Void
    ) -> Never {
        let done = Semaphore()
        engine.stop { done.post() }
        done.wait(until: SystemClock().now + 3_000_000_000)
        removeSocket()
        server.stop(within: 0.2)
        // Other threads are still running, and the clean-up of `exit` would interfere with them.
        _exit(0)
    }

    /// The program of the player's service; nil under systemd, which starts the service by its
    /// socket. Started here, it would live in this unit's sandbox, and end with it.
    private var playerProgram: String? {
        guard Environment["NOTIFY_SOCKET"] == nil else { return nil }
        return ServiceStarter.program(named: "undersongd", searchPath: Environment["PATH"])
            ?? "undersongd"
    }

    private var settings: TransferEngine.Settings {
        var settings = TransferEngine.Settings()
        settings.userAgent = "Undersong/\(Version.text)"
        settings.certificateFile = caFile
        settings.idleSeconds = idleExit > 0 ? idleExit : nil
        let mask = umask(0)
        umask(mask)
        settings.mode = 0o666 & ~mask
        let boot = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id")
        settings.bootID = boot.map { String(decoding: $0, as: UTF8.self) } ?? ""
        settings.seed = .random(in: 1...UInt64.max)
        return settings
    }

    private func pushEngine(
        _ file: String, _ delivery: QueueDelivery, _ clock: any HostClock
    ) -> PushEngine {
        var settings = PushEngine.Settings()
        settings.userAgent = "Undersong/\(Version.text)"
        settings.certificateFile = caFile
        settings.seed = .random(in: 1...UInt64.max)
        return PushEngine(
            file: file, settings: settings, clock: clock,
            deliver: { identifier, payload, answer in
                delivery.send(
                    push: "ntfy \(identifier)", payload.map { .payload($0) } ?? .missing,
                    log: { Self.log($0) }, answer)
            },
            log: { Self.log($0) })
    }

    private func unifiedPush(
        _ file: String, in runtimeFolder: String, _ delivery: QueueDelivery, _ clock: any HostClock
    ) -> UnifiedPushService {
        let address = Environment["DBUS_SESSION_BUS_ADDRESS"]
        return UnifiedPushService(
            file: file, session: session,
            address: .at(address ?? "unix:path=\(runtimeFolder)/bus"), clock: clock,
            deliver: { delivery.send(push: $0, $1, log: { Self.log($0) }, $2) },
            log: { Self.log($0) })
    }

    private func regionService(
        _ folder: String, in runtimeFolder: String, _ clock: any HostClock
    ) -> RegionService {
        // gpsd is watched by way of this process's own socket, as for any other program.
        var location = TransferLocation(
            session: session, runtimeFolder: runtimeFolder, searchPath: nil)
        location.startsProgram = false
        let own = location
        return RegionService(
            folder: folder, clock: clock,
            makeSource: { source, program in
                switch source {
                case .geoClue:
                    var configuration = GeoClueSource.Configuration()
                    configuration.desktopID = program
                    return GeoClueSource(configuration, clock: clock)
                case .gpsd(let host, let port):
                    return GpsdSource(host: host, port: port, own, client: program, clock: clock)
                }
            }, launch: Self.launch, log: { Self.log($0) })
    }

    /// Starts the host of a background session.
    @Sendable private static func launch(_ command: [String]) {
        DetachedProgram(command).start { event in
            switch event {
            case .trouble(let text): log(text)
            case .failed(let reason): log("cannot start \(command[0]): \(reason)")
            case .began, .ended: break
            }
        }
    }

    private var streamSettings: StreamEngine.Settings {
        var settings = StreamEngine.Settings()
        settings.userAgent = "Undersong/\(Version.text)"
        settings.certificateFile = caFile
        return settings
    }

    private var documentSettings: DocumentEngine.Settings {
        var settings = DocumentEngine.Settings()
        settings.userAgent = "Undersong/\(Version.text)"
        settings.certificateFile = caFile
        return settings
    }

    private var pushSettings: PushSender.Settings {
        var settings = PushSender.Settings()
        settings.userAgent = "Undersong/\(Version.text)"
        settings.certificateFile = caFile
        return settings
    }

    private var loadSettings: LoadEngine.Settings {
        var settings = LoadEngine.Settings()
        settings.userAgent = "Undersong/\(Version.text)"
        settings.certificateFile = caFile
        return settings
    }

    private static func log(_ text: String) {
        let line = Array((complaint(text) + "\n").utf8)
        _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
