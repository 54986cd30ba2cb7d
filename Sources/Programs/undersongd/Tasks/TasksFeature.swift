import UndersongAudioSession
import UndersongBackground
import UndersongBase

/// Finite-length tasks of the clients and of the service itself (behaviour 2.8). The host is suspended
/// when none is left.
final class TasksFeature: BackgroundFeature {
    static let methods: [WireMethod] = [
        WireMethod(BeginTask.self) { frontEnd, call, origin in
            let task = await frontEnd.player.beginTask(call.name, of: origin.client.id)
            return BeginTask.Reply(
                task: task, timeRemaining: await frontEnd.player.timeRemaining)
        },
        WireMethod(EndTask.self) { frontEnd, call, origin in
            await frontEnd.player.endTask(call.task, of: origin.client.id)
            return Nothing()
        },
        WireMethod(GetTaskTime.self) { frontEnd, _, _ in
            GetTaskTime.Reply(timeRemaining: await frontEnd.player.timeRemaining)
        },
    ]

    /// The owner of a task, notified of its end.
    enum Owner {
        /// A client.
        case client(ClientID)
        /// The service itself, which stops its work.
        case service(@Sendable () -> Void)
    }

    private let shell: Shell<BackgroundTasks>
    private var owners: [Int: Owner] = [:]
    private let clock: any HostClock

    init(_ service: PlayerService) {
        clock = service.configuration.clock
        let budget = service.configuration.backgroundBudget
        shell = service.shell(
            BackgroundTasks(budget: budget, warning: min(5, budget / 2)), of: TasksFeature.self,
            whenDue: { feature, _ in feature.shell.handle(.timePassed) },
            perform: { await $0.perform($1, $2) })
    }

    /// A host's time also passes while the machine sleeps.
    private var now: Double { clock.secondsSinceBoot }

    /// The seconds left in the background; nil in the foreground.
    var timeRemaining: Double? {
        let seconds = shell.machine.timeRemaining(at: now)
        return seconds == .greatestFiniteMagnitude ? nil : seconds
    }

    /// Begins a task; nil if no time is left for it.
    func begin(_ name: String, _ owner: Owner) -> Int? {
        var task: Int?
        shell.update { task = $0.begin(name: name, at: now) }
        if let task { owners[task] = owner }
        return task
    }

    /// Ends a task. An ended task is ignored.
    func end(_ task: Int) {
        owners[task] = nil
        shell.update { _ = $0.end(task) }
    }

    /// Wakes a suspended host, which then has the time of a task.
    func wake() { shell.update { $0.wake(at: now) } }

    /// The tasks of a client, in the order in which they began.
    fileprivate func tasks(of client: ClientID) -> [Int] {
        shell.machine.identifiers.filter { task in
            if case .client(client)? = owners[task] { true } else { false }
        }
    }

    // MARK: The feature

    /// The host's background time runs while it is in the background and may not play; it is then
    /// suspended as soon as no task needs it (A3, E2).
    func hostChanged(_ service: isolated PlayerService) async {
        let isAllowed = await service.session.isAllowed
        guard service.host.state == .background, !isAllowed else {
            return shell.update { $0.enterForeground() }
        }
        if timeRemaining == nil {
            shell.update { $0.enterBackground(at: now) }
            beginIndexing(service)
        }
        shell.update { _ = $0.settle() }
    }

    /// Lets the indexing of a long file in progress finish as far as time allows: the index is then
    /// saved and makes the next seek fast.
    private func beginIndexing(_ service: isolated PlayerService) {
        let session = service.session
        let task = begin("index of a long file", .service { session.cancelIndexing() })
        guard let task else { return }
        let isIndexing = session.whenIndexed { [weak service] in
            service?.post { $0.feature(TasksFeature.self).end(task) }
        }
        if !isIndexing { end(task) }
    }

    func clientLeft(_ client: ClientID, _ service: isolated PlayerService) async {
        for task in tasks(of: client) { end(task, of: client, service) }
    }

    /// Ends a task of a client, and the client's work on it.
    fileprivate func end(
        _ task: Int, of client: ClientID, _ service: isolated PlayerService
    ) {
        end(task)
        service.feature(AppsFeature.self).end(.task(task), of: client)
    }

    /// True until the host is in the background and no task needs it any more.
    var keepsAwake: Bool { !shell.machine.isSuspended }

    var isBusy: Bool { !shell.machine.identifiers.isEmpty }

    func add(to why: inout Why, _ service: isolated PlayerService) async {
        why.tasks = shell.machine.names
        why.backgroundTimeRemaining = timeRemaining
    }

    func end() { shell.stop() }

    // MARK: Effects

    private func perform(
        _ effects: [BackgroundTasks.Effect], _ service: isolated PlayerService
    ) async {
        for effect in effects {
            switch effect {
            case .expire(let tasks): for task in tasks { expire(task, service) }
            case .terminate(let overstays):
                for overstay in overstays { await terminate(overstay, service) }
            }
        }
    }

    private func expire(_ task: Int, _ service: isolated PlayerService) {
        switch owners[task] {
        case .client(let id):
            service.clients[id]?.client
                .taskIsExpiring(task, timeRemaining: timeRemaining ?? 0)
        case .service(let stop): stop()
        case nil: break
        }
    }

    private func terminate(
        _ overstay: BackgroundTasks.Overstay, _ service: isolated PlayerService
    ) async {
        if case .client(let id)? = owners.removeValue(forKey: overstay.identifier) {
            service.clients[id]?.client.taskWasTerminated(overstay.identifier)
            service.feature(AppsFeature.self)
                .end(.task(overstay.identifier), of: id, overran: true)
        }
        let name = overstay.name ?? "task \(overstay.identifier)"
        await service.report(
            "cannot keep the task '\(name)' running: Its time in the background is over",
            code: .taskOverstayed)
    }
}

extension PlayerService {
    /// The seconds that the host may still run in the background; nil in the foreground.
    package var timeRemaining: Double? { feature(TasksFeature.self).timeRemaining }

    /// Begins a task of a client and returns its number; nil if no time is left. Until it ends, the
    /// host is not suspended while its time lasts.
    package func beginTask(_ name: String, of client: ClientID) -> Int? {
        guard clients[client] != nil else { return nil }
        let task = feature(TasksFeature.self).begin(name, .client(client))
        if let task { feature(AppsFeature.self).begin(.task(task), of: client) }
        return task
    }

    /// Ends a task of a client. An ended task, or one of another client, is ignored.
    package func endTask(_ task: Int, of client: ClientID) {
        let feature = feature(TasksFeature.self)
        if feature.tasks(of: client).contains(task) { feature.end(task, of: client, self) }
    }
}
