import AudioSession
import Background
import Control
import Dispatch
import Glibc
import LinuxPlatform
import Playback
import Store

/// The one place where clients' requests, the host's state and the session meet. It runs on the
/// session's own executor and never waits for a client.
///
/// Its requests are in `ServiceRequests.swift`, the host in `ServiceHost.swift`, the tasks in
/// `ServiceTasks.swift`.
actor ServiceCore {
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe session.executor.asUnownedSerialExecutor()
    }

    /// What a service is made with.
    struct Configuration: Sendable {
        var sessionName: String
        var manifest: ManifestFile
        /// Seconds that the host may run in the background without a capability (E3).
        var backgroundBudget: Double
        /// Seconds after which a service that has nothing to do leaves; nil: it stays.
        var idleSeconds: Double?
        /// The time by which its timers run.
        var clock: any HostClock
        /// The time by which it plays.
        var soundClock: any HostClock
    }

    /// Lines to a descriptor that are written at the same time, at most: each may hold a thread.
    static let writerLimit = 16

    nonisolated let session: AudioSession
    nonisolated let feed: EventFeed
    let store: StateStore
    let configuration: Configuration
    let log: ServiceLog
    var manifest: ManifestFile
    /// Whether the `audio` mode counts as declared for the run that is on, whatever the manifest says.
    var audioOverride: Bool?
    var host = HostState()
    var isInterruptedBySleep = false
    /// Nanoseconds of CLOCK_MONOTONIC since which there is no sound server; nil: there is one.
    var mediaServicesLostSince: Int64?
    var clients: [Int: ServiceClient] = [:]
    var watches = TimeWatches()
    /// How the last run ended.
    private var lastEnd: SessionEnd?
    var tasks: TaskClock
    var sleep: SleepClock
    private var idleTimer: HostTimer?
    let ends: Ends

    /// The two ways in which a service ends by itself.
    struct Ends: Sendable {
        /// At once, since somebody wants it to.
        var now: @Sendable () -> Void
        /// Unless somebody connects meanwhile.
        var unlessUsed: @Sendable () -> Void
    }

    /// Makes a core, which calls one of `ends` when the service should end.
    init(
        _ configuration: Configuration, session: AudioSession, store: StateStore,
        feed: EventFeed, log: ServiceLog, ends: Ends
    ) {
        self.configuration = configuration
        self.session = session
        self.store = store
        self.feed = feed
        self.log = log
        self.ends = ends
        manifest = configuration.manifest
        tasks = TaskClock(budget: configuration.backgroundBudget, clock: configuration.clock)
        sleep = SleepClock(clock: configuration.clock)
    }

    /// Runs `work` here, in the order of the calls. Any thread.
    nonisolated func post(_ work: @escaping @Sendable (isolated ServiceCore) async -> Void) {
        Task(executorPreference: session.executor) { await work(self) }
    }

    /// Begins: the manifest counts, and the host is in the background until a client comes.
    func begin() async {
        if let problem = manifest.problem { await tell(problem, code: "bad-manifest") }
        await declare()
        await hostChanged()
        considerLeaving()
    }

    /// What is declared, with what this run overrides of it, counts from now on.
    func declare() async {
        var capabilities = manifest.capabilities
        var source = manifest.source
        if let audioOverride {
            source = "--background-audio"
            if audioOverride {
                capabilities.backgroundModes.insert(.audio)
            } else {
                capabilities.backgroundModes.remove(.audio)
            }
        }
        await session.declare(capabilities, source: source)
        await accountForHost()
    }

    /// Publishes a problem of the service's own.
    func tell(_ message: String, code: String) async {
        log.write(message)
        await session.report(SessionFailure(code: code, description: message))
    }

    /// Whether nothing of the service runs until somebody comes.
    var isSuspended: Bool { tasks.account.isSuspended }

    // MARK: Clients

    func opened(_ connection: ControlConnection) {
        clients[connection.id] = ServiceClient(connection: connection)
        idleTimer?.cancel()
        idleTimer = nil
    }

    func closed(_ connection: ControlConnection) async {
        guard let client = clients.removeValue(forKey: connection.id) else { return }
        for subscription in client.subscriptions.values { await end(subscription) }
        for task in tasks.tasks(of: connection.id) { await endTask(task) }
        if host.detach(connection.id) { await hostChanged() }
        considerLeaving()
    }

    func end(_ subscription: EventSubscription) async {
        feed.remove(subscription)
        subscription.end()
        for watch in subscription.watches where watches.leave(watch) {
            await session.removeTimeEvents(watch)
        }
    }

    /// What reports `times` from now on, for one subscription more.
    func watch(_ times: TimeEvents) async -> WatchID {
        if let watch = watches.share(times) { return watch }
        let watch = await session.addTimeEvents(times)
        if let shared = watches.share(times) {
            // Somebody else has asked for the same meanwhile.
            await session.removeTimeEvents(watch)
            return shared
        }
        watches.add(times, as: watch)
        return watch
    }

    /// The client follows `run`: it is told when that is over, which may be already.
    func follow(_ run: Int, _ id: Int) {
        clients[id]?.followedRun = run
        if let end = lastEnd, end.run >= run { tellFollowers(of: end) }
    }

    /// What was there to play is over: those who follow it are told, behind the last event.
    func runEnded(_ end: SessionEnd) async {
        lastEnd = end
        tellFollowers(of: end)
        if audioOverride != nil, await session.report.run == end.run {
            audioOverride = nil
            await declare()
        }
        considerLeaving()
    }

    private func tellFollowers(of end: SessionEnd) {
        for (id, client) in clients {
            guard let run = client.followedRun, run <= end.run else { continue }
            clients[id]?.followedRun = nil
            tellEnd(end, run: run, to: client)
        }
    }

    func tellEnd(_ end: SessionEnd, run: Int, to client: ServiceClient) {
        let notice = RunEnded(
            run: run, reason: end.reason.name, code: end.reason.code, played: end.playedCount,
            failed: end.failedCount)
        let connection = client.connection
        guard let subscription = client.subscriptions.values.first(where: \.isWritten) else {
            return connection.notify(notice)
        }
        // Nothing follows the end.
        feed.remove(subscription)
        subscription.whenWritten { connection.notify(notice) }
    }

    // MARK: The end

    /// Leaves in a while when nobody is there and nothing is left to do.
    func considerLeaving() {
        guard let seconds = configuration.idleSeconds, clients.isEmpty, idleTimer == nil
        else { return }
        idleTimer = configuration.clock.wake(after: seconds, leeway: 100_000_000) { [weak self] in
            self?.post { await $0.leaveIfIdle() }
        }
    }

    /// A run that is not over, playing, paused or suspended, is a reason to stay.
    private func leaveIfIdle() async {
        idleTimer = nil
        guard clients.isEmpty, tasks.account.identifiers.isEmpty,
            await !session.report.isRunning
        else { return }
        ends.unlessUsed()
    }
}

extension SessionEnd.Reason {
    /// `finished`, `stopped` or `outputFailed`.
    var name: String {
        switch self {
        case .finished: "finished"
        case .stopped: "stopped"
        case .outputFailed: "outputFailed"
        }
    }

    /// The output's error, where it has failed.
    var code: String? { if case .outputFailed(let code) = self { code.rawValue } else { nil } }
}
