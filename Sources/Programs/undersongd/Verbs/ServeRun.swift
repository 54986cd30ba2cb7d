import ArgumentParser
import Dispatch
import Glibc
import Logging
import Synchronization
import UndersongAudioIO
import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongLinuxPlatform
import UndersongPlayback
import UndersongPodcasts
import UndersongStore
import UndersongTransferClient

/// Implements `undersongd serve`: owns a session until a signal ends it.
struct ServeRun: Equatable {
    static let standardSession = "default"
    static let idleSeconds = 10.0
    static let backgroundSeconds = 30.0

    /// The session's name.
    var session = Self.standardSession
    /// A socket that already listens; nil for systemd's, or a new one.
    var listener: Int32?
    /// The read end of a pipe whose other end the owner holds: the service, with its apps, ends when
    /// the owner does. Nil without an owner.
    var owner: Int32?
    /// The idle time in seconds after which the service exits; nil to stay.
    var idleSeconds: Double?
    /// The seconds that the host may run in the background without a capability (E3).
    var backgroundSeconds = Self.backgroundSeconds
    /// The sound server on which a client is about to play, empty for the usual one; nil if that is
    /// not known.
    var soundServer: String?
    /// True to resume playback if the last service was ended while playing.
    var resumes = false
    /// True to show the player to desktops, by MPRIS.
    var isShownToDesktop = true
    /// The places at which clients of MPD's protocol are served.
    var mpd = MPDOptions.Choice()
    /// The shell commands to run for events.
    var commands: [EventCommand.Subject: String] = [:]
    /// True to show a notification for each item that begins.
    var notifiesItems = false
    /// The settings to change before it begins.
    var settings = SettingsChange()

    init() {}

    /// Parses the arguments with which a client starts its service, without the argument parser,
    /// which takes longer for that than opening the state. Nil if they are anything else, or wrong.
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

    /// The nanoseconds to wait for a service that ends to leave the state.
    private static let patience: Int64 = 2_000_000_000

    /// The part of the service that answers clients.
    private enum Running {
        /// A service with the state.
        case service(Service)
        /// A reader of the state that another process has.
        case reader(SavedStateFrontEnd)
    }

    /// Serves until a signal ends it. Throws if it cannot listen.
    func perform() throws {
        ProcessMemory.keepsNoLargePieces()
        SoundServerCookie.begin()
        let clock = SystemClock()
        let signals = TerminationSignals()
        let log = JournalLogHandler.logger("undersongd")
        if let owner { Self.follow(owner) }
        do {
            let (listener, keepsSocket) = try listener(in: Environment.runtimeFolder)
            let folder = StateFolder.path(session: session)
            let running = Mutex<Running?>(nil)
            // Without a folder that can be made, the store reports that.
            if let folder, let claim = try? StateClaim(folder) {
                let (isLocked, staying) = awaitState(claim, folder, clock)
                if !isLocked {
                    let reader = reader(of: folder, staying, listener, keepsSocket, clock)
                    running.withLock { $0 = .reader(reader) }
                    log.warning(
                        "process \(StateLock.holder(in: folder) ?? 0) has \(folder): only reading it"
                    )
                }
                claim.whenLocked { lock in
                    running.withLock { running in
                        if case .reader(let reader) = running { reader.stop() }
                        running = .service(serve(lock, listener, keepsSocket, clock, log))
                    }
                }
            } else {
                running.withLock { $0 = .service(serve(nil, listener, keepsSocket, clock, log)) }
            }
            _ = signals.next()
            end {
                switch running.withLock({ $0 }) {
                case .service(let service)?: service.stop()
                case .reader(let reader)?: reader.end()
                case nil: break
                }
            }
        } catch {
            log.error("\(error)\(holder(error))")
            throw ExitCode(1)
        }
    }

    /// Answers clients while another process has the state. The listener stays open.
    private func reader(
        of folder: String, _ staying: Int32?, _ listener: Int32, _ keepsSocket: Bool,
        _ clock: any HostClock
    ) -> SavedStateFrontEnd {
        let reader = SavedStateFrontEnd(
            folder: folder, staying: staying, sessionName: session,
            runtimeFolder: Environment.runtimeFolder,
            keepsSocket: keepsSocket, idleSeconds: idleSeconds, clock: clock,
            shutDown: Self.leave)
        reader.start(listener: fcntl(listener, F_DUPFD_CLOEXEC, 3))
        SystemdService.ready()
        return reader
    }

    /// Waits until this process has the state, but neither for a service that answers nor longer than
    /// one takes that is killed. Returns whether it has, or else the process that has it and does not
    /// answer, if it is that.
    private func awaitState(
        _ claim: StateClaim, _ folder: String, _ clock: any HostClock
    ) -> (isLocked: Bool, staying: Int32?) {
        if claim.isLocked { return (true, nil) }
        let deadline = clock.now + Self.patience
        let isAnswered = Atomic(false)
        let (news, watch) = (Wakeup(), FolderWatch(folder))
        startThread(named: "entrance") {
            while clock.now < deadline {
                if ServiceStarter.answers(at: StateEntrance(folder: folder)) {
                    isAnswered.store(true, ordering: .releasing)
                    return news.post()
                }
                // Its socket comes a moment after the lock.
                guard let watch else { return }
                Wakeup.wait(for: watch.descriptor, until: deadline)
                watch.clear()
            }
        }
        while !claim.isLocked, clock.now < deadline {
            if isAnswered.load(ordering: .acquiring) { return (false, nil) }
            Wakeup.wait(for: claim.descriptor, or: news.descriptor, until: deadline)
        }
        return (claim.isLocked, Int32(clamping: StateLock.holder(in: folder) ?? 0))
    }

    @Sendable private static func leave() { kill(getpid(), SIGTERM) }

    /// Ends the service once nobody can write to a pipe.
    private static func follow(_ owner: Int32) {
        // An app does not hold it.
        _ = fcntl(owner, F_SETFD, FD_CLOEXEC)
        startThread(named: "owner") {
            var byte: UInt8 = 0
            while true {
                let count = unsafe read(owner, &byte, 1)
                guard count > 0 || count < 0 && errno == EINTR else { return leave() }
            }
        }
    }

    /// Starts a service with the state, if there is one.
    private func serve(
        _ lock: StateLock?, _ listener: Int32, _ keepsSocket: Bool, _ clock: any HostClock,
        _ log: Logger
    ) -> Service {
        let runtimeFolder = Environment.runtimeFolder
        let server = preparedServer(in: runtimeFolder, clock)
        let folder = StateFolder.path(session: session)
        let state = ServiceStore(opening: folder, lock: lock, clock: clock)
        let manifest = ManifestFile.found()
        state.store.waitUntilOpen()
        var configuration = PlayerService.Configuration(
            manifest: manifest, backgroundBudget: backgroundSeconds,
            idleSeconds: idleSeconds, clock: clock, cookies: SoundServerCookie(),
            savedQueueFolder: SavedQueueFolder.path, log: { log.warning("\($0)") })
        configuration.pushProvider = TransferPushProvider(
            location(in: runtimeFolder), clock: clock)
        configuration.locations = .system(
            transfers: location(in: runtimeFolder), busAddress: login.address, clock: clock)
        configuration.refresh = .system(clock: clock, busAddress: login.address)
        if isShownToDesktop {
            let bus = sessionBus(in: runtimeFolder)
            configuration.makeNotifier = {
                NotificationClient(bus: BusService(bus, clock: clock), clock: clock)
            }
        }
        configuration.notifiesItems = notifiesItems
        configuration.endsApps = owner != nil
        configuration.sessionName = session
        configuration.stateFolder = folder
        configuration.appLogFolder = Environment.stateFolder.map { $0 + "/apps" }
        configuration.whenAtRest = { ProcessMemory.release() }
        configuration.keepSnapshot = folder.map(SnapshotFile.init).map { file in
            { file.keep($0) }
        }
        configuration.podcasts = podcasts(in: runtimeFolder, clock)
        configuration.library = LibraryEnvironment(
            store: state.library, scanner: DiskScanning(clock: clock))
        configuration.processing = FileProcessor(
            store: state.store, clock: clock, log: { log.warning("\($0)") },
            whenDone: { Self.settleMemory(after: [0.3]) })
        let service = Service(
            configuration, sessionName: session, state: state, settings: settings,
            resumes: resumes, soundServer: server, soundClock: clock, listener: listener,
            keepsSocket: keepsSocket,
            stateFolder: lock == nil ? nil : folder,
            runtimeFolder: runtimeFolder, network: network(in: runtimeFolder, clock),
            login: login, desktop: desktop(in: runtimeFolder),
            mpd: mpd.configuration(session: session, in: runtimeFolder) {
                log.warning("\($0)")
            }, leave: Self.leave)
        runCommands(of: service.player, clock)
        service.start()
        Self.settleMemory()
        return service
    }

    private func runCommands(of player: PlayerService, _ clock: any HostClock) {
        let commands = commands.map { subject, line in
            let code: ServiceProblem =
                switch subject {
                case .item: .itemCommand
                case .episode: .episodeCommand
                case .download: .downloadCommand
                }
            return EventCommand(line, on: subject, session: session, clock: clock) { problem in
                player.post { await $0.report(problem, code: code) }
            }
        }
        guard !commands.isEmpty else { return }
        player.observe { event in for command in commands { command.handle(event) } }
    }

    /// Ends the service and the process within 2 s, whatever hangs.
    private func end(_ stop: () -> Void) -> Never {
        DispatchQueue(label: "undersong.stop").asyncAfter(deadline: .now() + 1.8) { _exit(0) }
        stop()
        // Other threads are still running, and the clean-up of `exit` would interfere with them.
        _exit(0)
    }

    /// The process that uses the session, if that is why this service cannot have it.
    private func holder(_ error: any Error) -> String {
        guard let error = error as? ControlError, error.code == .notPossible,
            let process = StateFolder.holder(session: session)
        else { return "" }
        return ", process \(process)"
    }

    /// A connection to the sound server, established while the state is opened.
    private func preparedServer(
        in runtimeFolder: String, _ clock: any HostClock
    ) -> PulseServer? {
        guard let soundServer else { return nil }
        let server = PulseServer(
            PulseServer.Configuration(
                server: soundServer.isEmpty ? nil : soundServer,
                socketFolder: Service.soundServerFolder(in: runtimeFolder), clock: clock))
        server.prepare()
        return server
    }

    /// Podcasts, by way of the same program as what plays from the network.
    private func podcasts(
        in runtimeFolder: String, _ clock: any HostClock
    ) -> PodcastLibrary.Configuration {
        PodcastLibrary.Configuration(
            network: TransferFeeds(
                location(in: runtimeFolder), name: "undersongd", clock: clock,
                characters: CharacterSet.characters),
            playability: Playability(extensions: DecoderRegistry.standard.fileExtensions),
            folder: Environment["HOME"].map { $0 + "/Podcasts" },
            characters: CharacterSet.characters)
    }

    /// The way to the program that may use the network. systemd starts that by itself: in this
    /// service's sandbox it would have no network either.
    private func network(in runtimeFolder: String, _ clock: any HostClock) -> TransferStreams {
        TransferStreams(
            location(in: runtimeFolder), folder: CacheFolder.streams, name: "undersongd",
            clock: clock
        ) { Self.settleMemory() }
    }

    /// Dispatch's shared queues would wake the process every second from their first use on.
    private static let memoryQueue = DispatchQueue(label: "undersong.memory", qos: .utility)

    /// Gives back what the start, or a request for a stream, has needed once: most of it after a second,
    /// and what came later, such as the first reports to clients, after five.
    private static func settleMemory(after delays: [Double] = [1, 5]) {
        for delay in delays {
            memoryQueue.asyncAfter(deadline: .now() + delay) {
                ProcessMemory.release()
            }
        }
    }

    private func location(in runtimeFolder: String) -> TransferLocation {
        var location = TransferLocation(
            session: session, runtimeFolder: runtimeFolder, stateFolder: Environment.stateFolder,
            searchPath: Environment["PATH"])
        location.startsProgram = Environment["NOTIFY_SOCKET"] == nil
        return location
    }

    /// The login session to follow, and the bus on which to ask for it.
    private var login: LoginMonitor.Configuration {
        LoginMonitor.Configuration(
            identity: LoginIdentity(session: Environment["XDG_SESSION_ID"]),
            address: Environment["DBUS_SYSTEM_BUS_ADDRESS"])
    }

    /// The player as desktops see it; nil if they do not.
    private func desktop(in runtimeFolder: String) -> MPRISFrontEnd.Configuration? {
        guard isShownToDesktop else { return nil }
        return MPRISFrontEnd.Configuration(
            address: sessionBus(in: runtimeFolder), artworkFolder: CacheFolder.artwork)
    }

    /// The bus of the user's desktop.
    private func sessionBus(in runtimeFolder: String) -> BusAddress {
        .at(Environment["DBUS_SESSION_BUS_ADDRESS"] ?? "unix:path=\(runtimeFolder)/bus")
    }

    /// The socket, and whether it is systemd's, which outlives the service.
    private func listener(
        in runtimeFolder: String
    ) throws -> (descriptor: Int32, keepsSocket: Bool) {
        if let listener { return (listener, false) }
        if let inherited = SystemdService.listenDescriptors().first { return (inherited, true) }
        return (try ControlSocket(session: session, runtimeFolder: runtimeFolder).listen(), false)
    }
}
