import Dispatch
import Foundation
import Synchronization
import UndersongAppHost
package import UndersongBackground
package import UndersongBase
package import UndersongControl

/// The life of an application in its process: its terminal, its signals and the service lead it through
/// the states, wake it and end it.
///
/// The state follows the terminal, and after that what the service says, which knows the login session.
/// Without a service, the terminal alone decides.
@MainActor package final class AppRuntime {
    /// The surroundings of a program.
    package struct Surroundings: Sendable {
        package var app: App
        /// The value of `UNDERSONG_LAUNCH`; nil if the service has not launched the program.
        package var launch: String?
        package var location: ServiceLocation
        /// The path of `undersong`; nil if there is none.
        package var undersong: String?

        package init(
            _ app: App, launch: String?, location: ServiceLocation, undersong: String?
        ) {
            self.app = app
            self.launch = launch
            self.location = location
            self.undersong = undersong
        }
    }

    /// Seconds in which an application has to take its steps to the background before it is stopped.
    private nonisolated static let stepsLimit = 5.0
    /// Seconds to wait for the service before the program stops itself.
    private nonisolated static let stopLimit = 1.0
    /// Seconds to wait, before the launch, for the push for which the program was launched.
    private static let pushLimit = 2.0

    private let application: UIApplication
    private let terminal: JobTerminal
    private let surroundings: Surroundings
    private let connection: AppConnection
    private let inbox = AppInbox()
    /// Ends the process.
    private let leave: @Sendable (Int32) -> Void
    /// The state by the terminal.
    private var terminalState: ApplicationState
    /// The number of the last wake.
    private var lastWake = 0
    private var reported: AppNeeds?
    /// True if needs are about to be reported.
    private nonisolated let isReportDue = Mutex(false)
    private var pushes = PushAnswers()

    /// Creates the runtime of `application`. `leave` ends the process with a status.
    package init(
        _ application: UIApplication, _ surroundings: Surroundings,
        terminal: JobTerminal = JobTerminal(), leave: @escaping @Sendable (Int32) -> Void
    ) {
        self.application = application
        self.surroundings = surroundings
        self.terminal = terminal
        self.leave = leave
        let state: ApplicationState = terminal.isJobInForeground ? .active : .background
        terminalState = state
        connection = AppConnection(
            surroundings.app, in: state, source: terminal.exists ? "terminal" : "none",
            launch: surroundings.launch, refresh: application.refresh,
            to: surroundings.location, clock: SystemClock())
    }

    /// Connects to the service, and launches the application into the state that it wants.
    package func start() {
        application.runtime = self
        application.refresh.serve(by: connection)
        inbox.deliver = { [weak self] news, number in
            DispatchQueue.main.async {
                MainActor.assumeIsolated { self?.receive(news, by: number) }
            }
        }
        let trouble = connect()
        if let trouble {
            application.refresh.endService()
            application.notifications.endService(trouble)
            application.launch(into: .init(terminalState), options: nil, events: nil)
            application.show("there is no service: \(trouble.message)")
        } else {
            launch(inbox.reply ?? ConnectApp.Reply(state: terminalState))
        }
        application.needsObserver.withLock { observer in
            observer = { [weak self] in self?.noteNeeds() }
        }
        report()
        inbox.open()
        followTerminal()
    }

    /// Follows the signals of this process, once in it.
    package func followSignals() {
        let signals = AppSignals(terminal) { [weak self] event, signals in
            self?.receive(event, signals)
        }
        signals.begin()
    }

    /// Ends the connection, for tests.
    package func end() { connection.end() }

    // MARK: The launch

    private func connect() -> ControlError? {
        do throws(ControlError) {
            try connection.begin { [inbox] news, number in inbox.add(news, number) }
            return nil
        } catch {
            return error
        }
    }

    private func launch(_ reply: ConnectApp.Reply) {
        AppLaunch.set(
            app: surroundings.app.identifier, program: surroundings.undersong,
            location: surroundings.location)
        application.notifications.serve(by: notificationService)
        application.host.setBackgroundBudget(reply.budget, warning: reply.warning)
        var options: [UIApplication.LaunchOptionsKey: Any] = [:]
        var sessions: [String] = []
        var push: AppInbox.Push?
        for reason in reply.reasons {
            switch reason {
            case .location: options[.location] = true
            case .transfers(let session): sessions.append(session)
            case .push: push = launchingPush()
            case .user, .task, .notification: break
            }
        }
        if let push, let payload = try? PushPayload(Array(push.push.userInfo.utf8)) {
            options[.remoteNotification] = payload.userInfo
        }
        application.launch(
            into: .init(reply.state), options: options.isEmpty ? nil : options,
            events: sessions.first
        ) {
            for session in sessions.dropFirst() { application.handleEvents(of: session) }
            if let push { deliver(push.push, by: push.connection, isLaunching: true) }
        }
    }

    /// The push for which the program was launched: the service gives it to those who register.
    private func launchingPush() -> AppInbox.Push? {
        connection.setWantsPushes(true)
        return inbox.waitForPush(within: Self.pushLimit)
    }

    /// The way to the service for notifications, which are kept beside the service's state.
    private var notificationService: NotificationLink.Service {
        let folder = surroundings.location.socket.entrance?.folder
        let app = surroundings.app
        return NotificationLink.Service(
            connection, app: app,
            file: folder.map { NotificationFile.path(of: app.identifier, in: $0) })
    }

    // MARK: The service

    private func receive(_ news: AppConnection.News, by number: Int) {
        switch news {
        case .connected(let reply):
            application.enter(.init(reply.state))
            report()
            application.notifications.reconnect()
        case .lost: application.show("the service has gone away; this program waits for it")
        case .state(let state):
            application.enter(.init(state))
            report()
        case .woken(let wake): handle(wake)
        case .terminating: terminate(status: 0)
        case .refreshLaunch(let launch): application.refresh.begin(launch.run, by: number)
        case .refreshExpiring(let task): application.refresh.expire(task.task, by: number)
        case .refreshEnded(let end): application.refresh.end(end.run, by: number)
        case .push(let push): deliver(push, by: number, isLaunching: false)
        case .pushToken(let result): answerRegistration(result)
        case .notificationAnswered(let answer): application.handle(answer)
        }
    }

    /// Handles a wake: what was due while the process was stopped comes first.
    private func handle(_ wake: AppWoken) {
        application.advanceBackgroundTasks()
        lastWake = max(lastWake, wake.wake)
        let hold = application.holdForWake()
        if case .transfers(let session) = wake.reason, !application.sessions.isNotified(session) {
            application.handleEvents(of: session)
        }
        application.board.wake(for: wake.reason) { [weak application] in
            // After what the wake has put on the main queue.
            DispatchQueue.main.async { application?.endBackgroundTask(hold) }
        }
    }

    private nonisolated func noteNeeds() {
        let isFirst = isReportDue.withLock { isDue in
            defer { isDue = true }
            return !isDue
        }
        guard isFirst else { return }
        DispatchQueue.main.async { [weak self] in
            MainActor.assumeIsolated {
                guard let self else { return }
                self.isReportDue.withLock { $0 = false }
                if self.needs != self.reported { self.report() }
            }
        }
    }

    private var needs: AppNeeds {
        var needs = application.needs
        needs.wake = lastWake
        needs.state = ApplicationState(application.applicationState)
        return needs
    }

    /// Reports the needs as they are now.
    private func report() {
        let needs = needs
        reported = needs
        connection.report(needs)
    }

    // MARK: Pushes

    /// Registers for pushes with the service, or no longer.
    func setWantsPushes(_ wantsPushes: Bool) {
        connection.setWantsPushes(wantsPushes)
        guard wantsPushes, !connection.isOpen else { return }
        let error = ControlError(.unavailable, "cannot register for pushes: There is no service")
        answerRegistration(.failure(error))
    }

    private func answerRegistration(_ result: Result<PushToken, ControlError>) {
        switch result {
        case .success(let token):
            application.host.answerRegistration(with: .success(Data(hexadecimal: token.token)))
        case .failure(let error):
            application.host.answerRegistration(
                with: .failure(
                    CocoaError(
                        .featureUnsupported,
                        userInfo: [NSLocalizedDescriptionKey: error.message])))
        }
    }

    /// Gives a push to the application. One that comes again from a service that was killed is not
    /// given again.
    private func deliver(_ push: PushReceived, by number: Int, isLaunching: Bool) {
        switch pushes.receive(push.push, by: number) {
        case .isHandled: break
        case .hasResult(let result): answer(push.push, result)
        case .isNew:
            let finish = { @Sendable [weak self] (result: UIBackgroundFetchResult) in
                MainQueue.run { self?.answer(push.push, PushResult(result)) }
            }
            guard let payload = try? PushPayload(Array(push.userInfo.utf8)) else {
                return finish(.failed)
            }
            guard application.accepts(payload) else { return finish(.noData) }
            application.deliver(payload, isLaunching: isLaunching, finish)
        }
    }

    private func answer(_ push: Int, _ result: PushResult) {
        guard let number = pushes.finish(push, result) else { return }
        connection.send(AnswerPush(push, result), by: number) { [weak self] result in
            if case .failure(let error) = result, error.code == .unavailable { return }
            MainQueue.run { self?.pushes.forget(push) }
        }
    }

    // MARK: Signals and the terminal

    /// Handles an event on the signals' thread.
    private nonisolated func receive(_ event: AppSignals.Event, _ signals: AppSignals) {
        switch event {
        case .stop: stop(signals)
        case .continued:
            connection.send(DidContinue())
            onMain { runtime in
                runtime.application.advanceBackgroundTasks()
                runtime.followTerminal()
            }
        case .terminalClosed, .terminalChanged: onMain { $0.followTerminal() }
        case .end(let number): onMain { $0.terminate(status: 128 + number) }
        }
    }

    /// Stops the process for Ctrl-Z, after the application's steps to the background.
    private nonisolated func stop(_ signals: AppSignals) {
        let hasStepped = DispatchSemaphore(value: 0)
        onMain { runtime in
            runtime.enter(.background)
            hasStepped.signal()
        }
        _ = hasStepped.wait(timeout: .now() + Self.stepsLimit)
        let isAnswered = DispatchSemaphore(value: 0)
        connection.send(WillStop()) { _ in isAnswered.signal() }
        _ = isAnswered.wait(timeout: .now() + Self.stopLimit)
        signals.stopProcess()
    }

    private nonisolated func onMain(
        _ body: @escaping @MainActor @Sendable (AppRuntime) -> Void
    ) {
        DispatchQueue.main.async { MainActor.assumeIsolated { body(self) } }
    }

    /// Enters the state that the terminal has brought, if that has changed.
    private func followTerminal() {
        guard terminal.exists else { return }
        enter(terminal.isJobInForeground ? .active : .background)
    }

    /// Enters a state by the terminal. The service learns it after what the application needs there.
    private func enter(_ state: ApplicationState) {
        guard state != terminalState else { return }
        terminalState = state
        application.enter(.init(state))
        report()
        connection.enter(state, source: "terminal")
    }

    private func terminate(status: Int32) {
        application.host.terminate()
        leave(status)
    }
}

extension PushResult {
    fileprivate init(_ result: UIBackgroundFetchResult) {
        switch result {
        case .newData: self = .newData
        case .noData: self = .noData
        case .failed: self = .failed
        }
    }
}

extension Data {
    /// The bytes of a token, two digits each.
    fileprivate init(hexadecimal text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        self.init(
            stride(from: 0, to: digits.count - 1, by: 2).map { index in
                UInt8(digits[index] << 4 | digits[index + 1])
            })
    }
}

extension UIApplication {
    /// Keeps an application that was woken running, with a new budget if it was suspended, until what
    /// woke it has begun.
    fileprivate func holdForWake() -> UIBackgroundTaskIdentifier {
        let now = clock.now
        let hold = tasks.withLock { $0.account.beginRun(name: "wake", at: now) }
        noteNeeds()
        return UIBackgroundTaskIdentifier(rawValue: hold)
    }
}
