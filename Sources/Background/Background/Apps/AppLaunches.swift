import UndersongBase

/// The beginning and the end of apps' processes.
extension AppSupervisor {
    // MARK: Beginnings

    /// Makes a client's process a process of an app.
    mutating func connect(
        _ client: Int, to app: String, _ state: ApplicationState, source: String, launch: String?,
        at now: Double
    ) {
        guard let identity = processes[client], var supervised = registered[app] else { return }
        let old = programs[identity]?.membership.flatMap { $0.app == app ? $0 : nil }
        var override = old?.override
        var demand: SupervisedApp.Demand?
        var isLeftover = false
        switch supervised.launch {
        case .started(let wanted, launch, _, _):
            demand = wanted
            if wanted.state != state {
                override = SupervisedProgram.Override(state: wanted.state, source: "launch")
            }
            supervised.launch = .none
        case .waiting(let wanted, _) where launch == nil:
            demand = wanted
            supervised.launch = .none
        case .none, .waiting, .started: isLeftover = launch != nil && supervised.isClosed
        }
        if supervised.isClosed, !isLeftover {
            supervised.isClosed = false
            effects.append(.keep([supervised.record]))
        }
        supervised.retryTime = -.infinity
        registered[app] = supervised
        connections += 1
        var membership = SupervisedProgram.Membership(
            app: app, client: client, order: connections, launch: launch,
            reasons: demand?.reasons ?? [], terminal: state, source: source, override: override,
            known: override?.state ?? state)
        membership.wake = old?.wake ?? 0
        programs[identity]?.membership = membership
        if isLeftover { beginClosing(identity, at: now) }
    }

    /// The process of an app that connected last and may be asked to do something.
    func lastProcess(of app: String) -> ProcessIdentity? {
        programs.values.filter { $0.membership?.app == app && $0.isLasting }
            .max { ($0.membership?.order ?? 0) < ($1.membership?.order ?? 0) }?.identity
    }

    private func hasProcess(_ app: String) -> Bool {
        programs.values.contains { $0.membership?.app == app }
    }

    mutating func summon(_ app: String, for reason: AppReason, at now: Double) {
        guard let supervised = registered[app], !supervised.isClosed else { return }
        guard let identity = lastProcess(of: app) else {
            return demand(app, SupervisedApp.Demand(state: .background, reasons: [reason]), at: now)
        }
        registered[app]?.wakeReason = reason.text
        guard let membership = programs[identity]?.membership else { return }
        programs[identity]?.membership?.wake += 1
        effects.append(.notify(membership.client, .woken(wake: membership.wake + 1, reason)))
    }

    mutating func open(_ app: String, at now: Double) {
        guard var supervised = registered[app] else { return }
        if supervised.isClosed {
            supervised.isClosed = false
            effects.append(.keep([supervised.record]))
        }
        registered[app] = supervised
        guard let identity = lastProcess(of: app) else {
            return demand(app, SupervisedApp.Demand(state: .active, reasons: []), at: now)
        }
        put(identity, in: .active)
    }

    mutating func sendHome(_ app: String) {
        for identity in identities where programs[identity]?.membership?.app == app {
            put(identity, in: .background)
        }
        switch registered[app]?.launch {
        case .waiting(var demand, let time):
            demand.state = .background
            registered[app]?.launch = .waiting(demand, from: time)
        case .started(var demand, let token, let process, let time):
            demand.state = .background
            registered[app]?.launch = .started(demand, token: token, process: process, until: time)
        case nil, .some(.none): break
        }
    }

    /// Overrides the state of an app's process, for the user.
    private mutating func put(_ identity: ProcessIdentity, in state: ApplicationState) {
        guard let membership = programs[identity]?.membership else { return }
        programs[identity]?.membership?.override =
            membership.terminal == state
            ? nil : SupervisedProgram.Override(state: state, source: "undersong app")
    }

    /// Launches an app that has no process to be asked, or adds to the reasons of a launch.
    private mutating func demand(_ app: String, _ new: SupervisedApp.Demand, at now: Double) {
        guard let supervised = registered[app] else { return }
        switch supervised.launch {
        case .none:
            if hasProcess(app) {
                registered[app]?.launch = .waiting(new, from: nil)
            } else if new.state == .background, now < supervised.retryTime {
                registered[app]?.launch = .waiting(new, from: supervised.retryTime)
            } else {
                start(app, new, at: now)
            }
        case .waiting(let old, let time):
            let joined = old.joined(new)
            registered[app]?.launch = .waiting(joined, from: time)
            if joined.state == .active, time != nil { start(app, joined, at: now) }
        case .started(let old, let token, let process, let time):
            registered[app]?.launch = .started(
                old.joined(new), token: token, process: process, until: time)
        }
    }

    private mutating func start(_ app: String, _ demand: SupervisedApp.Demand, at now: Double) {
        guard let supervised = registered[app] else { return }
        let token = makeToken()
        registered[app]?.launch = .started(
            demand, token: token, process: nil, until: now + Self.launchLimit)
        effects.append(.launch(supervised.app, launch: token, into: demand.state))
        var event = AppEvent(.launched, app)
        event.reason = demand.text
        effects.append(.report(event))
    }

    /// Handles that the process of a launch is known.
    mutating func accept(
        _ process: ProcessIdentity, of launch: String, of app: String, at now: Double
    ) {
        if case .started(let demand, launch, _, _) = registered[app]?.launch {
            children.insert(process)
            registered[app]?.launch = .started(
                demand, token: launch, process: process, until: now + Self.launchLimit)
        } else if programs.values.contains(where: { $0.membership?.launch == launch }) {
            children.insert(process)
        } else if registered[app] != nil {
            // The user has closed it meanwhile.
            effects.append(.end(process))
        }
    }

    mutating func advanceLaunch(of app: String, at now: ScheduleTime) {
        switch registered[app]?.launch {
        case .waiting(let demand, let time?) where time <= now.boot:
            start(app, demand, at: now.boot)
        case .started(_, _, let process, let time) where time <= now.boot:
            if let process { effects.append(.end(process)) }
            let seconds = Int(Self.launchLimit)
            failLaunch(
                of: app,
                AppEnd(
                    .unresponsive, reason: "it did not connect within \(seconds) seconds",
                    time: now.wall),
                at: now.boot)
        case nil, .some(.none), .waiting, .started: break
        }
    }

    mutating func failLaunch(of app: String, _ end: AppEnd, at now: Double) {
        let process: Int32? =
            if case .started(_, _, let process, _) = registered[app]?.launch { process?.id } else {
                nil
            }
        registered[app]?.launch = .none
        registered[app]?.retryTime = now + Self.retryInterval
        record(end, of: app, process: process)
    }

    // MARK: Ends

    mutating func close(_ app: String, at now: ScheduleTime) {
        guard var supervised = registered[app] else { return }
        let launch = supervised.launch
        (supervised.isClosed, supervised.launch) = (true, .none)
        registered[app] = supervised
        effects.append(.keep([supervised.record]))
        if case .started(_, _, let process, _) = launch {
            if let process { effects.append(.end(process)) }
            record(AppEnd(.killed, time: now.wall), of: app, process: process?.id)
        }
        for identity in identities where programs[identity]?.membership?.app == app {
            if programs[identity]?.isLasting == true { beginClosing(identity, at: now.boot) }
        }
    }

    private mutating func beginClosing(_ identity: ProcessIdentity, at now: Double) {
        guard let client = programs[identity]?.membership?.client else { return }
        programs[identity]?.membership?.fate = .closing(until: now + Self.closingLimit)
        effects.append(.notify(client, .terminating(timeRemaining: Self.closingLimit)))
    }

    /// Handles that a client is gone, and its process with the last one of it. A process that the
    /// service has stopped is continued: nobody else would.
    mutating func leave(_ client: Int, at now: ScheduleTime) {
        guard let identity = processes.removeValue(forKey: client), let program = programs[identity]
        else { return }
        programs[identity]?.clients.removeAll { $0 == client }
        programs[identity]?.work.removeAll { $0.client == client }
        let isLast = program.clients == [client]
        if isLast || program.membership?.client == client {
            dismiss(identity)
            if let membership = program.membership { leave(membership, program, at: now) }
        }
        if isLast {
            programs[identity] = nil
        } else if program.look == .asked, program.clients.first == client {
            programs[identity]?.look = .none
        }
    }

    private mutating func leave(
        _ membership: SupervisedProgram.Membership, _ program: SupervisedProgram,
        at now: ScheduleTime
    ) {
        let identity = program.identity
        var cause: AppEnd.Cause?
        switch membership.fate {
        case .ended(let ended, let reason):
            let end = AppEnd(ended, status: 128 + 9, reason: reason, time: now.wall)
            return record(end, of: membership.app, process: identity.id, at: now.boot)
        case .closing: cause = .killed
        case .none, .condemned: break
        }
        let process = DepartedProcess(
            identity: identity, app: membership.app, cause: cause,
            until: now.boot + Self.statusLimit)
        if children.contains(identity), program.status == nil {
            departed.append(process)
        } else {
            finish(process, status: program.status, at: now)
        }
    }

    /// Reports the end of a process that has left.
    mutating func finish(_ process: DepartedProcess, status: Int32?, at now: ScheduleTime) {
        departed.removeAll { $0.identity == process.identity }
        let cause = process.cause ?? (status ?? 0 > 128 ? .signalled : .exited)
        record(
            AppEnd(cause, status: status, time: now.wall), of: process.app,
            process: process.identity.id, at: now.boot)
    }

    /// Handles that a process which the service has launched has ended.
    mutating func noteExit(_ process: ProcessIdentity, status: Int32, at now: ScheduleTime) {
        children.remove(process)
        programs[process]?.status = status
        for departed in departed where departed.identity == process {
            finish(departed, status: status, at: now)
        }
        for app in registered.keys.sorted() {
            guard case .started(let demand, let token, process, let time) = registered[app]?.launch
            else { continue }
            if status == 0 {
                // Another process of its may connect.
                registered[app]?.launch = .started(
                    demand, token: token, process: nil, until: time)
            } else {
                let end = AppEnd(
                    status > 128 ? .signalled : .exited, status: status,
                    reason: "it did not connect", time: now.wall)
                failLaunch(of: app, end, at: now.boot)
            }
        }
    }

    /// Keeps and reports an end, and launches the app again if that was waited for.
    private mutating func record(
        _ end: AppEnd, of app: String, process: Int32?, at now: Double? = nil
    ) {
        guard var supervised = registered[app] else { return }
        supervised.lastEnd = end
        registered[app] = supervised
        effects.append(.keep([supervised.record]))
        var event = AppEvent(.ended, app)
        (event.process, event.end) = (process, end)
        effects.append(.report(event))
        if let now, case .waiting(let demand, from: nil) = supervised.launch, !hasProcess(app) {
            start(app, demand, at: now)
        }
    }
}

extension SupervisedApp.Demand {
    /// Both wishes.
    fileprivate func joined(_ other: Self) -> Self {
        var joined = self
        if other.state == .active { joined.state = .active }
        joined.reasons += other.reasons.filter { !reasons.contains($0) }
        return joined
    }
}
