import ArgumentParser
import AudioIO
import CommandOptions
import Control
import Dispatch
import Glibc
import LinuxPlatform
import Playback
import PlayerService
import Threads

/// What `undersongd serve` does: owns a session until a signal ends it.
struct ServeRun: Equatable {
    static let standardSession = "default"
    static let idleSeconds = 10.0
    static let backgroundSeconds = 30.0

    /// The session's name.
    var session = Self.standardSession
    /// A socket that listens already; nil: the one of systemd, or a new one.
    var listener: Int32?
    /// Seconds with nothing to do after which it leaves; nil: it stays.
    var idleSeconds: Double?
    /// Seconds that the host may run in the background without a capability (E3).
    var backgroundSeconds = Self.backgroundSeconds
    /// The sound server that a client is about to play on, empty for the usual one; nil: it is not known
    /// that any is.
    var soundServer: String?
    /// Whether it goes on playing where the last service was ended.
    var resumes = false
    /// Whether desktops see the player, by MPRIS.
    var isShownToDesktop = true
    /// What to change before it begins.
    var settings = SettingsChange()

    init() {}

    /// Reads what a client starts its service with, without the parser, which takes longer for that
    /// than opening the state does. Nil where it is anything else, or wrong.
    init?(plain arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--session":
                guard let name = rest.popFirst(), ControlSocket.isValid(session: name) else {
                    return nil
                }
                session = name
            case "--listen-fd":
                guard let number = rest.popFirst().flatMap({ Int32($0) }) else { return nil }
                listener = number
            case "--on-demand": idleSeconds = Self.idleSeconds
            case "--no-mpris": isShownToDesktop = false
            case "--sound-server":
                guard let server = rest.popFirst() else { return nil }
                soundServer = server
            default: return nil
            }
        }
    }

    /// Serves until a signal ends it. Errors: it cannot listen.
    func perform() throws {
        StartMemory.keepsNoLargePieces()
        SoundServerCookie.begin()
        let clock = SystemClock()
        let signals = TerminationSignals()
        let log = ServiceLog()
        let runtimeFolder = Environment.runtimeFolder
        do {
            let descriptor = try descriptor(in: runtimeFolder)
            let server = preparedServer(in: runtimeFolder, clock)
            let state = ServiceStore(
                opening: StateFolder.path(session: session), clock: clock)
            let manifest = ManifestFile.found()
            state.store.waitUntilOpen()
            let service = Service(
                PlayerService.Configuration(
                    manifest: manifest, backgroundBudget: backgroundSeconds,
                    idleSeconds: idleSeconds, clock: clock, cookies: SoundServerCookie(),
                    savedQueueFolder: SavedQueueFolder.path, log: { log.write($0) }),
                sessionName: session, state: state, settings: settings, resumes: resumes,
                soundServer: server, soundClock: clock, listener: descriptor,
                runtimeFolder: runtimeFolder,
                login: login, desktop: desktop(in: runtimeFolder)
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

    /// A connection to the sound server, which is made while the state is opened.
    private func preparedServer(
        in runtimeFolder: String, _ clock: any HostClock
    ) -> SoundServer? {
        guard let soundServer else { return nil }
        let server = SoundServer(
            SoundServer.Configuration(
                server: soundServer.isEmpty ? nil : soundServer,
                socketFolder: Service.soundServerFolder(in: runtimeFolder), clock: clock))
        server.prepare()
        return server
    }

    /// Whose login session counts, and on which bus it is asked for.
    private var login: LoginMonitor.Configuration {
        LoginMonitor.Configuration(
            identity: LoginIdentity(session: Environment["XDG_SESSION_ID"]),
            address: Environment["DBUS_SYSTEM_BUS_ADDRESS"])
    }

    /// Where desktops see the player; nil: nowhere.
    private func desktop(in runtimeFolder: String) -> MPRISFrontEnd.Configuration? {
        guard isShownToDesktop else { return nil }
        let address = Environment["DBUS_SESSION_BUS_ADDRESS"]
        return MPRISFrontEnd.Configuration(
            address: .at(address ?? "unix:path=\(runtimeFolder)/bus"),
            artworkFolder: CacheFolder.artwork)
    }

    private func descriptor(in runtimeFolder: String) throws -> Int32 {
        if let descriptor = listener ?? SystemdService.listenDescriptors().first {
            return descriptor
        }
        return try ControlSocket.listen(session: session, runtimeFolder: runtimeFolder)
    }
}
