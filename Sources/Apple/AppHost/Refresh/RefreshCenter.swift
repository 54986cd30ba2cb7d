import Dispatch
import Synchronization
package import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongLinuxPlatform

/// The scheduler of this process's background fetches, refreshes and processing, which `UIKit` and
/// `BackgroundTasks` share: keeps records in a file, and runs handlers.
///
/// With a service that knows this process as an app, the service is the scheduler: it keeps the records
/// and decides when a task begins; this remains for refusals, what is pending, and the ends of runs.
///
/// Any thread may use it; the application and the handlers are called on the main queue. Nothing
/// runs before the application has launched.
package final class RefreshCenter: Sendable {
    /// Seconds after the end of a run before the application may be suspended, if the handler has
    /// returned by then: what follows the completion, such as the next request (N1), is still to
    /// run, perhaps on another thread than the handler's.
    package static let lingering = 0.05

    /// The center of this process.
    package static let shared = RefreshCenter(
        .system(clock: SystemClock(), followsLogin: true), board: .shared,
        capabilities: .declared(in: .main))

    /// Calls the code that is to run.
    package typealias Handler = @Sendable (RefreshWork) -> Void

    struct State {
        weak var application: (any RefreshApplication)?
        var isLaunched = false
        var handlers: [String: Handler] = [:]
        /// The runs that have not been forgotten, by number.
        var works: [Int: RefreshWork] = [:]
        var endWatch: (@Sendable () -> Void)?
        /// The service that schedules; nil for this process itself.
        var service: AppConnection?
        /// The changes that the service has not confirmed, in order.
        var changes: [RefreshChange] = []
        var lastChange = 0
        /// The launches by the service that have not begun here, in order.
        var launches: [ServedRun] = []
        /// The runs of the service, by their number here.
        var served: [Int: ServedRun] = [:]
    }

    /// News for the application.
    enum News {
        case effect(RefreshHost.Effect)
        case message(String)
    }

    let state = Mutex(State())
    /// The news that the application has yet to get.
    private let news = MainQueueOutbox<News>()
    private let file = Mutex<RefreshFile?>(nil)
    private let environment: RefreshEnvironment
    /// Set once, before anything else can use it. Its effects wait for nothing but the disk.
    private nonisolated(unsafe) var madeShell: QueueShell<RefreshHost>?

    /// Creates a center without requests.
    package init(
        _ environment: RefreshEnvironment, board: HostStateBroadcaster,
        capabilities: Capabilities = Capabilities()
    ) {
        self.environment = environment
        unsafe madeShell = QueueShell(
            RefreshHost(environment, stage: .launching, lingering: Self.lingering),
            label: "background tasks", now: { environment.moment }, alarm: environment.alarm,
            perform: { [weak self] in self?.perform($0) })
        report(.host(.active, capabilities))
        board.read { [weak self] notice in
            self?.report(.host(notice.applicationState, notice.capabilities))
        }
    }

    /// Creates a center without requests, for which the machine's clock is all that counts.
    package convenience init(board: HostStateBroadcaster) {
        var environment = RefreshEnvironment.system(clock: SystemClock())
        environment.watchMachine = nil
        self.init(environment, board: board)
    }

    deinit {
        let (shell, endWatch) = (shell, state.withLock(\.endWatch))
        // This may be a thread that is to end.
        DispatchQueue(label: "background tasks, end").async {
            shell.stop()
            endWatch?()
        }
    }

    private var shell: QueueShell<RefreshHost> {
        guard let shell = unsafe madeShell else { preconditionFailure("it is made at once") }
        return shell
    }

    /// The machine after the latest input.
    var machine: RefreshHost { shell.machine }

    // MARK: The application

    /// The application exists.
    package func attach(_ application: any RefreshApplication) {
        state.withLock { $0.application = application }
    }

    /// The application has launched: all handlers are registered, and what is due begins, or the
    /// service learns what may begin.
    package func finishLaunching() {
        let (service, identifiers) = state.withLock { state in
            state.isLaunched = true
            return (state.service, state.identifiers)
        }
        // Without a handler nothing begins by itself.
        handle(.launched(handlers: service == nil ? identifiers : []))
        for identifier in service == nil ? [] : identifiers.sorted() {
            service?.send(RegisterRefresh(identifier)) { [weak self] result in
                if case .failure(let error) = result { self?.note(error) }
            }
        }
    }

    /// True if something that is due begins within moments unless the machine is against it. The
    /// application is notified once that has been decided, and should not be suspended before.
    package func awaitsDecision() -> Bool {
        handle(.awaitDecision)
        return machine.isAwaited
    }

    /// Changes what decides whether a task may run.
    package func report(_ report: RefreshHost.Report) { handle(.report(report)) }

    /// Sets how often to fetch at most (F2-F4).
    package func setInterval(_ interval: FetchInterval) {
        guard !handle(.scheduler(.setInterval(interval))).isEmpty else { return }
        send(.interval(interval))
    }

    /// Runs a fetch at once (K1).
    package func fetch(_ cause: RefreshCause) {
        handle(.scheduler(.run(RefreshScheduler.fetchIdentifier, .fetch, cause)))
    }

    /// The time at which something next runs, in seconds since 1970, unless something has to change
    /// first; nil if it has, or nothing is wanted.
    package var nextDue: Double? {
        machine.scheduler.forecasts(at: environment.now()).compactMap(\.due).min()
    }

    /// The seconds that the run may still take; nil once it is over.
    package func timeRemaining(of work: RefreshWork) -> Double? {
        machine.scheduler.tasks.first { $0.number == work.task.number }?
            .timeRemaining(at: environment.now())
    }

    /// Keeps requests and what was learned in a file from now on, and restores what is there. What
    /// was asked for before stays. Returns why that cannot be done. Does nothing where a service keeps
    /// them.
    package func keep(in path: String) -> String? {
        let (isLaunched, isServed) = state.withLock { ($0.isLaunched, $0.service != nil) }
        guard !isLaunched else { return "the application has launched already" }
        guard !isServed else { return nil }
        let earlier = machine.scheduler
        let new = RefreshFile(path: path)
        let (memory, damage) = new.read()
        if let memory {
            handle(.restored(memory))
            if earlier.interval != .never { setInterval(earlier.interval) }
            for request in earlier.requests { handle(.scheduler(.submit(request))) }
        }
        if let damage { show(damage) }
        return file.withLock { file in
            file = new
            return new.write(machine.scheduler.memory)
        }
    }

    // MARK: Requests

    /// The result of an attempt to register.
    package enum Registration: Hashable, Sendable {
        case registered
        case notPermitted
        /// The identifier has a handler already.
        case duplicate
        /// The application has launched.
        case late
    }

    /// Registers the handler of an identifier. It is called on the main queue, and has the work call
    /// `handlerReturned` once the code that it stands for has returned.
    package func register(_ identifier: String, _ handler: @escaping Handler) -> Registration {
        let permitted = machine.conditions.capabilities.permittedIdentifiers
        return state.withLock { state in
            if state.isLaunched { return .late }
            if state.handlers[identifier] != nil { return .duplicate }
            guard permitted.contains(identifier) else { return .notPermitted }
            state.handlers[identifier] = handler
            return .registered
        }
    }

    /// Submits a request, in place of one with the same identifier. It is kept when this returns,
    /// unless the service has just gone: then it is as soon as that is back.
    package func submit(_ request: RefreshRequest) throws(RefreshError) {
        for case .scheduler(.refused(_, let error)) in handle(.scheduler(.submit(request))) {
            throw error
        }
        do throws(ControlError) {
            try makeChange(.submit(request))
        } catch {
            handle(.scheduler(.cancel(request.identifier)))
            throw RefreshError(.unavailable, error.message)
        }
    }

    package func cancel(_ identifier: String) {
        handle(.scheduler(.cancel(identifier)))
        send(.cancel(identifier))
    }

    package func cancelAll() {
        handle(.scheduler(.cancelAll))
        send(.cancel(nil))
    }

    /// The requests that have not run, in the order in which they were submitted.
    package var requests: [RefreshRequest] { machine.scheduler.requests }

    /// The result of a simulation.
    package enum Simulation: Hashable, Sendable {
        case begun
        /// No request of the identifier is pending.
        case nothing
        /// It has no handler.
        case noHandler
    }

    /// Runs a pending request at once (K3).
    package func simulateLaunch(_ identifier: String) -> Simulation {
        let kind = requests.first { $0.identifier == identifier }?.kind
        guard let kind else {
            show("no request for a task with identifier \(identifier) is pending")
            return .nothing
        }
        let (hasHandler, service) = state.withLock { ($0.handlers[identifier] != nil, $0.service) }
        guard hasHandler else { return .noHandler }
        guard let service else {
            handle(.scheduler(.run(identifier, kind, .simulate)))
            return .begun
        }
        service.send(SimulateRefresh(identifier)) { [weak self] result in
            if case .failure(let error) = result { self?.note(error) }
        }
        return .begun
    }

    /// Expires a task that is running.
    package func simulateExpiration(_ identifier: String) {
        let task = machine.scheduler.tasks.last {
            $0.identifier == identifier && $0.kind != .fetch
        }
        guard let task else {
            show("no task with identifier \(identifier) is running")
            return
        }
        handle(.scheduler(.expire(task.number)))
    }

    func complete(_ task: RefreshTask, _ completion: RefreshCompletion) {
        let effects = handle(.scheduler(.completed(task.number, completion)))
        let (run, service) = state.withLock {
            ($0.served.removeValue(forKey: task.number), $0.service)
        }
        if let run {
            service?.send(CompleteRefresh(run.number, completion), by: run.connection)
        }
        if effects.contains(.scheduler(.ignored(task.number))) {
            show("\(task.name) is over already: its completion was ignored")
        }
    }

    /// The handler of a run has returned.
    func handlerReturned(_ task: RefreshTask) { shell.post(.returned(task.number)) }

    // MARK: Effects

    /// Handles an input, and returns its effects when what changes is kept and, on the main queue,
    /// the application has got the news.
    @discardableResult
    func handle(_ input: RefreshHost.Input) -> [RefreshHost.Effect] {
        let effects = shell.handle(input)
        if MainQueue.isCurrent { MainActor.assumeIsolated { deliver() } }
        return effects
    }

    /// Returns when all inputs so far are handled, for tests.
    package func settle() { shell.settle() }

    private func perform(_ effects: [RefreshHost.Effect]) {
        for effect in effects {
            switch effect {
            case .keep:
                let trouble = file.withLock { $0?.write(machine.scheduler.memory) }
                if let trouble { news.add(.message(trouble)) }
            case .watch where state.withLock({ $0.service != nil }): break
            case .watch:
                let end = environment.watch { [weak self] report in
                    self?.shell.post(.report(report))
                }
                state.withLock { $0.endWatch = end }
            case .endWatch:
                let end = state.withLock { state in
                    defer { state.endWatch = nil }
                    return state.endWatch
                }
                end?()
            case .scheduler(let decided):
                if let message = decided.message { news.add(.message(message)) }
                if case .launch(let task) = decided { noteLaunch(task) }
                news.add(.effect(effect))
            case .rest, .decided: news.add(.effect(effect))
            }
        }
        deliverSoon()
    }

    func show(_ message: String) {
        news.add(.message(message))
        if MainQueue.isCurrent {
            MainActor.assumeIsolated { deliver() }
        } else {
            deliverSoon()
        }
    }

    private func deliverSoon() {
        DispatchQueue.main.async { [weak self] in
            MainActor.assumeIsolated { self?.deliver() }
        }
    }

    @MainActor private func deliver() {
        news.deliver { next in
            let application = state.withLock(\.application)
            switch next {
            case .message(let message): application?.show(message)
            case .effect(let effect): deliver(effect, to: application)
            }
        }
    }

    @MainActor private func deliver(
        _ effect: RefreshHost.Effect, to application: (any RefreshApplication)?
    ) {
        switch effect {
        case .scheduler(.launch(let task)): launch(task, application)
        case .scheduler(.expire(let task)): expire(task)
        case .scheduler(.ended(let task, let run)):
            guard let work = state.withLock({ $0.works[task.number] }) else { return }
            work.end()
            application?.didRun(work, run)
        case .rest(let number):
            let work = state.withLock { $0.works.removeValue(forKey: number) }
            if let work { application?.mayRest(after: work) }
        case .decided: application?.didDecide()
        case .keep, .watch, .endWatch,
            .scheduler(.keep), .scheduler(.refused), .scheduler(.ignored),
            .scheduler(.scheduled), .scheduler(.badge):
            break
        }
    }

    @MainActor private func launch(_ task: RefreshTask, _ application: (any RefreshApplication)?) {
        let work = RefreshWork(task, self)
        let handler = state.withLock { state in
            state.works[task.number] = work
            return state.handlers[task.identifier]
        }
        application?.willRun(work)
        if task.kind != .fetch {
            handler?(work)
        } else {
            if let application {
                application.performFetch(work)
            } else {
                work.complete(RefreshCompletion(.failed))
            }
            work.handlerReturned()
        }
    }

    /// Warns a run. A task without a handler for that is over, without success; a fetch has none
    /// and may take its time.
    @MainActor private func expire(_ task: RefreshTask) {
        guard let work = state.withLock({ $0.works[task.number] }) else { return }
        if let handler = work.removeExpirationHandler() {
            handler()
        } else if task.kind != .fetch {
            work.complete(RefreshCompletion(.failed))
        }
    }
}
