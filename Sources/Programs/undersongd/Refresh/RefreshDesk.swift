import UndersongBackground
import UndersongBase
import UndersongStore

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
    var alarm: (any Alarm)?
    var endWatch: (@Sendable () -> Void)?
    /// What waits until the desk is restored.
    var waiting: [CheckedContinuation<Void, Never>] = []
    private let environment: RefreshEnvironment

    init(_ environment: RefreshEnvironment) {
        self.environment = environment
        conditions.isSettling = environment.watchMachine != nil
        scheduler = RefreshScheduler(
            requiredIdentifier: Self.fetchIdentifier, boot: environment.bootID,
            seed: environment.seed)
    }

    var now: ScheduleTime { environment.now() }

    /// The conditions with what nobody reports.
    var currentConditions: RefreshConditions {
        var conditions = conditions
        conditions.handlers = Set(handlers.keys)
            .union(registered.filter { !$0.value.isEmpty }.keys)
        let processes = scheduler.requests.contains { $0.kind == .processing }
        conditions.load = processes ? environment.load() : nil
        return conditions
    }

    /// Begins to watch the machine if something is wanted.
    mutating func watchMachine(_ take: @escaping @Sendable (MachineState) -> Void) {
        guard endWatch == nil, scheduler.isWaiting, let watch = environment.watchMachine else {
            return
        }
        endWatch = watch(take)
    }

    /// Sets the alarm for what is due next.
    mutating func setAlarm(_ ring: @escaping @Sendable () -> Void) {
        let due = scheduler.nextDue(at: now)
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
}

extension RefreshScheduler.Change {
    /// The namespace of the records that are kept.
    static let namespace = "refresh"

    /// The records that keep the change.
    var records: [RecordChange] {
        get throws {
            let removed = removedKey.map {
                RecordChange.remove(namespace: Self.namespace, key: $0)
            }
            if case .noRequest = self { return [removed].compactMap(\.self) }
            return [try .keep(self, in: Self.namespace, as: key), removed].compactMap(\.self)
        }
    }
}

extension RefreshEnvironment {
    /// A clock, and nothing else that is known of the machine.
    init(clock: any HostClock) {
        self.init(
            now: { ScheduleTime(clock, in: { _ in 0 }) }, alarm: { ClockAlarm(clock, $0) },
            seed: UInt64(bitPattern: clock.now))
    }
}
