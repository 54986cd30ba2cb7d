package import AudioSession
import Background
import Playback
package import Store

/// The player as a service, for any front end: the one place where what clients ask for, the host's
/// state and the session meet. It knows no wire. It runs on the session's own executor and never
/// waits for a client.
///
/// What can be asked for is in `UseCases`, with its values in `Requests` and its answers in
/// `Reports`. Whatever cannot be done throws a `ServiceError`.
package actor PlayerService {
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe session.executor.asUnownedSerialExecutor()
    }

    /// What a service is made with.
    package struct Configuration: Sendable {
        /// What declares the background modes.
        package var manifest: ManifestFile
        /// Seconds that the host may run in the background without a capability (E3).
        package var backgroundBudget: Double
        /// Seconds after which a service that has nothing to do leaves; nil: it stays.
        package var idleSeconds: Double?
        /// The time by which its timers run.
        package var clock: any HostClock
        /// The cookies that sound servers are shown.
        package var cookies: any SoundServerCookies
        /// The folder with the queues that the user keeps by name; nil: nobody knows where that is.
        package var savedQueueFolder: String?
        /// Writes a line of what the service says of itself. Any thread.
        package var log: @Sendable (String) -> Void

        package init(
            manifest: ManifestFile, backgroundBudget: Double, idleSeconds: Double?,
            clock: any HostClock, cookies: any SoundServerCookies,
            savedQueueFolder: String? = nil, log: @escaping @Sendable (String) -> Void
        ) {
            self.manifest = manifest
            self.backgroundBudget = backgroundBudget
            self.idleSeconds = idleSeconds
            self.clock = clock
            self.cookies = cookies
            self.savedQueueFolder = savedQueueFolder
            self.log = log
        }
    }

    nonisolated let session: AudioSession
    let store: StateStore
    let configuration: Configuration
    var manifest: ManifestFile
    /// Whether the `audio` mode counts as declared for the run that is on, whatever the manifest says.
    var audioOverride: Bool?
    var host = HostState()
    var isInterruptedBySleep = false
    /// Nanoseconds of CLOCK_MONOTONIC since which there is no sound server; nil: there is one.
    var mediaServicesLostSince: Int64?
    var clients: [ClientID: ConnectedClient] = [:]
    var watches = TimeWatches()
    /// How the last run ended.
    var lastEnd: SessionEnd?
    var tasks: TaskClock
    var sleepClock: SleepClock
    var idleTimer: HostTimer?
    /// Called when there is nothing left to do.
    var whenIdle: @Sendable () -> Void = {}

    /// Makes a service, which does nothing before `start`.
    package init(_ configuration: Configuration, session: AudioSession, store: StateStore) {
        self.configuration = configuration
        self.session = session
        self.store = store
        manifest = configuration.manifest
        tasks = TaskClock(budget: configuration.backgroundBudget, clock: configuration.clock)
        sleepClock = SleepClock(clock: configuration.clock)
    }

    /// Begins: the session runs, the manifest counts, and the host is in the background until a
    /// client comes. `settings` are changed first, and with `resumes` it plays. `whenIdle` is called
    /// each time that nobody has been there for `idleSeconds` and nothing is left to do.
    package nonisolated func start(
        settings: SettingsChange = SettingsChange(), resumes: Bool = false,
        whenIdle: @escaping @Sendable () -> Void = {}
    ) {
        let history = HistoryKeeper(store, clock: configuration.clock)
        session.subscribe { [weak self] event in
            history.take(event)
            switch event.kind {
            case .runEnded(let end): self?.post { await $0.runEnded(end) }
            case .mediaServicesWereLost, .mediaServicesWereReset:
                self?.post { $0.follow(event.kind, at: event.hostTime) }
            default: break
            }
        }
        Task(executorPreference: session.executor) { [session] in await session.run() }
        post { service in
            await service.begin(whenIdle)
            if settings != SettingsChange() { _ = try? await service.set(settings) }
            if resumes { await service.session.player.play() }
        }
    }

    private func begin(_ whenIdle: @escaping @Sendable () -> Void) async {
        self.whenIdle = whenIdle
        if let problem = manifest.problem {
            await report(problem.description, code: "bad-manifest")
        }
        await declare()
        await hostChanged()
        considerLeaving()
    }

    /// Falls silent for good: the run that is on ends, and with it the session. That sound is wanted
    /// stays on record.
    package func end() async {
        await session.willStop()
        // Those who follow the queue hear that it is over.
        await session.halt()
        await session.stop()
    }

    /// Runs `work` here, in the order of the calls. Any thread.
    package nonisolated func post(
        _ work: @escaping @Sendable (isolated PlayerService) async -> Void
    ) {
        Task(executorPreference: session.executor) { await work(self) }
    }

    /// What the service's actors and timers run on.
    package nonisolated var executor: SessionExecutor { session.executor }

    /// Publishes a problem of the service's own.
    package func report(_ problem: String, code: String) async {
        configuration.log(problem)
        await session.report(SessionFailure(code: code, description: problem))
    }

    /// Whether nothing of the service runs until somebody comes.
    var isSuspended: Bool { tasks.account.isSuspended }
}
