import Synchronization
import UndersongBackground
import UndersongBase

extension RefreshCenter {
    /// Notifies the host and the handlers of what has happened, in order, and sets the alarm.
    func notify() {
        MainQueue.run { [weak self] in
            self?.deliver()
            self?.watchMachine()
            self?.setAlarm()
        }
    }

    @MainActor private func deliver() {
        // What is called may make more to deliver, which this loop finds after it.
        let isFirst = state.withLock { state in
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        guard isFirst else { return }
        while let notice = nextNotice() { deliver(notice) }
    }

    private func nextNotice() -> Notice? {
        state.withLock { state in
            guard !state.notices.isEmpty else {
                state.isDelivering = false
                return nil
            }
            return state.notices.removeFirst()
        }
    }

    @MainActor private func deliver(_ notice: Notice) {
        let host = state.withLock(\.host)
        switch notice {
        case .launch(let task): launch(task, host)
        case .expire(let task): expire(task)
        case .ended(let task, let run):
            guard let work = state.withLock({ $0.works.removeValue(forKey: task.number) }) else {
                return
            }
            let until = environment.now().boot + Self.lingering
            state.withLock { $0.lingering.append((work, until)) }
            work.end()
            host?.didRun(work, run)
        case .rest(let work): host?.mayRest(after: work)
        case .decided: host?.didDecide()
        case .show(let message): host?.show(message)
        }
    }

    @MainActor private func launch(_ task: RefreshTask, _ host: (any RefreshHost)?) {
        let work = RefreshWork(task, self)
        let handler = state.withLock { state in
            state.works[task.number] = work
            return state.handlers[task.identifier]
        }
        host?.willRun(work)
        if task.kind != .fetch {
            handler?(work)
        } else {
            if let host {
                host.performFetch(work)
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
        if let handler = work.takeExpirationHandler() {
            handler()
        } else if task.kind != .fetch {
            work.complete(RefreshCompletion(.failed))
        }
    }

    // MARK: Time

    func setAlarmSoon() {
        MainQueue.run { [weak self] in self?.setAlarm() }
    }

    @MainActor private func setAlarm() {
        let now = environment.now()
        let next = state.withLock { state in
            var next = state.scheduler.nextDue(at: now)
            for (work, until) in state.lingering where work.hasReturned {
                next.boot = min(until, next.boot ?? until)
            }
            return next
        }
        alarm(needed: next.boot != nil || next.wall != nil)?.set(boot: next.boot, wall: next.wall)
    }

    /// The alarm, which is made when it is needed for the first time.
    @MainActor private func alarm(needed: Bool) -> (any Alarm)? {
        if let alarm = state.withLock(\.alarm) { return alarm }
        guard needed else { return nil }
        let alarm = environment.alarm { [weak self] in
            MainQueue.run { [weak self] in self?.ring() }
        }
        state.withLock { $0.alarm = alarm }
        return alarm
    }

    @MainActor private func ring() {
        let boot = environment.now().boot
        state.withLock { state in
            let isDone = { (work: RefreshWork, until: Double) in
                until <= boot && work.hasReturned
            }
            state.notices += state.lingering.filter(isDone).map { .rest($0.work) }
            state.lingering.removeAll(where: isDone)
        }
        // It is also a tick, and looks at the load, which nobody reports.
        update { _ in }
    }

    // MARK: The machine

    /// Begins to watch the machine once something is wanted, unless the host reports it.
    @MainActor private func watchMachine() {
        let isFirst = state.withLock { state in
            guard state.endWatches == nil, !state.hostReportsMachine, state.scheduler.isWaiting
            else { return false }
            state.endWatches = []
            return true
        }
        guard isFirst else { return }
        var ends: [@Sendable () -> Void] = []
        if let watch = environment.watchMachine {
            ends.append(watch { [weak self] in self?.take($0) })
        }
        if let watch = environment.watchLogin {
            ends.append(watch { [weak self] in self?.take($0) })
        }
        state.withLock { $0.endWatches = ends }
    }

    private func take(_ machine: MachineState) {
        takeReport { state in
            let isSleeping = state.conditions.machine.isSleeping
            state.conditions.machine = machine
            state.conditions.machine.isSleeping = isSleeping
            state.unreported.remove(.machine)
        }
    }

    private func take(_ login: LoginState) {
        takeReport { state in
            state.conditions.isIdle = login.session?.isIdle
            state.conditions.machine.isSleeping = login.isSleeping
            state.unreported.remove(.login)
        }
    }

    /// Takes what a watch has reported, unless the host reports it itself by now.
    private func takeReport(_ change: (inout State) -> Void) {
        let conditions = state.withLock { state -> RefreshConditions? in
            guard !state.hostReportsMachine else { return nil }
            change(&state)
            state.conditions.isSettling = !state.unreported.isEmpty
            return state.currentConditions(environment)
        }
        if let conditions { handle(.conditions(conditions)) }
    }
}

extension RefreshCenter.State {
    /// The conditions now: nothing may run before the launch.
    func currentConditions(_ environment: RefreshEnvironment) -> RefreshConditions {
        var conditions = conditions
        if !hostReportsMachine {
            let processes = scheduler.requests.contains { $0.kind == .processing }
            conditions.load = processes ? environment.load() : nil
        }
        conditions.handlers = Set(handlers.keys).union([RefreshScheduler.fetchIdentifier])
        guard !isLaunched else { return conditions }
        conditions.handlers = []
        conditions.host = .background
        return conditions
    }

    func notices(
        of effect: RefreshScheduler.Effect, at now: ScheduleTime
    ) -> [RefreshCenter.Notice] {
        switch effect {
        case .keep, .refused, .ignored, .badge: return []
        case .launch(let task):
            return [.show("\(task.name) begins (\(task.cause.rawValue))"), .launch(task)]
        case .expire(let task): return [.show("\(task.name) expires"), .expire(task)]
        case .ended(let task, let run):
            let result = run.result.map(\.rawValue) ?? ""
            let tenths = Int(((run.seconds ?? 0) * 10).rounded())
            let message = "\(task.name) ended: \(result) after \(tenths / 10).\(tenths % 10) s"
            return [.show(message), .ended(task, run)]
        case .scheduled(let identifier, let kind):
            let what =
                kind == .fetch ? "background fetch" : "a request for task \(identifier)"
            return [.show("\(what) is scheduled")]
        }
    }
}
