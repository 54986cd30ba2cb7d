package import UndersongAudioSession
package import UndersongBackground
package import UndersongBase
import UndersongPlayback
package import UndersongStore

/// The player as a service for any front end: the one place where requests of clients, the host's
/// state and the session meet. Independent of any wire protocol. Runs on the session's executor and
/// never waits for a client.
///
/// Its methods are in `UseCases`, their parameters in `Requests` and their results in `Reports`.
/// Requests that cannot be fulfilled throw a `ServiceError`.
package actor PlayerService {
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe session.executor.asUnownedSerialExecutor()
    }

    /// The configuration of a service.
    package struct Configuration: Sendable {
        /// The manifest that declares the background modes.
        package var manifest: ManifestFile
        /// The seconds that the host may run in the background without a capability (E3).
        package var backgroundBudget: Double
        /// The idle time in seconds after which the service exits; nil to stay.
        package var idleSeconds: Double?
        /// The clock for its timers.
        package var clock: any HostClock
        /// The cookies to present to sound servers.
        package var cookies: any SoundServerCookies
        /// The folder with the queues that the user has saved by name; nil if there is none.
        package var savedQueueFolder: String?
        /// Does the work of background processing; nil if nothing does.
        package var processing: (any FileProcessing)?
        /// Brings pushes from elsewhere; nil for none.
        package var pushProvider: (any PushProvider)?
        /// Writes a line to the service's log. May be called on any thread.
        package var log: @Sendable (String) -> Void
        /// The needs of locations from the machine; nil if there are none.
        package var locations: LocationEnvironment?
        /// The needs of podcasts; nil if there are none.
        var podcasts: PodcastLibrary.Configuration?
        /// The needs of the library; nil if there is none.
        var library: LibraryEnvironment?
        /// The needs of background tasks from the machine; nil for the clock alone.
        package var refresh: RefreshEnvironment?
        /// The folder for the logs of apps; nil if nothing is kept of them.
        package var appLogFolder: String?
        /// The folder of the session's state; nil if nothing is kept.
        package var stateFolder: String?
        /// The session's name, by which apps find the service that has launched them.
        package var sessionName = "default"
        /// True if the apps end with the service.
        package var endsApps = false
        /// Makes what shows notifications to the user, when there is one to show; nil if nothing does.
        package var makeNotifier: (@Sendable () -> any UserNotifier)?
        /// True to show a notification for each item that begins, whatever the user has set.
        package var notifiesItems = false
        /// Called when the service has come to rest: no client is connected, nothing plays, and
        /// nothing is being done in the background. On the session's executor; must not block.
        package var whenAtRest: (@Sendable () -> Void)?
        /// Keeps snapshots of the player (K4); nil if nobody does. Called on the session's executor;
        /// must not block.
        package var keepSnapshot: (@Sendable (StateSnapshot) -> Void)?

        init(
            manifest: ManifestFile, backgroundBudget: Double, idleSeconds: Double?,
            clock: any HostClock, cookies: any SoundServerCookies,
            savedQueueFolder: String? = nil, processing: (any FileProcessing)? = nil,
            log: @escaping @Sendable (String) -> Void, podcasts: PodcastLibrary.Configuration? = nil
        ) {
            self.manifest = manifest
            self.backgroundBudget = backgroundBudget
            self.idleSeconds = idleSeconds
            self.clock = clock
            self.cookies = cookies
            self.savedQueueFolder = savedQueueFolder
            self.processing = processing
            self.log = log
            self.podcasts = podcasts
        }
    }

    nonisolated let session: AudioSession
    let store: StateStore
    let configuration: Configuration
    let lyricsReader = LyricsReader()
    var manifest: ManifestFile
    /// Overrides, for the current run, whether the `audio` mode is declared.
    var audioOverride: Bool?
    var host = HostClients()
    var isInterruptedBySleep = false
    /// The time since which there is no sound server, in nanoseconds of
    /// CLOCK_MONOTONIC; nil if there is one.
    var mediaServicesLostSince: Int64?
    var clients: [ClientID: ConnectedClient] = [:]
    var watches = TimeWatches()
    /// The end of the last run.
    var lastEnd: SessionEnd?
    var idleTimer: HostTimer?
    /// Fires when the service has come to rest, unless something happens before.
    var restTimer: HostTimer?
    /// Called when there is nothing left to do.
    var whenIdle: @Sendable () -> Void = {}

    /// The features, by which the service is more than a player.
    private(set) lazy var features = Self.featureTypes.map { $0.init(self) }

    /// Creates a service, which does nothing before `start`.
    package init(_ configuration: Configuration, session: AudioSession, store: StateStore) {
        self.configuration = configuration
        self.session = session
        self.store = store
        manifest = configuration.manifest
    }

    /// Starts the service: runs the session, applies the manifest, and puts the host in the
    /// background until a client connects. `settings` are changed first, and with `resumes` it
    /// plays. `whenIdle` is called whenever no client has been connected for `idleSeconds` and
    /// nothing is left to do.
    package nonisolated func start(
        settings: SettingsChange = SettingsChange(), resumes: Bool = false,
        whenIdle: @escaping @Sendable () -> Void = {}
    ) {
        let history = HistoryKeeper(store, clock: configuration.clock)
        let plays = configuration.library.map { library in
            PlayKeeper(
                library.store, clock: configuration.clock, executor: session.executor
            ) { [weak self] track in
                self?.post { await $0.libraryHasCounted(track) }
            }
        }
        session.subscribe { [weak self] event in
            history.receive(event)
            plays?.receive(event)
            self?.deliver(event)
            switch event.kind {
            case .runEnded(let end): self?.post { await $0.runEnded(end) }
            case .mediaServicesWereLost, .mediaServicesWereReset:
                self?.post { $0.follow(event.kind, at: event.head.hostTime) }
            default: break
            }
        }
        Task(executorPreference: session.executor) { [session, weak self] in
            await session.observeCalls { [weak self] in self?.post { await $0.followCall() } }
            await session.run()
        }
        post { service in
            if settings != SettingsChange() { try? await service.apply(settings) }
            await service.begin(whenIdle)
            if resumes { await service.session.player.play() }
        }
    }

    /// Passes an event on to the features that want it, unless it is one of a hundred a second. May
    /// be called on any thread.
    private nonisolated func deliver(_ event: PlayerEvent) {
        if case .time = event.kind { return }
        for type in Self.featureTypes where type.wants(event) {
            post { await $0.feature(type).handle(event, $0) }
        }
    }

    private func begin(_ whenIdle: @escaping @Sendable () -> Void) async {
        self.whenIdle = whenIdle
        if let problem = manifest.problem {
            await report(problem.description, code: .badManifest)
        }
        await declare()
        await hostChanged()
        for feature in features { await feature.begin(self) }
        considerLeaving()
    }

    /// Goes silent for good: ends the current run and the session. The record still says that
    /// playback is wanted.
    package func end() async {
        for feature in features { await feature.willEnd(self) }
        for feature in features { feature.end() }
        await session.willStop()
        // Clients that follow the run are notified of its end.
        await session.halt()
        await session.stop()
    }

    /// Runs `work` here, in the order of the calls. May be called on any thread.
    package nonisolated func post(
        _ work: @escaping @Sendable (isolated PlayerService) async -> Void
    ) {
        Task(executorPreference: session.executor) { await work(self) }
    }

    /// The executor of the service's actors and timers.
    package nonisolated var executor: SessionExecutor { session.executor }

    /// Publishes a problem of the service itself.
    package func report(_ problem: String, code: ServiceProblem) async {
        configuration.log(problem)
        await session.report(.error(SessionFailure(code: code.rawValue, message: problem)))
    }

    /// True if the service is suspended until a client does something.
    var isSuspended: Bool {
        !features.contains { $0.keepsAwake }
    }
}
