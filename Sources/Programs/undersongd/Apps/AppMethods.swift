package import UndersongBackground
import UndersongBase

extension AppsFeature {
    static let methods: [WireMethod] = [
        WireMethod(InstallApp.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.install(call.app)
        },
        WireMethod(GetApps.self) { frontEnd, _, _ in await frontEnd.player.appList },
        app(OpenApp.self, "open", \.identifier) { call in .opened(call.identifier) },
        app(SendAppHome.self, "send home", \.identifier) { call in .sentHome(call.identifier) },
        app(KillApp.self, "end", \.identifier) { call in .closed(call.identifier) },
        WireMethod(RemoveApp.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.removeApp(call.identifier)
            return Nothing()
        },
        WireMethod(WakeApp.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.wakeApp(call.identifier, for: call.reason)
        },
        WireMethod(GetAppLog.self) { frontEnd, call, _ async throws(ServiceError) in
            GetAppLog.Reply(path: try await frontEnd.player.appLog(of: call.identifier))
        },
        WireMethod(WillStop.self) { frontEnd, _, origin in
            await frontEnd.player.programWillStop(origin.client.id)
            return Nothing()
        },
        WireMethod(DidContinue.self) { frontEnd, _, origin in
            await frontEnd.player.programDidContinue(origin.client.id)
            return Nothing()
        },
        WireMethod(ConnectApp.self) { frontEnd, call, origin async throws(ServiceError) in
            try await frontEnd.player.connectApp(call, of: origin.client.id)
        },
        WireMethod(EnterAppState.self) { frontEnd, call, origin in
            await frontEnd.player.app(
                of: origin.client.id, entered: call.state, source: call.source)
            return Nothing()
        },
        WireMethod(ReportAppNeeds.self) { frontEnd, call, origin in
            await frontEnd.player.app(of: origin.client.id, needs: call.needs)
            return Nothing()
        },
    ]

    /// Returns a method that has the supervisor handle an input for an app, and replies with its state
    /// after that. `verb` names it in errors.
    private static func app<Call: ControlCall>(
        _ type: Call.Type, _ verb: String,
        _ identifier: @escaping @Sendable (Call) -> String,
        _ input: @escaping @Sendable (Call) -> AppSupervisor.Input
    ) -> WireMethod where Call.Reply == AppStatus {
        WireMethod(type) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.change(identifier(call), input(call), to: verb)
        }
    }
}

extension PlayerService {
    private var apps: AppsFeature { feature(AppsFeature.self) }

    // MARK: For users

    /// Registers an app, or changes it. Returns when that is on the disk.
    ///
    /// - Throws: It cannot be started, its identifier is not one, or the disk does not accept it.
    package func install(_ app: App) async throws(ServiceError) -> AppStatus {
        let purpose = "install \(app.identifier)"
        if let mistake = app.mistake ?? AppLauncher.problem(of: app) {
            throw ServiceError(.invalidValue, purpose, mistake)
        }
        await apps.ready()
        try await apps.install(app, byUser: true, to: purpose, self)
        return try await status(of: app.identifier, to: purpose)
    }

    /// The apps, and the programs that do not run although they have work.
    package var appList: AppList {
        get async {
            await apps.ready()
            let (supervisor, now) = (apps.supervisor, apps.now)
            return AppList(
                supervisor.statuses(at: now).map(completed),
                problems: supervisor.problems(at: now))
        }
    }

    /// Has the supervisor handle an input for an app, and returns its state after that. `verb` names the
    /// change in errors.
    ///
    /// - Throws: There is no such app.
    package func change(
        _ app: String, _ input: AppSupervisor.Input, to verb: String
    ) async throws(ServiceError) -> AppStatus {
        let purpose = "\(verb) \(app)"
        _ = try await status(of: app, to: purpose)
        await apps.settle(input)
        await apps.noteChange(of: app, self)
        return try await status(of: app, to: purpose)
    }

    /// Forgets an app, its requests and its logs. A process of its is an ordinary program then.
    ///
    /// - Throws: There is no such app.
    package func removeApp(_ app: String) async throws(ServiceError) {
        _ = try await status(of: app, to: "remove \(app)")
        await apps.settle(.remove(app))
        feature(PushFeature.self).handle(.appUnregistered(app))
        await feature(RefreshFeature.self).forget(app, self)
        await forgetNotifications(of: app)
        apps.logs?.remove(app)
    }

    /// Wakes an app, or launches it into the background.
    ///
    /// - Throws: There is no such app, or the user has closed it.
    package func wakeApp(
        _ app: String, for reason: AppReason
    ) async throws(ServiceError) -> AppStatus {
        let purpose = "wake \(app)"
        _ = try await status(of: app, to: purpose)
        guard apps.supervisor.canSummon(app) else {
            throw ServiceError(
                .notPossible, purpose, "it was closed; 'undersong app open \(app)' opens it again")
        }
        await apps.settle(.summoned(app, reason))
        return try await status(of: app, to: purpose)
    }

    /// The path of an app's log.
    ///
    /// - Throws: There is no such app, or there are no logs.
    package func appLog(of app: String) async throws(ServiceError) -> String {
        let purpose = "show the log of \(app)"
        _ = try await status(of: app, to: purpose)
        guard let logs = apps.logs else {
            throw ServiceError(.notPossible, purpose, "this service has no folder for logs")
        }
        return logs.path(of: app)
    }

    private func status(
        of app: String, to purpose: String
    ) async throws(ServiceError) -> AppStatus {
        await apps.ready()
        guard let status = apps.supervisor.status(of: app, at: apps.now) else {
            throw ServiceError(.notFound, purpose, "there is no such app")
        }
        return completed(status)
    }

    /// Adds what the supervisor does not know: whether the program can still be started, and its
    /// background tasks.
    private func completed(_ status: AppStatus) -> AppStatus {
        var status = status
        let refresh = feature(RefreshFeature.self)
        status.next = refresh.nextDue(of: status.app.identifier)
        status.processorTime = refresh.processorTime(of: status.app.identifier)
        status.badge = feature(NotificationsFeature.self).board.badges[status.app.identifier]
        status.problem = AppLauncher.problem(of: status.app) ?? status.problem
        return status
    }

    // MARK: For programs

    /// Notes that job control is about to stop a client.
    package func programWillStop(_ client: ClientID) async {
        if apps.join(client) { await apps.settle(.willStop(client.number)) }
    }

    /// Notes that a client was continued. It may have pushes from now on.
    package func programDidContinue(_ client: ClientID) async {
        if apps.join(client) { await apps.settle(.didContinue(client.number)) }
        feature(PushFeature.self).handle(.continued(client.number))
    }

    /// Makes a client's process an app, registering it if it is new or declares something else, and
    /// returns how it is to begin.
    ///
    /// - Throws: Its description is wrong, its process is unknown, or the disk does not accept it.
    package func connectApp(
        _ call: ConnectApp, of client: ClientID
    ) async throws(ServiceError) -> ConnectApp.Reply {
        let (app, purpose) = (call.app.identifier, "connect \(call.app.identifier)")
        if let mistake = call.app.mistake {
            throw ServiceError(.invalidValue, purpose, mistake)
        }
        await apps.ready()
        guard apps.join(client) else {
            throw ServiceError(.notPossible, purpose, "its process is not known")
        }
        try await apps.install(
            apps.supervisor.registration(describedBy: call.app),
            byUser: apps.supervisor.isInstalled(app), to: purpose, self)
        await apps.settle(
            .connected(
                client.number, app: app, call.state, source: call.source, launch: call.launch))
        let entrance = apps.supervisor.entrance(of: client.number)
        let budget = configuration.backgroundBudget
        let scheduler = await feature(RefreshFeature.self).scheduler(ofApp: app)
        return ConnectApp.Reply(
            state: entrance?.state ?? call.state, reasons: entrance?.reasons ?? [],
            interval: scheduler?.interval ?? .never, requests: scheduler?.requests ?? [],
            budget: budget, warning: min(5, budget / 2))
    }

    /// Notes that a client's app is in another state by its own terminal.
    package func app(
        of client: ClientID, entered state: ApplicationState, source: String
    ) async { await apps.settle(.entered(client.number, state, source: source)) }

    /// Notes what keeps a client's app running in the background.
    package func app(of client: ClientID, needs: AppNeeds) async {
        await apps.settle(.needs(client.number, needs))
    }
}
