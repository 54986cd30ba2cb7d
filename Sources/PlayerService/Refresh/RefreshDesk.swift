package import Background
package import Playback

/// The scheduler of background tasks with what it needs around it. Used on the service's executor
/// only.
struct RefreshDesk {
    /// The identifier of the service's own fetches.
    static let fetchIdentifier = "net.undersong.refresh"
    /// The identifier of the service's own processing.
    static let analysisIdentifier = "net.undersong.analysis"

    /// Who runs a task.
    enum Runner {
        case client(ClientID)
        case service(RefreshHandler)
    }

    var scheduler: RefreshScheduler
    /// Whether what the last service has left is known. Until then nothing is handled.
    var isRestored = false
    var conditions = RefreshConditions()
    /// The clients that have registered, by identifier; the last one is launched.
    var registered: [String: [ClientID]] = [:]
    var handlers: [String: RefreshHandler] = [:]
    var runners: [Int: Runner] = [:]
    /// The clients that wait for the end of a task.
    var followers: [Int: [ClientID]] = [:]
    var alarm: (any ScheduleAlarm)?
    var endWatch: (@Sendable () -> Void)?
    /// How much is new since the host was opened.
    var badge = 0
    /// What waits until the desk is restored.
    var waiting: [CheckedContinuation<Void, Never>] = []
    private let clock: any HostClock
    private let environment: RefreshEnvironment

    init(clock: any HostClock, environment: RefreshEnvironment) {
        self.clock = clock
        self.environment = environment
        scheduler = RefreshScheduler(
            requiredIdentifier: Self.fetchIdentifier, seed: environment.seed)
    }

    var now: ScheduleTime {
        let wall = clock.secondsSinceEpoch
        return ScheduleTime(
            boot: clock.secondsSinceBoot, wall: wall, utcOffset: environment.utcOffset(wall))
    }

    /// The conditions with what nobody reports.
    var currentConditions: RefreshConditions {
        var conditions = conditions
        conditions.handlers = Set(handlers.keys)
            .union(registered.filter { !$0.value.isEmpty }.keys)
        let processes = scheduler.requests.contains { $0.kind == .processing }
        conditions.load = processes ? environment.load() : nil
        return conditions
    }

    /// Whether something is wanted that may come about while no client is connected.
    var isWaiting: Bool {
        guard !scheduler.isShutDown else { return !scheduler.tasks.isEmpty }
        return !scheduler.tasks.isEmpty || !scheduler.requests.isEmpty
            || scheduler.interval.seconds != nil
    }

    /// Begins to watch the machine if something is wanted.
    mutating func watchMachine(_ take: @escaping @Sendable (MachineState) -> Void) {
        guard endWatch == nil, isWaiting, let watch = environment.watchMachine else { return }
        endWatch = watch(take)
    }

    /// Sets the alarm for what is due next.
    mutating func setAlarm(_ ring: @escaping @Sendable () -> Void) {
        let due = scheduler.alarm(at: now)
        if alarm == nil {
            guard due.boot != nil || due.wall != nil else { return }
            alarm = environment.alarm(ring)
        }
        alarm?.set(boot: due.boot, wall: due.wall)
    }

    /// Ends the threads. They may be waiting for nobody.
    mutating func stop() {
        alarm?.stop()
        endWatch?()
        (alarm, endWatch) = (nil, nil)
    }

    var bootID: String { environment.bootID }
}

/// An alarm by a clock of the program, which does not notice that the date is set.
package final class ClockAlarm: ScheduleAlarm {
    private let clock: any HostClock
    private let ring: @Sendable () -> Void
    private let timer = TimerBox()

    /// Calls `ring` on a thread of `clock`.
    package init(_ clock: any HostClock, _ ring: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.ring = ring
    }

    package func set(boot: Double?, wall: Double?) {
        let delays = [
            boot.map { $0 - clock.secondsSinceBoot }, wall.map { $0 - clock.secondsSinceEpoch },
        ]
        timer.replace(
            delays.compactMap(\.self).min().map { clock.wake(after: $0, leeway: 0, ring) })
    }

    package func stop() { timer.replace(nil) }
}
