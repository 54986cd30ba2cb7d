import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongPlayback
import UndersongStore

/// The programs that the service treats as apps: performs what their supervisor decides.
///
/// Other features hand work to clients by `begin(_:of:)` and `end(_:of:overran:)`, so that a program
/// that is stopped runs for it, and ask for apps that do not run by `summon(_:for:)`.
final class AppsFeature: BackgroundFeature {
    private static let namespace = "apps"

    private unowned let service: PlayerService
    private let environment: RefreshEnvironment
    private let shell: Shell<AppSupervisor>
    private let hasBegun = Gate()
    let logs: AppLogs?
    private let launcher: AppLauncher
    /// The processes of the clients that the supervisor knows, by the clients' numbers.
    private var joined: [Int: Int32] = [:]
    /// The processes that are suspended, with their groups.
    private var suspended: [ProcessIdentity: KnownProcess] = [:]
    /// The processes whose suspension could not be kept, and why.
    private var unkept: [ProcessIdentity: String] = [:]
    /// The apps that could not be kept, and why.
    private var problems: [String: String] = [:]
    private var observers: [(String, AppState, isolated PlayerService) async -> Void] = []
    /// True once the service is about to end: nothing is suspended or launched any more.
    private var isEnding = false

    init(_ service: PlayerService) {
        let configuration = service.configuration
        let environment =
            configuration.refresh ?? RefreshEnvironment(clock: configuration.clock)
        self.service = service
        self.environment = environment
        logs = configuration.appLogFolder.map(AppLogs.init)
        launcher = AppLauncher(session: configuration.sessionName, logs: logs)
        shell = service.shell(
            AppSupervisor(
                boot: environment.bootID, service: String(UInt64.random(in: 1 ... .max), radix: 36)),
            of: AppsFeature.self, now: environment.now,
            alarm: { HostAlarm(configuration.clock, leeway: 1_000_000, $0) },
            whenDue: { feature, _ in feature.shell.handle(.timePassed) },
            perform: { await $0.perform($1, $2) })
    }

    // MARK: For other features

    /// The registered apps, by identifier.
    var apps: [String: App] { shell.machine.apps }

    /// The app whose process a client is; nil for another program.
    func app(of client: ClientID) -> String? { shell.machine.app(of: client.number) }

    /// The state of an app.
    func state(of app: String) -> AppState { shell.machine.state(of: app) }

    /// Returns false if a client's process can do no work, because somebody else than job control has
    /// stopped it. Reads `/proc`.
    func canWork(_ client: ClientID, _ service: isolated PlayerService) -> Bool {
        guard join(client) else { return true }
        look(at: client.number)
        return shell.machine.canWork(client.number)
    }

    /// A client is given work from now on: it runs, although job control may have stopped it.
    func begin(_ work: AppWork, of client: ClientID) {
        if join(client) { shell.handle(.began(work, client.number)) }
    }

    /// Work of a client is over; `overran` if it was not completed in time.
    func end(_ work: AppWork, of client: ClientID, overran: Bool = false) {
        guard joined[client.number] != nil else { return }
        shell.handle(.ended(work, client.number, overran: overran))
    }

    /// Wakes an app, or launches it into the background. Returns false if there is no such app, or the
    /// user has closed it.
    @discardableResult
    func summon(_ app: String, for reason: AppReason) -> Bool {
        guard shell.machine.canSummon(app) else { return false }
        shell.handle(.summoned(app, reason))
        return true
    }

    /// Called, with the app's identifier, when an app has connected, changed its state or ended.
    func whenChanged(_ body: @escaping (String, AppState, isolated PlayerService) async -> Void) {
        observers.append(body)
    }

    /// Has the other features look at an app again, which the user has closed or opened.
    func noteChange(of app: String, _ service: isolated PlayerService) async {
        for observer in observers { await observer(app, state(of: app), service) }
    }

    /// Returns when the apps of the last service are known.
    func ready(isolation: isolated (any Actor)? = #isolation) async { await hasBegun.wait() }

    // MARK: The feature

    func begin(_ service: isolated PlayerService) async {
        shell.handle(.setBudget(service.configuration.backgroundBudget))
        let kept = await service.store.records(AppSupervisor.Change.self, in: Self.namespace)
        await shell.settle(.restored(kept.map(\.value)))
        hasBegun.open()
    }

    func clientLeft(_ client: ClientID, _ service: isolated PlayerService) async {
        guard joined.removeValue(forKey: client.number) != nil else { return }
        await shell.settle(.left(client.number))
    }

    func loginChanged(_ service: isolated PlayerService) async { shell.handle(.timePassed) }

    func shutDown(_ service: isolated PlayerService) async { await willEnd(service) }

    var isBusy: Bool { shell.isBusy }

    /// True while an app is suspended, or something about one is due.
    var isNeeded: Bool {
        isBusy || !suspended.isEmpty || shell.machine.nextDue(at: environment.now()) != .never
    }

    /// Continues the apps that are suspended, since nobody is left to wake them, or ends all.
    func willEnd(_ service: isolated PlayerService) async {
        isEnding = true
        if service.configuration.endsApps {
            for process in shell.machine.appProcesses { try? KnownProcess(process).end() }
        }
        let processes = suspended
        suspended = [:]
        for process in processes.values { try? process.resume() }
        await keep(processes.keys.map { .notSuspended($0) }, service)
    }

    func end() { shell.stop() }

    // MARK: Requests

    /// The machine, for questions.
    var supervisor: AppSupervisor { shell.machine }
    var now: ScheduleTime { environment.now() }

    /// Handles an input, and returns when its effects are performed.
    func settle(
        _ input: AppSupervisor.Input, isolation: isolated (any Actor)? = #isolation
    ) async { await shell.settle(input) }

    /// Registers an app for its user, or for its own program, or changes it, and returns when that is
    /// on the disk.
    ///
    /// - Throws: The disk does not accept it; the app is as it was.
    func install(
        _ app: App, byUser: Bool, to purpose: String, _ service: isolated PlayerService
    ) async throws(ServiceError) {
        let (old, wasInstalled) = (apps[app.identifier], supervisor.isInstalled(app.identifier))
        problems[app.identifier] = nil
        await shell.settle(.install(app, byUser: byUser))
        guard let reason = problems.removeValue(forKey: app.identifier) else { return }
        await shell.settle(
            old.map { .install($0, byUser: wasInstalled) } ?? .remove(app.identifier))
        problems[app.identifier] = nil
        throw ServiceError(.notPossible, purpose, reason)
    }

    /// Has the supervisor know the process of a client. Returns false if nobody knows it.
    @discardableResult
    func join(_ client: ClientID) -> Bool {
        if joined[client.number] != nil { return true }
        let found = service.assumeIsolated { $0.clients[client]?.client }
        guard let found, let process = found.process, let condition = ProcessCondition(of: process)
        else { return false }
        joined[client.number] = process
        shell.handle(.joined(client.number, condition, name: found.name ?? "process \(process)"))
        return true
    }

    private func look(at client: Int) {
        guard let process = joined[client] else { return }
        shell.handle(.looked(client, ProcessCondition(of: process)))
    }

    // MARK: Effects

    private func perform(
        _ effects: [AppSupervisor.Effect], _ service: isolated PlayerService
    ) async {
        for effect in effects { await perform(effect, service) }
        service.considerLeaving()
    }

    private func perform(
        _ effect: AppSupervisor.Effect, _ service: isolated PlayerService
    ) async {
        switch effect {
        case .keep(let changes): await keep(changes, service)
        case .look(let client): look(at: client)
        case .suspend(let identity, let group):
            let members = shell.machine.processes(suspendedWith: identity, group: group)
            if members.allSatisfy(maySuspend) {
                suspend(KnownProcess(identity, group: group))
            } else {
                unkept[identity] = nil
                shell.handle(.notSuspended(identity, reason: nil))
            }
        case .resume(let identity, let group):
            suspended[identity] = nil
            // One that has ended is reported by its connection.
            try? KnownProcess(identity, group: group).resume()
        case .launch(let app, let token, _): launch(app, token, service)
        case .end(let identity):
            suspended[identity] = nil
            try? KnownProcess(identity).end()
        case .notify(let client, let notice):
            let client = service.clients.first { $0.key.number == client }?.value.client
            guard let client else { break }
            switch notice {
            case .state(let state): client.appStateHasChanged(AppStateChanged(state))
            case .woken(let wake, let reason):
                client.appIsWoken(AppWoken(wake: wake, reason: reason))
            case .terminating(let seconds):
                client.appIsTerminating(AppTerminating(timeRemaining: seconds))
            }
        case .report(let event):
            if apps[event.app] != nil { logs?.add(event, at: now) }
            await service.session.report(.app(event))
        case .stateChanged(let app, let state):
            for observer in observers { await observer(app, state, service) }
        }
    }

    /// Looks at a process once more. One that has ended need not be considered.
    private func maySuspend(_ process: ProcessIdentity) -> Bool {
        ProcessCondition(of: process.id).map { condition in
            condition.identity != process || shell.machine.maySuspend(condition)
        } ?? true
    }

    /// Suspends a process whose record is on the disk.
    private func suspend(_ process: KnownProcess) {
        guard !isEnding else { return }
        var reason = unkept.removeValue(forKey: process.identity)
        if reason == nil {
            do throws(SystemError) {
                try process.suspend()
                suspended[process.identity] = process
            } catch {
                reason = error.reason
            }
        }
        if let reason { shell.handle(.notSuspended(process.identity, reason: reason)) }
    }

    private func launch(_ app: App, _ token: String, _ service: isolated PlayerService) {
        guard !isEnding else { return }
        let log = service.configuration.log
        launcher.launch(app, token: token) { [weak service] event in
            let input: AppSupervisor.Input
            var isOver = true
            switch event {
            case .trouble(let text): return log(text)
            case .began(let process):
                input = .launched(app.identifier, process, launch: token)
                isOver = false
            case .failed(let reason):
                input = .notLaunched(app.identifier, reason: reason, launch: token)
            case .ended(let process, let status): input = .exited(process, status: status)
            }
            service?.post { [isOver] service in
                let feature = service.feature(AppsFeature.self)
                feature.shell.handle(input)
                // One that has never connected was not running, and nobody hears that it is not.
                guard isOver, feature.state(of: app.identifier) == .notRunning else { return }
                for observer in feature.observers {
                    await observer(app.identifier, .notRunning, service)
                }
            }
        }
    }

    /// Writes changes, all or none. Without a folder nothing is kept, and nothing is suspended: nobody
    /// would find it after a crash.
    private func keep(
        _ changes: [AppSupervisor.Change], _ service: isolated PlayerService
    ) async {
        do {
            try await service.store.keep(
                changes.map { try $0.record(in: Self.namespace) }, isDurable: true)
        } catch {
            let reason = (error as? QueueError)?.reason ?? "it cannot be written"
            let isAccepted = service.store.trouble?.code == .noFolder
            for change in changes {
                switch change {
                case .app(let app, _, _, _): if !isAccepted { problems[app.identifier] = reason }
                case .suspended(let process, _, _): unkept[process] = reason
                case .noApp, .notSuspended: break
                }
            }
        }
    }
}

extension AppSupervisor.Change {
    /// The record that keeps the change.
    fileprivate func record(in namespace: String) throws -> RecordChange {
        switch self {
        case .app(let app, _, _, _): try .keep(self, in: namespace, as: Self.key(app.identifier))
        case .noApp(let identifier): .remove(namespace: namespace, key: Self.key(identifier))
        case .suspended(let process, _, _): try .keep(self, in: namespace, as: Self.key(process))
        case .notSuspended(let process): .remove(namespace: namespace, key: Self.key(process))
        }
    }

    private static func key(_ app: String) -> String { "app \(app)" }

    private static func key(_ process: ProcessIdentity) -> String {
        "process \(process.id) \(process.start)"
    }
}
