package import UndersongBase

/// The states of apps, and what is said about them.
extension AppSupervisor {
    /// The registered apps, by identifier.
    package var apps: [String: App] { registered.mapValues(\.app) }

    /// True if the user has installed an app; false if its program has registered itself.
    package func isInstalled(_ app: String) -> Bool { registered[app]?.isInstalled == true }

    /// The registration of an app whose program describes itself as `own`. Of one that the user has
    /// installed, it updates what it declares, unless the user has named another property list.
    package func registration(describedBy own: App) -> App {
        guard var app = apps[own.identifier], isInstalled(own.identifier) else { return own }
        if app.manifest == nil || app.manifest == own.manifest {
            (app.name, app.modes, app.permitted, app.usage) =
                (own.name, own.modes, own.permitted, own.usage)
        }
        return app
    }

    /// The app whose process a client is; nil for another program.
    package func app(of client: Int) -> String? { membership(of: client)?.app }

    /// The client that connected an app last, to which its work goes; nil if it does not run.
    package func client(of app: String) -> Int? {
        lastProcess(of: app).flatMap { programs[$0]?.membership?.client }
    }

    /// The processes of apps, also those that the service has launched and that have not connected.
    package var appProcesses: Set<ProcessIdentity> {
        children.union(programs.values.filter { $0.membership != nil }.map(\.identity))
    }

    /// The state of an app, which is that of its most active process; `notRunning` if there is none.
    package func state(of app: String) -> AppState {
        decisiveProgram(of: app).map(state) ?? .notRunning
    }

    /// Returns true if an app may be summoned: it is registered, and the user has not closed it.
    package func canSummon(_ app: String) -> Bool { registered[app]?.isClosed == false }

    /// Returns false if a client's process cannot be made to run, as far as it was looked at: report
    /// `looked` first.
    package func canWork(_ client: Int) -> Bool {
        guard let program = processes[client].flatMap({ programs[$0] }) else { return true }
        return !program.isEnded && obstacle(of: program) == nil
    }

    /// The beginning of the app that a client has connected: the answer to `app.connect`.
    package func entrance(of client: Int) -> Entrance? {
        membership(of: client).map { Entrance(state: $0.state, reasons: $0.reasons) }
    }

    /// An app with its state; nil if it is not registered. Its background tasks are the shell's to add.
    package func status(of app: String, at now: ScheduleTime) -> AppStatus? {
        guard let supervised = registered[app] else { return nil }
        var status = AppStatus(supervised.app, state: state(of: app))
        status.isClosed = supervised.isClosed
        status.lastEnd = supervised.lastEnd
        let programs = programs.values.filter { $0.membership?.app == app }
        status.problem =
            programs.sorted { $0.identity.id < $1.identity.id }.lazy
            .compactMap { self.obstacle(of: $0) ?? $0.trouble }.first
        if let end = supervised.lastEnd, programs.isEmpty, end.cause == .known(.notStarted) {
            status.problem = "it could not be started: \(end.reason ?? "the reason is unknown")"
        }
        guard let program = decisiveProgram(of: app), let membership = program.membership else {
            if case .started = supervised.launch { status.source = "launch" }
            return status
        }
        status.source = membership.override?.source ?? membership.source
        status.process = program.identity.id
        status.running = program.isRunning ? program.reasons : []
        if let limit = membership.limit {
            status.timeRemaining = max(0, limit - Self.grace - now.boot)
        }
        return status
    }

    /// The apps in the order of their identifiers.
    package func statuses(at now: ScheduleTime) -> [AppStatus] {
        registered.keys.sorted().compactMap { status(of: $0, at: now) }
    }

    /// Programs other than apps that were to be given work and cannot run, each with the reason.
    package func problems(at now: ScheduleTime) -> [String] {
        identities.compactMap { programs[$0] }.compactMap { program in
            guard program.membership == nil else { return nil }
            var works = program.work.map(\.work.text)
            if case .held = program.execution, works.isEmpty { works = ["what waits for it"] }
            guard !works.isEmpty, let obstacle = obstacle(of: program) else { return nil }
            return "\(program.name), process \(program.identity.id), cannot run for "
                + "\(works.joined(separator: ", ")): \(obstacle)"
        }
    }

    /// The reason why a process cannot be made to run; nil if there is none.
    private func obstacle(of program: SupervisedProgram) -> String? {
        switch program.execution {
        case .held(let hold): hold.text
        case .announced(.over): "it is stopped in front of its terminal"
        case .suspended: program.isTraced ? SupervisedProgram.Hold.debugger.text : nil
        case .running, .announced, .resumed, .gone: nil
        }
    }

    private func membership(of client: Int) -> SupervisedProgram.Membership? {
        processes[client].flatMap { programs[$0]?.membership }
            .flatMap { $0.client == client ? $0 : nil }
    }

    private func state(_ program: SupervisedProgram) -> AppState {
        guard program.isRunning else { return .suspended }
        return switch program.membership?.state {
        case .active: .active
        case .inactive: .inactive
        case .background, nil: .background
        }
    }

    /// The most active process of an app, and of several the one that connected last.
    private func decisiveProgram(of app: String) -> SupervisedProgram? {
        programs.values.filter { $0.membership?.app == app }.min { first, second in
            let (a, b) = (state(first).rank, state(second).rank)
            return a == b ? (first.membership?.order ?? 0) > (second.membership?.order ?? 0) : a < b
        }
    }

    /// Reports the state of an app if it has changed.
    mutating func publish(_ app: String) {
        guard let supervised = registered[app] else { return }
        let new = state(of: app)
        guard new != supervised.reported else { return }
        registered[app]?.reported = new
        if new != .notRunning {
            let isWoken = supervised.reported == .suspended && new == .background
            var event = AppEvent(
                new == .suspended ? .suspended : isWoken ? .woken : .entered, app)
            event.process = decisiveProgram(of: app)?.identity.id
            event.state = new
            if isWoken { event.reason = supervised.wakeReason }
            registered[app]?.wakeReason = nil
            effects.append(.report(event))
        }
        effects.append(.stateChanged(app, new))
    }
}

extension AppState {
    /// The order of activity, the most active first.
    fileprivate var rank: Int {
        switch self {
        case .active: 0
        case .inactive: 1
        case .background: 2
        case .suspended: 3
        case .notRunning: 4
        }
    }
}
