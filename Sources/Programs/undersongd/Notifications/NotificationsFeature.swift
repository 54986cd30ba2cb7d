import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongPlayback
import UndersongStore

/// Notifications for the user, by the service itself and by apps, and their badges: performs what
/// their board decides.
final class NotificationsFeature: BackgroundFeature {
    static let methods = notificationMethods

    static func wants(_ event: PlayerEvent) -> Bool {
        switch event.kind {
        case .episode, .badge, .item(.began), .runEnded: true
        default: false
        }
    }

    private static let namespace = "notifications"
    /// The reason why a service without a notifier shows nothing.
    private static let noBus = "this service is kept off the session bus"

    /// The call of an app that waits until its notification is shown.
    private typealias Call = CheckedContinuation<NotifierProblem?, Never>

    private let shell: Shell<NotificationBoard>
    private let makeNotifier: () -> (any UserNotifier)?
    /// Made when it is needed first.
    private var madeNotifier: (any UserNotifier)?
    private let hasBegun = Gate()
    /// The reasons why changes are not on the disk, by their keys.
    private var problems: [String: String] = [:]
    private var calls: [Int: Call] = [:]
    private var lastTicket = 0
    /// The run whose items are shown although their kind is off.
    private var shownRun: Int?
    /// The reason that was logged last.
    private var loggedProblem: String?

    init(_ service: PlayerService) {
        let clock = service.configuration.clock
        makeNotifier = { [weak service] in
            let notifier = service?.configuration.makeNotifier?()
            notifier?.begin { [weak service] event in
                service?.post { $0.feature(NotificationsFeature.self).receive(event, $0) }
            }
            return notifier
        }
        shell = service.shell(
            NotificationBoard(), of: NotificationsFeature.self, now: { clock.secondsSinceBoot },
            alarm: { HostAlarm(clock, leeway: 50_000_000, $0) },
            whenDue: { feature, _ in feature.shell.handle(.timePassed) },
            perform: { await $0.perform($1, $2) })
    }

    /// Shows notifications; nil if nothing does.
    private var notifier: (any UserNotifier)? {
        if madeNotifier == nil { madeNotifier = makeNotifier() }
        return madeNotifier
    }

    /// The board, for questions.
    var board: NotificationBoard { shell.machine }

    /// Returns when the records of the last service are known.
    func ready(isolation: isolated (any Actor)? = #isolation) async { await hasBegun.wait() }

    // MARK: The feature

    func begin(_ service: isolated PlayerService) async {
        let kept = await service.store.records(
            NotificationBoard.Change.self, in: Self.namespace)
        await shell.settle(.restored(kept.map(\.value)))
        if service.configuration.notifiesItems { shell.handle(.override(.item, isOn: true)) }
        service.feature(AppsFeature.self).whenChanged { app, _, service in
            let feature = service.feature(NotificationsFeature.self)
            if service.client(of: app) != nil { feature.shell.handle(.connected(app)) }
        }
        hasBegun.open()
        show(badge: service.feature(RefreshFeature.self).badge)
    }

    func handle(_ event: PlayerEvent, _ service: isolated PlayerService) async {
        switch event.kind {
        case .badge(let number): show(badge: number)
        case .episode(let report):
            guard let content = UserNotification(report) else { break }
            let kind: NotificationKind = report.phase == .available ? .episode : .download
            add(NotificationBoard.Entry(content, kind: kind))
        case .item(.began(let item, let description)):
            add(NotificationBoard.Entry(UserNotification(item, description), kind: .item))
        case .runEnded(let end):
            guard shownRun == end.run else { break }
            shownRun = nil
            guard !service.configuration.notifiesItems else { break }
            shell.handle(.override(.item, isOn: false))
        default: break
        }
    }

    /// Shows the service's badge.
    private func show(badge number: Int) {
        (number > 0 ? notifier : madeNotifier)?.setBadge(number)
    }

    /// Shows the items of the run that is about to begin, or no longer. `run` is its number, once that is
    /// known.
    func showItems(_ isOn: Bool, ofRun run: Int?) {
        shownRun = run
        shell.handle(.override(.item, isOn: isOn))
    }

    var isBusy: Bool { shell.isBusy }

    /// True while a click may have to reach an app: it is reported to nobody else.
    var isNeeded: Bool { isBusy || board.expectsAnswers }

    func end() {
        madeNotifier?.end()
        shell.stop()
    }

    // MARK: Requests

    /// Changes what is kept, and returns when it is on the disk.
    ///
    /// - Throws: The disk does not accept it; all is as it was.
    func change(
        _ input: NotificationBoard.Input, to purpose: String,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(ServiceError) {
        await ready()
        let keys = shell.handle(input).compactMap { effect -> String? in
            if case .keep(let change, _) = effect { change.key } else { nil }
        }
        await shell.settle()
        let reasons = keys.compactMap { problems.removeValue(forKey: $0) }
        if let reason = reasons.first { throw ServiceError(.notPossible, purpose, reason) }
    }

    /// Shows a notification that nobody waits for.
    func add(_ entry: NotificationBoard.Entry) { shell.handle(.add(entry, ticket: nil)) }

    /// Shows a notification. Returns when the server has it, with the reason if it does not.
    func show(
        _ entry: NotificationBoard.Entry, isolation: isolated (any Actor)? = #isolation
    ) async -> NotifierProblem? {
        await withCheckedContinuation(isolation: isolation) { call in
            lastTicket += 1
            calls[lastTicket] = call
            shell.handle(.add(entry, ticket: lastTicket))
        }
    }

    /// Handles an input, and returns when its effects are performed.
    func settle(
        _ input: NotificationBoard.Input, isolation: isolated (any Actor)? = #isolation
    ) async { await shell.settle(input) }

    /// The server; the reason if there is none.
    func findServer(
        isolation: isolated (any Actor)? = #isolation
    ) async -> Result<NotificationServer, NotifierProblem> {
        guard let notifier else {
            return .failure(NotifierProblem(Self.noBus))
        }
        return await withCheckedContinuation(isolation: isolation) { call in
            notifier.findServer { call.resume(returning: $0) }
        }
    }

    private func receive(_ event: NotifierEvent, _ service: isolated PlayerService) {
        switch event {
        case .answered(let key, let action, let token):
            let isConnected = service.client(of: key.owner) != nil
            shell.handle(
                .answered(key, action: action, token: token, isConnected: isConnected))
        case .closed(let key, let isDismissed):
            let isConnected = service.client(of: key.owner) != nil
            shell.handle(.closed(key, isDismissed: isDismissed, isConnected: isConnected))
        case .lost: shell.handle(.lost)
        }
        service.considerLeaving()
    }

    // MARK: Effects

    private func perform(
        _ effects: [NotificationBoard.Effect], _ service: isolated PlayerService
    ) async {
        for effect in effects { await perform(effect, service) }
        service.considerLeaving()
    }

    private func perform(
        _ effect: NotificationBoard.Effect, _ service: isolated PlayerService
    ) async {
        let apps = service.feature(AppsFeature.self)
        switch effect {
        case .keep(let change, let old): await keep(change, was: old, service)
        case .show(let notification, let number): show(notification, number, service)
        case .close(let key): madeNotifier?.close(key)
        case .accept(let ticket): calls.removeValue(forKey: ticket)?.resume(returning: nil)
        case .refuse(let ticket, let reason):
            calls.removeValue(forKey: ticket)?.resume(returning: NotifierProblem(reason))
        case .deliver(let app, let answer):
            service.client(of: app)?.notificationIsAnswered(answer)
        case .open(let app): await apps.settle(.opened(app))
        case .summon(let app, let identifier):
            // The user may have closed it, but wants this of it.
            if !apps.summon(app, for: .notification(identifier)) {
                await apps.settle(.opened(app))
            }
        case .perform(let identifier, let action):
            await perform(action.flatMap { NotificationAction(rawValue: $0) }, identifier, service)
        }
    }

    private func show(
        _ notification: DesktopNotification, _ number: Int, _ service: isolated PlayerService
    ) {
        guard let notifier else {
            shell.handle(.shown(number, problem: Self.noBus))
            return
        }
        notifier.show(notification) { [weak service] problem in
            service?.post { service in
                let feature = service.feature(NotificationsFeature.self)
                feature.log(problem, service)
                feature.shell.handle(.shown(number, problem: problem?.reason))
            }
        }
    }

    /// Writes into the log why a notification is not shown, once for each reason.
    private func log(_ problem: NotifierProblem?, _ service: isolated PlayerService) {
        guard problem?.reason != loggedProblem else { return }
        loggedProblem = problem?.reason
        if let problem {
            service.configuration.log("cannot show a notification: \(problem.reason)")
        }
    }

    private func keep(
        _ change: NotificationBoard.Change, was old: NotificationBoard.Change,
        _ service: isolated PlayerService
    ) async {
        do {
            let record: RecordChange =
                try change.isRemoval
                ? .remove(namespace: Self.namespace, key: change.key)
                : .keep(change, in: Self.namespace, as: change.key)
            try await service.store.keep([record], isDurable: true)
        } catch {
            guard service.store.trouble?.code != .noFolder else { return }
            problems[change.key] = (error as? QueueError)?.reason ?? "it cannot be written"
            shell.handle(.restored([old]))
        }
    }

    /// Performs an action of one of the service's own notifications.
    private func perform(
        _ action: NotificationAction?, _ identifier: String, _ service: isolated PlayerService
    ) async {
        do throws(ServiceError) {
            switch action {
            case .download:
                guard let episode = UserNotification.episode(of: identifier) else { break }
                _ = try await service.podcasts?.download(episode)
            case .play:
                guard let id = UserNotification.episode(of: identifier),
                    let podcasts = service.podcasts
                else { break }
                let purpose = "play episode \(id)"
                let episode = try await podcasts.episode(id, to: purpose)
                guard let path = episode.path else {
                    throw ServiceError(.notPossible, purpose, "its file is not there any longer")
                }
                let files = Files([FilePath(path)])
                guard try await service.play(Play(files: files), for: ClientID()) > 0 else {
                    throw ServiceError(.notPossible, purpose, "\(path) cannot be played")
                }
            case .pause: await service.pause()
            case .next: await service.next()
            case nil: break
            }
        } catch {
            await service.report(error.description, code: .notificationFailed)
        }
    }
}

extension PlayerService {
    /// The client that connected last of those whose process is an app; nil if it does not run.
    fileprivate func client(of app: String) -> (any PlayerClient)? {
        let apps = feature(AppsFeature.self)
        return clients.filter { apps.app(of: $0.key) == app }
            .max { $0.key.number < $1.key.number }?.value.client
    }
}
