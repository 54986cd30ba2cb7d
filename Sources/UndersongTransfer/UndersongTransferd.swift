import ArgumentParser
import CommandOptions
import Control
import FoundationEssentials
import Glibc
import LinuxPlatform
import Playback
import Synchronization
import Threads
import TransferIO

/// The program that transfers files. It is the only one that uses the network, and knows nothing of
/// players and queues.
@main
struct UndersongTransferd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undersong-transferd",
        abstract: "Download files for clients such as undersong, through crashes and restarts.",
        discussion: """
            There is one process for each user and session name. undersong download starts it if \
            none is running; systemd may start it too, through its socket.

            Exit status: 0 after a request to end or when idle, 1 if it cannot listen.
            """,
        version: Version.text)

    @Option(help: "The session's name.")
    var session = "default"

    @Option(help: "The descriptor of a socket that is already listening.")
    var listenFd: Int32?

    @Option(help: "Exit after this many seconds without work; 0 to stay.")
    var idleExit = 5.0

    @Option(help: "A file with the certificates to trust instead of the system's.")
    var caFile: String?

    func validate() throws {
        guard ControlSocket.isValid(session: session) else {
            throw ValidationError("'\(session)' is not a valid session name.")
        }
        guard idleExit >= 0 else { throw ValidationError("--idle-exit is 0 or above.") }
    }

    func run() throws {
        let signals = TerminationSignals()
        let clock = SystemClock()
        let runtimeFolder = Environment.runtimeFolder
        let name = ControlSocket.transfers(of: session)
        do {
            guard let state = Environment.stateFolder else {
                throw ControlError(.unavailable, "cannot keep transfers: HOME is not set")
            }
            let listener =
                try listenFd ?? SystemdService.listenDescriptors().first
                ?? ControlSocket.listen(session: name, runtimeFolder: runtimeFolder)
            let engine = TransferEngine()
            let service = TransferService(engine, session: session, clock: clock)
            let server = ControlServer(listener: listener, handler: service, clock: clock)
            var reports = TransferEngine.Reports()
            reports.trouble = { Self.log($0) }
            reports.changed = { service.changed($1, in: $0) }
            reports.idle = {
                server.stopIfUnused(session: name, runtimeFolder: runtimeFolder) { hasStopped in
                    if hasStopped {
                        kill(getpid(), SIGTERM)
                    } else {
                        engine.perform { $0.countIdleTimeAgain() }
                    }
                }
            }
            try engine.start(
                folder: "\(state)/\(session)/transfers", settings: settings, clock: clock,
                reports: reports)
            server.start()
            SystemdService.ready()
            _ = signals.next()
            SystemdService.stopping()
            end(engine, server, name, runtimeFolder)
        } catch {
            Self.log("\(error)")
            throw ExitCode(1)
        }
    }

    private func end(
        _ engine: TransferEngine, _ server: ControlServer, _ name: String, _ runtimeFolder: String
    ) -> Never {
        let done = Semaphore()
        engine.stop { done.post() }
        done.wait(until: SystemClock().now + 3_000_000_000)
        ControlSocket.remove(session: name, runtimeFolder: runtimeFolder)
        server.stop(within: 0.2)
        // Other threads are still running, and the clean-up of `exit` would interfere with them.
        _exit(0)
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

    private static func log(_ text: String) {
        let line = Array((complaint(text) + "\n").utf8)
        _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
