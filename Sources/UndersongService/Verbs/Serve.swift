import ArgumentParser
import AudioSession
import CommandOptions
import Control
import Dispatch
import FoundationEssentials
import Glibc
import LinuxPlatform

/// `undersongd serve`: owns a session until it is told to end.
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve clients on the user's socket until SIGTERM.",
        discussion: """
            There is one service for each user and session name. undersong starts it where none \
            runs; systemd may too, by its socket.

            Exit status: 0 when it was told to end or had nothing to do, 1 when it cannot listen.
            """)

    @Option(help: "The session's name.")
    var session = "default"

    @Option(help: "A socket that listens already, by its descriptor.")
    var listenFd: Int32?

    @Flag(help: "Leave when there is nothing to do for a while.")
    var onDemand = false

    @Option(help: "How many seconds with nothing to do are a while.")
    var idleExit = 10.0

    @Option(help: "Seconds that the host may run in the background without a capability.")
    var backgroundTime = 30.0

    @Flag(help: "Go on playing where the last service was ended.")
    var resume = false

    @OptionGroup
    var sound: SoundOptions

    func validate() throws {
        guard ControlSocket.isValid(session: session) else {
            throw ValidationError("'\(session)' is no name for a session.")
        }
        guard idleExit > 0, backgroundTime > 0 else {
            throw ValidationError("--idle-exit and --background-time are above 0.")
        }
    }

    func run() throws {
        StartMemory.keepsNoLargePieces()
        SoundServerCookie.begin()
        let signals = TerminationSignals()
        let log = ServiceLog()
        let runtimeFolder = ControlSocket.runtimeFolder(
            variable: ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"])
        do {
            let listener = try listener(in: runtimeFolder)
            let state = ServiceStore(folder: StateFolder.path(session: session))
            let service = Service(
                ServiceCore.Configuration(
                    sessionName: session, manifest: ManifestFile.found(),
                    backgroundBudget: backgroundTime, idleSeconds: onDemand ? idleExit : nil),
                state: state, settings: sound.added(to: Settings.Change()), resumes: resume,
                listener: listener, runtimeFolder: runtimeFolder,
                log: log, login: login
            ) { kill(getpid(), SIGTERM) }
            service.start()
            DispatchQueue(label: "undersong.memory").asyncAfter(deadline: .now() + 1) {
                StartMemory.giveBack()
            }
            _ = signals.next()
            end(service)
        } catch {
            log.write("\(error)\(holder(error))")
            throw ExitCode(1)
        }
    }

    /// Ends the service and the process, within 2 s, whatever hangs.
    private func end(_ service: Service) -> Never {
        DispatchQueue(label: "undersong.stop").asyncAfter(deadline: .now() + 1.8) { _exit(0) }
        service.stop()
        // Other threads still run, which exit's clean-up would meet.
        _exit(0)
    }

    /// Who has the session, where that is why another service cannot have it.
    private func holder(_ error: any Error) -> String {
        guard let error = error as? ControlError, error.code == .notPossible,
            let process = StateFolder.holder(session: session)
        else { return "" }
        return ", process \(process)"
    }

    /// Whose login session counts, and on which bus it is asked for.
    private var login: LoginMonitor.Configuration {
        let environment = ProcessInfo.processInfo.environment
        return LoginMonitor.Configuration(
            identity: LoginIdentity(session: environment["XDG_SESSION_ID"]),
            address: environment["DBUS_SYSTEM_BUS_ADDRESS"])
    }

    private func listener(in runtimeFolder: String) throws -> Int32 {
        if let descriptor = listenFd ?? SystemdService.listenDescriptors().first {
            return descriptor
        }
        return try ControlSocket.listen(session: session, runtimeFolder: runtimeFolder)
    }
}
