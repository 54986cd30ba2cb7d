package import UndersongBase

/// Decides when programs run: suspends, wakes, launches and ends apps, and continues programs that
/// job control has stopped for as long as they have work.
///
/// A program is a process with clients of the service, one or more; an app is one that is registered.
/// It acts by the boot clock; only the ends of apps have dates.
package struct AppSupervisor: Machine {
    /// Seconds that an app has beyond its background time before it is ended.
    package static let grace = 2.0
    /// Seconds within which an app that was launched has to connect.
    package static let launchLimit = 20.0
    /// Seconds that an app which the user closes has to end by itself.
    package static let closingLimit = 5.0
    /// Seconds within which a program that has announced it has to stop.
    static let stoppingLimit = 5.0
    /// Seconds between looks at a program that is about to stop.
    static let lookInterval = 0.01
    /// Seconds until the next look at a program that a debugger, or its terminal, keeps from being
    /// suspended.
    static let obstacleInterval = 5.0
    /// Seconds until the next try to suspend a program, once that was impossible.
    static let troubleInterval = 60.0
    /// Seconds in which an app takes its steps for a state in which the service has put it.
    static let settlingLimit = 5.0
    /// Seconds until an app whose launch has failed is launched again for anybody but the user.
    static let retryInterval = 60.0
    /// Seconds for which a program runs on after its work, before it is suspended: what it does
    /// then, such as its next request, is still to come (N1).
    static let lingering = 1.0
    /// Seconds for which the exit status of a process that has left is awaited.
    static let statusLimit = 1.0

    package enum Input: MachineInput {
        /// The records of an earlier service: programs that are stopped run again, and connect.
        case restored([Change])
        /// An app is registered, or changed: by its user, or by its own program.
        case install(App, byUser: Bool = true)
        case remove(String)
        /// A client's process is known; `name` is the client's. Several clients may be of one process.
        case joined(Int, ProcessCondition, name: String)
        /// A client is a process of this app, which is registered. `launch` is the token of `launch`.
        case connected(Int, app: String, ApplicationState, source: String, launch: String?)
        case left(Int)
        /// The terminal, or the login session, has brought an app's process to another state.
        case entered(Int, ApplicationState, source: String)
        /// Job control is about to stop a client.
        case willStop(Int)
        /// A client was continued.
        case didContinue(Int)
        /// The answer to `look`; nil if the process is gone.
        case looked(Int, ProcessCondition?)
        case needs(Int, AppNeeds)
        /// A client is given work, or its work is over; `overran` if it was not completed in time.
        case began(AppWork, Int)
        case ended(AppWork, Int, overran: Bool)
        /// Something is to be done by an app, which is woken or launched for it.
        case summoned(String, AppReason)
        case opened(String)
        case sentHome(String)
        case closed(String)
        /// The process of the launch with this token, or why there is none.
        case launched(String, ProcessIdentity, launch: String)
        case notLaunched(String, reason: String, launch: String)
        /// A process that the service has launched has ended; a signal is 128 and its number.
        case exited(ProcessIdentity, status: Int32)
        /// A process that was to be suspended runs: that could not be kept, or the kernel refuses it.
        /// Without a reason, it may not be suspended any more.
        case notSuspended(ProcessIdentity, reason: String?)
        /// The seconds for which an app may run in the background.
        case setBudget(Double)
        case timePassed
    }

    package enum Effect: Hashable, Sendable {
        /// Keep these changes, durably, before anything else is done.
        case keep([Change])
        /// Look at a client's process, and report `looked`.
        case look(Int)
        /// Stop a process, or its whole group; `group` is nil for the process alone.
        case suspend(ProcessIdentity, group: Int32?)
        /// Continue it. Each one is followed by one `didContinue`: where a cgroup is thawed, which the
        /// program cannot notice, the shell reports it for a client of the process.
        case resume(ProcessIdentity, group: Int32?)
        /// Start an app in the background or, for `active`, as if the user had. `launch` is the value
        /// of `UNDERSONG_LAUNCH`.
        case launch(App, launch: String, into: ApplicationState)
        /// End a process by SIGKILL.
        case end(ProcessIdentity)
        /// Send a notice to a client of an app.
        case notify(Int, Notice)
        /// Publish an event, and write it to the app's log.
        case report(AppEvent)
        /// An app has connected, entered another state, or ended: its scheduler wants to know.
        case stateChanged(String, AppState)
    }

    /// A notice to an app.
    package enum Notice: Hashable, Sendable {
        case state(ApplicationState)
        case woken(wake: Int, AppReason)
        case terminating(timeRemaining: Double)
    }

    /// A change of what is kept.
    package enum Change: Codable, Hashable, Sendable {
        case app(App, isClosed: Bool, lastEnd: AppEnd?, isInstalled: Bool = true)
        case noApp(String)
        /// The service has stopped this process, or job control has; `boot` names the start of the
        /// machine.
        case suspended(ProcessIdentity, group: Int32?, boot: String)
        case notSuspended(ProcessIdentity)
    }

    /// The beginning of an app.
    package struct Entrance: Hashable, Sendable {
        /// The state to launch into.
        package var state: ApplicationState
        /// The reasons for which the service has launched it; none if the user has.
        package var reasons: [AppReason]
    }

    /// The name of the machine's start, for records.
    let boot: String
    /// The name of this run of the service, for tokens.
    private let service: String
    /// Seconds for which an app may run in the background.
    var budget = 30.0
    /// The registered apps, by identifier.
    var registered: [String: SupervisedApp] = [:]
    var programs: [ProcessIdentity: SupervisedProgram] = [:]
    /// The processes of clients.
    var processes: [Int: ProcessIdentity] = [:]
    /// The processes that the service has launched and that run.
    var children: Set<ProcessIdentity> = []
    var departed: [DepartedProcess] = []
    /// The processes with a record because of a stop that was announced.
    private var announced: Set<ProcessIdentity> = []
    /// The processes that the last service has stopped, or has known to be stopped, with their groups.
    private var restored: [ProcessIdentity: Int32?] = [:]
    /// The number of connections of apps so far.
    var connections = 0
    private var launches = 0
    /// The effects of the input at hand.
    var effects: [Effect] = []

    /// Creates a supervisor without apps. `boot` names the start of the machine, and `service` this run
    /// of the service, which distinguishes its launches from those of earlier ones.
    package init(boot: String, service: String) {
        self.boot = boot
        self.service = service
    }

    package mutating func handle(_ input: Input, at now: ScheduleTime) -> [Effect] {
        effects = []
        apply(input, at: now)
        for identity in identities { settle(identity, at: now.boot) }
        recordStops()
        for app in registered.keys.sorted() { publish(app) }
        defer { effects = [] }
        return effects
    }

    /// The processes in a fixed order.
    var identities: [ProcessIdentity] {
        programs.keys.sorted { ($0.id, $0.start) < ($1.id, $1.start) }
    }

    private mutating func apply(_ input: Input, at now: ScheduleTime) {
        switch input {
        case .restored(let changes): restore(changes)
        case .install(let app, let byUser): install(app, byUser: byUser)
        case .remove(let app): remove(app)
        case .joined(let client, let condition, let name): join(client, condition, name)
        case .connected(let client, let app, let state, let source, let launch):
            connect(client, to: app, state, source: source, launch: launch, at: now.boot)
        case .left(let client): leave(client, at: now)
        case .entered(let client, let state, let source):
            change(client) { program in
                if state != program.membership?.terminal { program.membership?.override = nil }
                program.membership?.terminal = state
                program.membership?.source = source
                program.membership?.known = state
            }
        case .willStop(let client): change(client) { $0.announceStop() }
        case .didContinue(let client): change(client) { $0.noticeContinuation() }
        case .looked(let client, let condition): receive(condition, of: client, at: now.boot)
        case .notSuspended(let process, let reason):
            stopSuspending(process, reason: reason, at: now.boot)
        case .needs(let client, let needs):
            change(client) { program in
                program.membership?.needs = needs
                program.membership?.settling = nil
            }
        case .began(let work, let client): begin(work, of: client)
        case .ended(let work, let client, let overran):
            end(work, of: client, overran: overran, at: now.boot)
        case .summoned(let app, .user): open(app, at: now.boot)
        case .summoned(let app, let reason): summon(app, for: reason, at: now.boot)
        case .opened(let app): open(app, at: now.boot)
        case .sentHome(let app): sendHome(app)
        case .closed(let app): close(app, at: now)
        case .launched(let app, let process, let launch):
            accept(process, of: launch, of: app, at: now.boot)
        case .notLaunched(let app, let reason, let launch):
            guard case .started(_, launch, _, _) = registered[app]?.launch else { break }
            failLaunch(of: app, AppEnd(.notStarted, reason: reason, time: now.wall), at: now.boot)
        case .exited(let process, let status): noteExit(process, status: status, at: now)
        case .setBudget(let seconds): budget = seconds
        case .timePassed: advance(at: now)
        }
    }

    /// Changes the program of a client; an unknown one is ignored.
    private mutating func change(_ client: Int, _ change: (inout SupervisedProgram) -> Void) {
        guard let identity = processes[client], var program = programs[identity] else { return }
        change(&program)
        programs[identity] = program
    }

    /// A token for the next launch.
    mutating func makeToken() -> String {
        launches += 1
        return "\(service)-\(launches)"
    }

    // MARK: Registration

    private mutating func restore(_ changes: [Change]) {
        var stopped: [(process: ProcessIdentity, group: Int32?, boot: String)] = []
        for change in changes {
            switch change {
            case .app(let app, let isClosed, let lastEnd, let isInstalled):
                registered[app.identifier] = SupervisedApp(app, isInstalled: isInstalled)
                registered[app.identifier]?.isClosed = isClosed
                registered[app.identifier]?.lastEnd = lastEnd
            case .noApp(let app): registered[app] = nil
            case .suspended(let process, let group, let boot):
                stopped.append((process, group, boot))
            case .notSuspended(let process): stopped.removeAll { $0.process == process }
            }
        }
        for record in stopped where record.boot == boot {
            effects.append(.resume(record.process, group: record.group))
            restored[record.process] = .some(record.group)
        }
        if !stopped.isEmpty { effects.append(.keep(stopped.map { .notSuspended($0.process) })) }
    }

    private mutating func install(_ app: App, byUser: Bool) {
        let old = registered[app.identifier]
        guard old?.app != app || old?.isInstalled != byUser else { return }
        var new = old ?? SupervisedApp(app, isInstalled: byUser)
        (new.app, new.isInstalled) = (app, byUser)
        registered[app.identifier] = new
        effects.append(.keep([new.record]))
        if old == nil { effects.append(.report(AppEvent(.installed, app.identifier))) }
    }

    private mutating func remove(_ app: String) {
        guard let old = registered.removeValue(forKey: app) else { return }
        effects.append(.keep([.noApp(app)]))
        for identity in identities where programs[identity]?.membership?.app == app {
            dismiss(identity)
        }
        departed.removeAll { $0.app == app }
        effects.append(.report(AppEvent(.removed, app)))
        if old.reported != .notRunning { effects.append(.stateChanged(app, .notRunning)) }
    }

    /// Ends a process's part in an app: it runs as any other program.
    mutating func dismiss(_ identity: ProcessIdentity) {
        guard let program = programs[identity] else { return }
        if case .suspended = program.execution { resume(identity) }
        programs[identity]?.membership = nil
        if case .resumed = programs[identity]?.execution {
            programs[identity]?.execution = .running
        }
    }

    // MARK: Clients

    private mutating func join(_ client: Int, _ condition: ProcessCondition, _ name: String) {
        guard processes[client] == nil else { return }
        let identity = condition.identity
        processes[client] = identity
        if programs[identity] == nil {
            var program = SupervisedProgram(name: name, condition: condition, clients: [client])
            if let group = restored.removeValue(forKey: identity) {
                program.execution = .resumed(group: group, isNoticed: true)
            }
            programs[identity] = program
        } else {
            programs[identity]?.condition = condition
            programs[identity]?.clients.append(client)
        }
    }

    /// Keeps which programs job control has stopped: after a crash nobody else would continue them
    /// for their work.
    private mutating func recordStops() {
        for identity in identities {
            guard let program = programs[identity], case .announced = program.execution,
                announced.insert(identity).inserted
            else { continue }
            effects.append(
                .keep([.suspended(identity, group: program.condition.group, boot: boot)]))
        }
        let over = announced.filter { identity in
            if case .announced = programs[identity]?.execution { false } else { true }
        }
        guard !over.isEmpty else { return }
        announced.subtract(over)
        effects.append(
            .keep(over.sorted { ($0.id, $0.start) < ($1.id, $1.start) }.map { .notSuspended($0) }))
    }

    private mutating func begin(_ work: AppWork, of client: Int) {
        guard let identity = processes[client] else { return }
        let entry = SupervisedProgram.Work(work: work, client: client)
        guard programs[identity]?.work.contains(entry) == false else { return }
        programs[identity]?.work.append(entry)
        // Somebody else may have stopped it meanwhile.
        if programs[identity]?.isRunning == true { look(at: identity) }
    }

    private mutating func end(_ work: AppWork, of client: Int, overran: Bool, at now: Double) {
        guard let identity = processes[client], var program = programs[identity] else { return }
        defer { programs[identity] = program }
        program.work.removeAll { $0 == SupervisedProgram.Work(work: work, client: client) }
        if program.membership == nil, program.work.isEmpty, program.isRunning,
            program.look == .none
        {
            program.look = .due(now + Self.lingering)
        }
        guard overran, program.isRunning, program.membership?.state == .background,
            program.membership?.fate == .some(.none)
        else { return }
        program.membership?.fate = .condemned(reason: "\(work.text) was not completed in time")
    }

    private mutating func advance(at now: ScheduleTime) {
        for identity in identities {
            guard let program = programs[identity] else { continue }
            if case .due(let time) = program.look, time <= now.boot {
                programs[identity]?.look = .none
            }
            if case .closing(let time) = program.membership?.fate, time <= now.boot {
                kill(identity, .killed, reason: nil)
            }
        }
        for app in registered.keys.sorted() { advanceLaunch(of: app, at: now) }
        for process in departed where process.until <= now.boot {
            finish(process, status: nil, at: now)
        }
    }

    package func nextDue(at now: ScheduleTime) -> Due {
        var times = departed.map(\.until)
        for program in programs.values where !program.isEnded {
            if case .due(let time) = program.look { times.append(time) }
            guard let membership = program.membership else { continue }
            if case .closing(let time) = membership.fate { times.append(time) }
            if let time = membership.settling { times.append(time) }
            if let time = membership.limit, program.isBusy, program.look == .none {
                times.append(time)
            }
        }
        for app in registered.values {
            switch app.launch {
            case .none, .waiting(_, from: nil): break
            case .waiting(_, let time?), .started(_, _, _, let time): times.append(time)
            }
        }
        return Due(boot: times.min())
    }
}
