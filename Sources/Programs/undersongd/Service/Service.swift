import Dispatch
import Synchronization
import UndersongAudioIO
import UndersongAudioSession
import UndersongBase
import UndersongLinuxPlatform
import UndersongPlayback
import UndersongStore
import UndersongTransferClient

/// The service as a whole: creates its parts, and starts and stops them in order.
///
/// Clients → front end → player service → session → events → front end.
final class Service: Sendable {
    let player: PlayerService
    private let socket: ControlFrontEnd
    /// Nil: the desktop is not to see the player.
    private let desktop: MPRISFrontEnd?
    /// Nil: clients of MPD's protocol are not served.
    private let mpd: MPDFrontEnd?
    private let inhibitor: ServiceInhibitor
    private let login: LoginMonitor.Configuration
    private let state: ServiceStore
    private let settings: SettingsChange
    private let resumes: Bool
    private let leave: @Sendable () -> Void
    private let platform = Mutex(Platform())

    /// The parts that report changes of the surrounding system while the service runs.
    private struct Platform {
        var login: LoginMonitor?
        var watchdog: SystemdWatchdog?
    }

    /// Creates a service that listens on `listener`, a socket which it removes at its end unless
    /// `keepsSocket`, and in the `stateFolder` that it has, without opening anything else yet. It restores
    /// `state` with the changes in `settings`: paused, or playing if the last service did and it
    /// `resumes`. `soundServer` is the connection for what plays first, and `soundClock` the clock
    /// by which it plays. `network` fetches what plays from there; nil for nothing. `desktop` configures what desktops see of the player; nil to stay hidden.
    /// `mpd` configures where clients of MPD's protocol are served; nil for nowhere.
    /// `leave` is called, on any thread, when the service should end.
    init(
        _ configuration: PlayerService.Configuration, sessionName: String, state: ServiceStore,
        settings: SettingsChange = SettingsChange(), resumes: Bool = false,
        soundServer: PulseServer? = nil, soundClock: any HostClock, listener: Int32,
        keepsSocket: Bool = false, stateFolder: String? = nil, runtimeFolder: String,
        network: TransferStreams? = nil,
        login: LoginMonitor.Configuration, desktop: MPRISFrontEnd.Configuration? = nil,
        mpd: MPDFrontEnd.Configuration? = nil,
        leave: @escaping @Sendable () -> Void
    ) {
        var session = SessionConfiguration(
            endsWithQueue: false, indexFolder: CacheFolder.index, applicationState: .background,
            applicationStateSource: "no client")
        session.name = sessionName
        session.clock = soundClock
        session.soundServerFolder = Self.soundServerFolder(in: runtimeFolder)
        session.store = state.store
        let record = state.store.record
        session.record = record
        session.soundServer = soundServer
        session.fileMemory = state.memory
        session.loudnessMemory = state.store
        session.network = network
        player = PlayerService(
            configuration, session: AudioSession(session), store: state.store)
        socket = ControlFrontEnd(
            player, sessionName: sessionName, runtimeFolder: runtimeFolder, listener: listener,
            keepsSocket: keepsSocket, stateFolder: stateFolder, clock: configuration.clock,
            shutDown: leave)
        self.desktop = desktop.map { [player] in
            MPRISFrontEnd(
                $0, player: player, sessionName: sessionName, clock: soundClock, shutDown: leave)
        }
        self.mpd = mpd.map { [player] in MPDFrontEnd($0, player: player, shutDown: leave) }
        inhibitor = ServiceInhibitor(inhibits: record?.settings.inhibition ?? .nothing)
        self.state = state
        self.settings = settings
        self.resumes = resumes && record?.wantsPlayback == true
        self.login = login
        self.leave = leave
    }

    /// The folder with the socket of the user's sound server.
    static func soundServerFolder(in runtimeFolder: String) -> String { runtimeFolder + "/pulse" }

    /// Starts serving.
    func start() {
        let (player, socket) = (player, socket)
        socket.observe()
        desktop?.observe()
        mpd?.observe()
        player.observe { [inhibitor] in inhibitor.receive($0) }
        player.start(settings: settings, resumes: resumes) { [leave] in
            socket.stopIfUnused(whenStopped: leave)
        }
        state.handle { notice in
            player.post { await $0.report(notice.message, code: notice.code) }
        }
        socket.start()
        platform.withLock { platform in
            platform.login = followLogin()
            inhibitor.use(platform.login)
            platform.watchdog = SystemdWatchdog { isAlive in player.post { _ in isAlive() } }
        }
        desktop?.start()
        mpd?.start()
        SystemdService.ready()
    }

    private func followLogin() -> LoginMonitor {
        let player = player
        let whenSilent = { @Sendable [weak self] in
            _ = self?.platform.withLock { $0.login }?.readyToSleep()
        }
        return LoginMonitor(login) { state in
            player.post { await $0.follow(state, whenSilent: whenSilent) }
        }
    }

    /// Stops everything in reverse order: system reports, sound, socket, clients. Returns when
    /// done, after about half a second at most.
    func stop() {
        SystemdService.stopping()
        let platform = platform.withLock { platform in
            defer { platform = Platform() }
            return platform
        }
        inhibitor.use(nil)
        platform.login?.stop()
        desktop?.stop()
        mpd?.stop()
        let isSilent = DispatchSemaphore(value: 0)
        player.post { player in
            await player.end()
            isSilent.signal()
        }
        isSilent.wait()
        socket.leaveState()
        state.close()
        socket.stop(within: 0.3)
    }
}
