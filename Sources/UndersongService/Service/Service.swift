import AudioIO
import AudioSession
import Control
import Dispatch
import LinuxPlatform
import Playback
import Store
import Synchronization

/// The service as a whole: what it is made of, in which order that begins and ends.
///
/// Clients → wire → core → session → events → wire. The wire's thread only hands requests over.
final class Service: Sendable {
    private let core: ServiceCore
    let session: AudioSession
    private let server: ControlServer
    private let feed: EventFeed
    private let inhibitor: ServiceInhibitor
    private let entrance: Entrance
    private let login: LoginMonitor.Configuration
    private let state: ServiceStore
    private let settings: Settings.Change
    private let resumes: Bool
    private let platform = Mutex(Platform())
    private let sessionName: String
    private let clock: any HostClock
    private let runtimeFolder: String

    /// What tells the service of the system around it, while it runs.
    private struct Platform {
        var login: LoginMonitor?
        var watchdog: SystemdWatchdog?
    }

    /// Makes a service that listens by `listener`, and opens nothing yet. It begins where `state`
    /// says that the last one was, but for `settings`: paused, or playing when that did and it
    /// `resumes`. `soundServer` is the connection for what is played first. `leave` is called, on any
    /// thread, when it should end.
    init(
        _ configuration: ServiceCore.Configuration, state: ServiceStore,
        settings: Settings.Change = Settings.Change(), resumes: Bool = false,
        soundServer: SoundServer? = nil, listener: Int32, runtimeFolder: String,
        log: ServiceLog,
        login: LoginMonitor.Configuration, leave: @escaping @Sendable () -> Void
    ) {
        var session = SessionConfiguration(
            endsWithQueue: false, indexFolder: IndexFolder.path, applicationState: .background,
            applicationStateSource: "no client")
        session.name = configuration.sessionName
        session.clock = configuration.soundClock
        session.soundServerFolder = Self.soundServerFolder(in: runtimeFolder)
        session.store = state.store
        let record = state.store.record
        session.record = record
        session.soundServer = soundServer
        session.fileMemory = state.memory
        self.session = AudioSession(session)
        self.state = state
        self.settings = settings
        self.resumes = resumes && record?.wantsPlayback == true
        entrance = Entrance()
        server = ControlServer(
            listener: listener, handler: entrance, clock: configuration.clock)
        feed = EventFeed(server)
        inhibitor = ServiceInhibitor(inhibitsSleep: record?.settings.inhibitsSleep ?? false)
        self.login = login
        sessionName = configuration.sessionName
        clock = configuration.clock
        self.runtimeFolder = runtimeFolder
        let (server, name) = (server, sessionName)
        let ends = ServiceCore.Ends(now: leave) {
            server.stopIfUnused(session: name, runtimeFolder: runtimeFolder) { if $0 { leave() } }
        }
        core = ServiceCore(
            configuration, session: self.session, store: state.store, feed: feed, log: log,
            ends: ends)
        entrance.open(core)
    }

    /// Where the user's sound server has its socket.
    static func soundServerFolder(in runtimeFolder: String) -> String { runtimeFolder + "/pulse" }

    /// Begins to serve.
    func start() {
        let (session, core, feed) = (session, core, feed)
        let history = HistoryKeeper(state.store, clock: clock)
        session.subscribe { [inhibitor] event in
            feed.take(event)
            history.take(event)
            inhibitor.take(event)
            switch event.kind {
            case .runEnded(let end): core.post { await $0.runEnded(end) }
            case .mediaServicesWereLost, .mediaServicesWereReset:
                core.post { $0.follow(event.kind, at: event.hostTime) }
            default: break
            }
        }
        Task(executorPreference: session.executor) { await session.run() }
        core.post { [resumes, settings] core in
            await core.begin()
            if settings != Settings.Change() { _ = try? await core.set(settings) }
            if resumes { await session.player.play() }
        }
        state.handle { notice in core.post { await $0.tell(notice.message, code: notice.code) } }
        server.start()
        platform.withLock { platform in
            platform.login = followLogin()
            inhibitor.tell(platform.login)
            platform.watchdog = SystemdWatchdog { isAlive in core.post { _ in isAlive() } }
        }
        SystemdService.ready()
    }

    private func followLogin() -> LoginMonitor {
        let core = core
        let whenSilent = { @Sendable [weak self] in
            _ = self?.platform.withLock { $0.login }?.readyToSleep()
        }
        return LoginMonitor(login) { state in
            core.post { await $0.follow(state, whenSilent: whenSilent) }
        }
    }

    /// Ends everything in the reverse order: what comes from the system, the sound, the socket, the
    /// clients. Returns when that is done, about half a second later at most.
    func stop() {
        SystemdService.stopping()
        let platform = platform.withLock { platform in
            defer { platform = Platform() }
            return platform
        }
        inhibitor.tell(nil)
        platform.login?.stop()
        let isSilent = DispatchSemaphore(value: 0)
        Task(executorPreference: session.executor) { [session] in
            await session.willStop()
            // Those who follow the queue are told that it is over.
            await session.halt()
            await session.stop()
            isSilent.signal()
        }
        isSilent.wait()
        state.store.close()
        ControlSocket.remove(session: sessionName, runtimeFolder: runtimeFolder)
        server.stop(within: 0.3)
    }
}

/// Where the wire's thread hands clients and their requests over to the core.
private final class Entrance: ControlHandler {
    /// Nil before the service begins.
    private let core = Mutex<ServiceCore?>(nil)

    func open(_ core: ServiceCore) { self.core.withLock { $0 = core } }

    private func post(_ work: @escaping @Sendable (isolated ServiceCore) async -> Void) {
        core.withLock { $0 }?.post(work)
    }

    func opened(_ connection: ControlConnection) {
        post { $0.opened(connection) }
    }

    func handle(
        _ request: ControlRequest, from connection: ControlConnection,
        reply: @escaping @Sendable (Result<ControlReply, ControlError>) -> Void
    ) {
        post { core in
            do throws(ControlError) {
                reply(.success(try await core.handle(request, from: connection)))
            } catch {
                reply(.failure(error))
            }
        }
    }

    func closed(_ connection: ControlConnection) {
        post { await $0.closed(connection) }
    }
}
