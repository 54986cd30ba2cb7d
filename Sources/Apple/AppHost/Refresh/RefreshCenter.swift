import Dispatch
import Synchronization
package import UndersongBackground
import UndersongBase
import UndersongLinuxPlatform

/// Where the background fetches, refreshes and processing of this process are scheduled: the shell
/// around a `RefreshScheduler`, which `UIKit` and `BackgroundTasks` share.
///
/// Any thread may use it; the host and the handlers are called on the main queue. Nothing runs
/// before the application has launched.
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
        weak var host: (any RefreshHost)?
        var scheduler: RefreshScheduler
        /// The conditions, with handlers and state of the host as they will be after the launch.
        var conditions = RefreshConditions()
        var isLaunched = false
        var handlers: [String: Handler] = [:]
        /// What is running.
        var works: [Int: RefreshWork] = [:]
        /// What the host has yet to be notified of, in order.
        var notices: [Notice] = []
        var isDelivering = false
        /// Runs that have ended, and when the host may rest after them, in seconds of
        /// CLOCK_BOOTTIME.
        var lingering: [(work: RefreshWork, until: Double)] = []
        var file: RefreshFile?
        var alarm: (any Alarm)?
        /// The watches that have yet to report for the first time.
        var unreported: Set<Watch> = []
        /// Whether the host waits until what is due has begun, or cannot.
        var isAwaited = false
        /// What ends the watches of the machine; nil before they have begun.
        var endWatches: [@Sendable () -> Void]?
        /// Whether the host reports the conditions of the machine, so that nobody else is asked.
        var hostReportsMachine = false
    }

    /// What reports the conditions of the machine.
    enum Watch {
        case machine
        case login
    }

    /// What the host is notified of.
    enum Notice {
        case launch(RefreshTask)
        case expire(RefreshTask)
        case ended(RefreshTask, RefreshRun)
        case rest(RefreshWork)
        case decided
        case show(String)
    }

    let state: Mutex<State>
    let environment: RefreshEnvironment
    /// On which inputs are handled and kept, one after the other. It waits for nothing but the disk.
    private let queue = DispatchQueue(label: "background tasks")

    /// Creates a center without requests.
    package init(
        _ environment: RefreshEnvironment, board: HostStateBroadcaster,
        capabilities: Capabilities = Capabilities()
    ) {
        self.environment = environment
        state = Mutex(
            State(
                scheduler: RefreshScheduler(
                    boot: environment.bootID, seed: environment.seed)))
        state.withLock { state in
            if environment.watchMachine != nil { state.unreported.insert(.machine) }
            if environment.watchLogin != nil { state.unreported.insert(.login) }
            state.conditions.isSettling = !state.unreported.isEmpty
        }
        update { conditions in
            conditions.capabilities = capabilities
            conditions.host = .active
        }
        board.read { [weak self] notice in
            self?.update { conditions in
                conditions.capabilities = notice.capabilities
                conditions.host = notice.applicationState
            }
        }
    }

    /// Creates a center without requests, for which the machine's clock is all that counts.
    package convenience init(board: HostStateBroadcaster) {
        var environment = RefreshEnvironment.system(clock: SystemClock())
        environment.watchMachine = nil
        self.init(environment, board: board)
    }

    deinit {
        let (alarm, ends) = state.withLock { ($0.alarm, $0.endWatches ?? []) }
        // This may be a thread that is to end.
        DispatchQueue(label: "background tasks, end").async {
            alarm?.stop()
            ends.forEach { $0() }
        }
    }

    // MARK: The application

    /// The application exists.
    package func attach(_ host: any RefreshHost) { state.withLock { $0.host = host } }

    /// The application has launched: all handlers are registered, and what is due begins.
    package func finishLaunching() {
        state.withLock { $0.isLaunched = true }
        update { _ in }
    }

    /// Whether something that is due begins within moments unless the machine is against it. If so,
    /// the host is notified once that has been decided, and should not be suspended before.
    package func awaitsDecision() -> Bool {
        let now = environment.now()
        return state.withLock { state in
            state.isAwaited = state.scheduler.isAboutToBegin(at: now)
            return state.isAwaited
        }
    }

    /// Changes what decides whether a task may run.
    package func update(_ change: (inout RefreshConditions) -> Void) {
        let conditions = state.withLock { state in
            change(&state.conditions)
            return state.currentConditions(environment)
        }
        handle(.conditions(conditions))
    }

    /// Takes the conditions of the machine from the host from now on, instead of the machine.
    @MainActor package func updateMachine(_ change: (inout RefreshConditions) -> Void) {
        let ends = state.withLock { state in
            state.hostReportsMachine = true
            defer { state.endWatches = [] }
            return state.endWatches ?? []
        }
        ends.forEach { $0() }
        update { conditions in
            conditions.machine = MachineState()
            conditions.isSettling = false
            change(&conditions)
        }
    }

    /// Sets how often to fetch at most (F2-F4).
    package func setInterval(_ interval: FetchInterval) { handle(.setInterval(interval)) }

    /// Runs a fetch at once (K1).
    package func fetch(_ cause: RefreshCause) {
        handle(.run(RefreshScheduler.fetchIdentifier, .fetch, cause))
    }

    /// When something next runs, in seconds since 1970, unless something has to change first; nil
    /// if it has, or nothing is wanted.
    package var nextDue: Double? {
        let now = environment.now()
        return state.withLock { $0.scheduler.forecasts(at: now).compactMap(\.due).min() }
    }

    /// The seconds that the run may still take; nil once it is over.
    package func timeRemaining(of work: RefreshWork) -> Double? {
        let now = environment.now()
        return state.withLock { state in
            state.scheduler.tasks.first { $0.number == work.task.number }?.timeRemaining(at: now)
        }
    }

    // MARK: Requests

    /// How an attempt to register has ended.
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
        state.withLock { state in
            if state.isLaunched { return .late }
            if state.handlers[identifier] != nil { return .duplicate }
            guard state.conditions.capabilities.permittedIdentifiers.contains(identifier) else {
                return .notPermitted
            }
            state.handlers[identifier] = handler
            return .registered
        }
    }

    /// Submits a request, in place of one with the same identifier. It is kept when this returns.
    package func submit(_ request: RefreshRequest) throws(RefreshError) {
        for case .refused(_, let error) in handle(.submit(request)) { throw error }
    }

    package func cancel(_ identifier: String) { handle(.cancel(identifier)) }

    package func cancelAll() { handle(.cancelAll) }

    /// The requests that have not run, in the order in which they were submitted.
    package var requests: [RefreshRequest] { state.withLock { $0.scheduler.requests } }

    /// What became of a simulation.
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
        guard state.withLock({ $0.handlers[identifier] != nil }) else { return .noHandler }
        handle(.run(identifier, kind, .simulate))
        return .begun
    }

    /// Expires a task that is running.
    package func simulateExpiration(_ identifier: String) {
        let task = state.withLock { state in
            state.scheduler.tasks.last { $0.identifier == identifier && $0.kind != .fetch }
        }
        guard let task else {
            show("no task with identifier \(identifier) is running")
            return
        }
        handle(.expire(task.number))
    }

    func complete(_ task: RefreshTask, _ completion: RefreshCompletion) {
        let effects = handle(.completed(task.number, completion))
        if effects.contains(.ignored(task.number)) {
            show("\(task.name) is over already: its completion was ignored")
        }
    }

    // MARK: The scheduler

    /// Handles an input, and keeps what has changed before anything follows from it.
    @discardableResult
    func handle(_ input: RefreshScheduler.Input) -> [RefreshScheduler.Effect] {
        let effects = queue.sync {
            let now = environment.now()
            let (effects, change) = state.withLock { state in
                let effects = state.scheduler.handle(input, at: now)
                return (effects, state.change(by: effects))
            }
            let trouble = change?.write()
            state.withLock { state in
                if let trouble { state.notices.append(.show(trouble)) }
                state.notices += effects.flatMap { state.notices(of: $0, at: now) }
                if state.isAwaited, !state.scheduler.isAboutToBegin(at: now) {
                    state.isAwaited = false
                    state.notices.append(.decided)
                }
            }
            return effects
        }
        notify()
        return effects
    }

    private func show(_ message: String) {
        state.withLock { $0.notices.append(.show(message)) }
        notify()
    }

    /// Keeps requests and what was learned in a file from now on, and takes in what is there. What
    /// was asked for before stays. Returns why that cannot be done.
    package func keep(in path: String) -> String? {
        let (isLaunched, interval, earlier) = state.withLock { state in
            (state.isLaunched, state.scheduler.interval, state.scheduler.requests)
        }
        guard !isLaunched else { return "the application has launched already" }
        let file = RefreshFile(path: path)
        let (memory, damage) = file.read()
        if let memory {
            handle(.restored(memory))
            if interval != .never { handle(.setInterval(interval)) }
            for request in earlier { handle(.submit(request)) }
        }
        if let damage { show(damage) }
        return queue.sync {
            state.withLock { state in
                state.file = file
                return file.change(to: state)
            }.write()
        }
    }
}

extension RefreshTask {
    /// What it is, in messages.
    var name: String {
        kind == .fetch ? "background fetch \(number)" : "task \(identifier)"
    }
}
