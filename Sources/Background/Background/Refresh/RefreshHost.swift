package import UndersongBase

/// A scheduler of background tasks in its process: collects the conditions that decide what may
/// begin, and follows what is begun to the moment after which the process may rest.
///
/// The performer of its effects has the handlers' code and the place of the records.
package struct RefreshHost: Machine {
    /// A moment, with what nobody reports.
    package struct Moment: Sendable {
        package var time: ScheduleTime
        /// The work that waits for each processor, averaged over a minute; nil if unknown.
        package var load: Double?
        /// The processor time that each running task has cost so far, in seconds, by number.
        package var processorTimes: [Int: Double]

        package init(
            _ time: ScheduleTime, load: Double? = nil, processorTimes: [Int: Double] = [:]
        ) {
            self.time = time
            self.load = load
            self.processorTimes = processorTimes
        }
    }

    /// A stage of the process.
    package enum Stage: Hashable, Sendable {
        /// The records of an earlier process have not been read: nothing is handled.
        case restoring
        /// Handlers are being registered: nothing runs.
        case launching
        /// Tasks run.
        case running
    }

    /// A report of what decides whether a task may run.
    package enum Report: Sendable {
        /// The host's state, and the declared modes and identifiers.
        case host(ApplicationState, Capabilities)
        case availability(RefreshAvailability)
        /// The identifiers that have handlers now.
        case handlers(Set<String>)
        /// True if the host is an app that the user has closed.
        case closed(Bool)
        case sound(isPlaying: Bool)
        /// Network and power, by a watch.
        case machine(MachineState)
        /// Sleep and idleness, by a watch, or by a service that follows the login session anyway.
        case login(LoginState)
        /// All of them by the program, which is the only one to report them from then on.
        case program(MachineState, isIdle: Bool?, isPlaying: Bool, load: Double?)
    }

    package enum Input: MachineInput {
        /// The records of an earlier process.
        case restored(RefreshScheduler.Memory)
        /// The application has launched, with handlers for these identifiers.
        case launched(handlers: Set<String>)
        case report(Report)
        /// An input of the scheduler, which is ignored while the process restores.
        case scheduler(RefreshScheduler.Input)
        /// The record of these launches could not be kept. They have not begun: what is begun without
        /// a record would be done twice after a crash.
        case notKept([RefreshTask])
        /// The code that handles the run with this number has returned.
        case returned(Int)
        /// The application waits for `Effect.decided`, unless nothing is about to begin.
        case awaitDecision
        case timePassed
    }

    package enum Effect: Hashable, Sendable {
        /// Keep these changes together, before anything else is done; records are numbered.
        case keep([RefreshScheduler.Change], record: Int)
        /// An effect of the scheduler, except that nothing is left to keep.
        case scheduler(RefreshScheduler.Effect)
        /// The run with this number is over, and the code after its completion has had its time.
        case rest(Int)
        /// The work that the application waited for has begun, or cannot begin now.
        case decided
        /// Watch the machine, and the login session where nobody else follows it.
        case watch
        /// Watch no longer.
        case endWatch
    }

    /// A watch of the machine.
    private enum Watch {
        case machine
        case login
    }

    /// The source of the machine's conditions.
    private enum Source {
        /// Watches, which begin when something is wanted.
        case watches(haveBegun: Bool)
        /// The program itself, or nobody.
        case program
    }

    package internal(set) var scheduler: RefreshScheduler
    /// The conditions as they are once the application has launched.
    package private(set) var conditions = RefreshConditions()
    package internal(set) var stage: Stage
    /// True while the application waits for a decision.
    package private(set) var isAwaited = false
    private var source: Source
    /// The watches that have yet to report for the first time.
    private var unreported: Set<Watch> = []
    /// The seconds for which a run lingers after its end.
    private let lingering: Double?
    /// The ends of runs that linger, in seconds of CLOCK_BOOTTIME, by number.
    private var ends: [Int: Double] = [:]
    /// The runs whose code has returned, by number.
    private var returned: Set<Int> = []
    private var lastRecord = 0

    /// Creates a host for a scheduler without requests. `requiredIdentifier` is the one of
    /// `RefreshScheduler.init`. With `lingering`, runs linger for so many seconds after their end, or
    /// until their code has returned, before the application may rest.
    package init(
        _ environment: RefreshEnvironment, requiredIdentifier: String? = nil, stage: Stage,
        lingering: Double? = nil
    ) {
        scheduler = RefreshScheduler(
            requiredIdentifier: requiredIdentifier, boot: environment.bootID,
            seed: environment.seed)
        self.stage = stage
        self.lingering = lingering
        source = .watches(haveBegun: false)
        if environment.watchMachine != nil { unreported.insert(.machine) }
        if environment.watchLogin != nil { unreported.insert(.login) }
        if unreported.isEmpty { source = .watches(haveBegun: true) }
    }

    package mutating func handle(_ input: Input, at now: Moment) -> [Effect] {
        scheduler.processorTimes = now.processorTimes
        if case .returned(let number) = input { returned.insert(number) }
        var effects = rests(at: now)
        let decided = schedule(input, at: now, &effects)
        let changes = decided.compactMap { effect in
            if case .keep(let change) = effect { change } else { nil }
        }
        if !changes.isEmpty {
            lastRecord += 1
            effects.insert(.keep(changes, record: lastRecord), at: 0)
        }
        for effect in decided {
            switch effect {
            case .keep: continue
            case .ended(let task, _):
                if let lingering { ends[task.number] = now.time.boot + lingering }
            case .launch, .expire, .refused, .ignored, .scheduled, .badge: break
            }
            effects.append(.scheduler(effect))
        }
        if case .watches(haveBegun: false) = source, scheduler.isWaiting {
            source = .watches(haveBegun: true)
            effects.append(.watch)
        }
        if isAwaited, !scheduler.isAboutToBegin(at: now.time) {
            isAwaited = false
            effects.append(.decided)
        }
        return effects
    }

    package func nextDue(at now: Moment) -> Due {
        guard stage != .restoring else { return .never }
        var due = scheduler.nextDue(at: now.time)
        for (number, end) in ends where returned.contains(number) {
            due.boot = min(end, due.boot ?? end)
        }
        return due
    }

    // MARK: Inputs

    /// Has the scheduler handle an input.
    private mutating func schedule(
        _ input: Input, at now: Moment, _ effects: inout [Effect]
    ) -> [RefreshScheduler.Effect] {
        switch input {
        case .restored(let memory):
            let restored = scheduler.handle(.restored(memory), at: now.time)
            conditions.availability = scheduler.conditions.availability
            if stage == .restoring { stage = .running }
            return restored + schedule(at: now)
        case .launched(let handlers):
            stage = .running
            conditions.handlers = handlers
            return schedule(at: now)
        case .report(let report):
            apply(report, &effects)
            guard stage != .restoring, currentConditions(at: now) != scheduler.conditions else {
                return []
            }
            return schedule(at: now)
        case .scheduler(let input):
            guard stage != .restoring else { return [] }
            let effects = scheduler.handle(input, at: now.time)
            // A handler may be new.
            guard case .handles = input else { return effects }
            return effects + schedule(at: now)
        case .notKept(let tasks):
            return tasks.flatMap { task in
                let end = RefreshScheduler.Input.completed(
                    task.number, RefreshCompletion(.failed))
                return scheduler.handle(end, at: now.time)
                    + (task.request.map { scheduler.handle(.submit($0), at: now.time) } ?? [])
            }
        case .returned: return []
        case .awaitDecision:
            isAwaited = scheduler.isAboutToBegin(at: now.time)
            return []
        case .timePassed: return stage == .restoring ? [] : schedule(at: now)
        }
    }

    /// Has the scheduler look at the time and the present conditions.
    private mutating func schedule(at now: Moment) -> [RefreshScheduler.Effect] {
        let conditions = currentConditions(at: now)
        return scheduler.handle(
            conditions == scheduler.conditions ? .timePassed : .conditions(conditions),
            at: now.time)
    }

    /// The conditions now. Nothing may run before the launch.
    private func currentConditions(at now: Moment) -> RefreshConditions {
        var conditions = conditions
        conditions.isSettling = !unreported.isEmpty
        if case .watches = source {
            let processes = scheduler.requests.contains { $0.kind == .processing }
            conditions.load = processes ? now.load : nil
        }
        conditions.handlers.formUnion(scheduler.handled)
        guard stage != .running else { return conditions }
        conditions.handlers = []
        conditions.host = .background
        return conditions
    }

    private mutating func apply(_ report: Report, _ effects: inout [Effect]) {
        switch report {
        case .host(let state, let capabilities):
            (conditions.host, conditions.capabilities) = (state, capabilities)
        case .availability(let availability): conditions.availability = availability
        case .handlers(let handlers): conditions.handlers = handlers
        case .closed(let isClosed): conditions.isClosed = isClosed
        case .sound(let isPlaying): conditions.isPlaying = isPlaying
        case .machine(let machine):
            guard case .watches = source else { return }
            let isSleeping = conditions.machine.isSleeping
            conditions.machine = machine
            conditions.machine.isSleeping = isSleeping
            unreported.remove(.machine)
        case .login(let login):
            guard case .watches = source else { return }
            conditions.isIdle = login.session?.isIdle
            conditions.machine.isSleeping = login.isSleeping
            unreported.remove(.login)
        case .program(let machine, let isIdle, let isPlaying, let load):
            if case .watches(haveBegun: true) = source { effects.append(.endWatch) }
            source = .program
            unreported = []
            conditions.machine = machine
            (conditions.isIdle, conditions.isPlaying) = (isIdle, isPlaying)
            conditions.load = load
        }
    }

    /// The runs after which the application may rest.
    private mutating func rests(at now: Moment) -> [Effect] {
        let over = ends.filter { $0.value <= now.time.boot && returned.contains($0.key) }.keys
        for number in over {
            ends[number] = nil
            returned.remove(number)
        }
        return over.sorted().map { .rest($0) }
    }
}

extension RefreshEnvironment {
    /// The moment now.
    package var moment: RefreshHost.Moment { RefreshHost.Moment(now(), load: load()) }

    /// The moment now, with the processor time that each running task has cost so far, by number.
    package func moment(processorTimes: [Int: Double]) -> RefreshHost.Moment {
        RefreshHost.Moment(now(), load: load(), processorTimes: processorTimes)
    }

    /// Watches the machine until the returned function is called. `report` is called on threads of
    /// the watches.
    package func watch(
        _ report: @escaping @Sendable (RefreshHost.Report) -> Void
    ) -> @Sendable () -> Void {
        let endMachine = watchMachine? { report(.machine($0)) }
        let endLogin = watchLogin? { report(.login($0)) }
        return {
            endMachine?()
            endLogin?()
        }
    }
}
