public import Foundation
import Synchronization
import UndersongAppHost
public import UndersongBackground

extension UIApplication {
    /// The system's side of the application. See `Host`.
    public var host: Host { Host(application: self) }

    /// Plays the system's part for an application: launch, foreground and background, termination.
    ///
    /// On Apple's systems the system does this. Here it is the program that embeds this library, or
    /// a test. The delegate is called first, then the notification is posted; both have finished
    /// when a call on the main thread returns. Where the main queue is not bound to the main thread,
    /// as after `dispatchMain()` or in an asynchronous `main`, notifications follow soon after.
    @preconcurrency @MainActor public struct Host {
        let application: UIApplication

        /// Launches the application into `state`. Launched into the background, it never becomes
        /// active (A11). With the `identifier` of a background session it is launched for that: the
        /// session's events are handled when it has launched (J14), as by
        /// `handleEvents(forBackgroundURLSession:)`. With `performsFetch` it is launched for a
        /// background fetch (K2). What else is due of its background tasks begins, too.
        public func launch(
            into state: State = .active, options: [LaunchOptionsKey: Any]? = nil,
            eventsForBackgroundURLSession identifier: String? = nil, performsFetch: Bool = false
        ) {
            application.launch(
                into: state, options: options, events: identifier, performsFetch: performsFetch)
        }

        /// Takes the application to `state`, reporting every step in Apple's order (A5-A8); does
        /// nothing if it is in that state already.
        public func enter(_ state: State) {
            application.enter(state)
        }

        /// Reports that the application terminates. Ending the process is up to the caller.
        public func terminate() {
            if application.applicationState == .active { application.enter(.inactive) }
            application.delegate?.applicationWillTerminate(application)
            application.post(UIApplication.willTerminateNotification)
        }

        /// Declares the background modes and the identifiers of background tasks, in place of
        /// `UIBackgroundModes` and `BGTaskSchedulerPermittedIdentifiers` in the main bundle's
        /// `Info.plist` (B1, G1). Takes effect at once: without `audio` a player in the background
        /// stops.
        public func declare(_ capabilities: Capabilities) {
            application.capabilities = capabilities
            application.publish()
            application.soundChanged()
        }

        /// Sets whether refreshing in the background is possible.
        public func setBackgroundRefreshStatus(_ status: UIBackgroundRefreshStatus) {
            guard status != application.backgroundRefreshStatus else { return }
            application.backgroundRefreshStatus = status
            application.refresh.update { $0.availability = RefreshAvailability(status) }
            application.post(UIApplication.backgroundRefreshStatusDidChangeNotification)
        }

        /// Sets how many seconds the application may run during each stay in the background, and
        /// how long before their end the expiration handlers are called; from the next stay on.
        public func setBackgroundBudget(
            _ budget: TimeInterval, warning: TimeInterval = 5
        ) {
            application.tasks.withLock { $0.account.setBudget(budget, warning: warning) }
        }

        /// Notifies the application of the events of a background session. See
        /// `UIApplicationDelegate.application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
        ///
        /// An application that runs needs no such call: its sessions see to it.
        public func handleEvents(forBackgroundURLSession identifier: String) {
            application.handleEvents(of: identifier)
        }

        /// Calls `handler` on the main actor when the time in the background is over, with the
        /// names of the tasks that have not ended. Apple's systems then terminate the application;
        /// here that is up to the handler.
        public func onOverstay(_ handler: @escaping ([String]) -> Void) {
            application.overstayHandler = handler
        }

        /// Calls `handler` on the main actor when the application is in the background without a
        /// task: the process may be suspended.
        public func onSuspension(_ handler: @escaping () -> Void) {
            application.suspensionHandler = handler
        }
    }

    /// `then` is called when the application has launched, before it may be suspended.
    func launch(
        into state: State, options: [LaunchOptionsKey: Any]?, events identifier: String?,
        performsFetch: Bool = false, then: () -> Void = {}
    ) {
        let target = ApplicationState(state)
        let start = target == .background ? ApplicationState.background : .inactive
        lifecycle = ApplicationLifecycle(state: start)
        applicationState = State(start)
        if target == .background {
            enterBackgroundTime()
            publish()
        }
        _ = delegate?.application(self, willFinishLaunchingWithOptions: options)
        _ = delegate?.application(self, didFinishLaunchingWithOptions: options)
        let userInfo = options?.map { ($0.key.rawValue as AnyHashable, $0.value) }
        post(
            UIApplication.didFinishLaunchingNotification,
            userInfo: userInfo.map { Dictionary($0) { first, _ in first } })
        publish()
        if let identifier { handleEvents(of: identifier) }
        then()
        if target != .background { enter(state) }
        refresh.finishLaunching()
        if performsFetch { refresh.fetch(.schedule) }
        guard target == .background else { return }
        awaitBackgroundTasks()
        settleBackgroundTasks()
    }

    /// Publishes the application's state to those who act on it, such as players (A4, B4).
    fileprivate func publish() {
        board.post(
            HostStateBroadcaster.Notice(
                applicationState: ApplicationState(applicationState),
                capabilities: capabilities))
    }

    func enter(_ state: State) {
        for event in lifecycle.enter(ApplicationState(state)) {
            applicationState = State(event.stateWhileTold)
            if event == .didEnterBackground { enterBackgroundTime() }
            if event == .willEnterForeground { enterForegroundTime() }
            notify(event)
            if event == .didEnterBackground {
                snapshotHandler?()
                settleBackgroundTasks()
            }
        }
        applicationState = state
        publish()
    }

    private func notify(_ event: LifecycleEvent) {
        switch event {
        case .willResignActive:
            delegate?.applicationWillResignActive(self)
            post(UIApplication.willResignActiveNotification)
        case .didEnterBackground:
            delegate?.applicationDidEnterBackground(self)
            post(UIApplication.didEnterBackgroundNotification)
        case .willEnterForeground:
            delegate?.applicationWillEnterForeground(self)
            post(UIApplication.willEnterForegroundNotification)
        case .didBecomeActive:
            delegate?.applicationDidBecomeActive(self)
            post(UIApplication.didBecomeActiveNotification)
        }
    }

    fileprivate func post(_ name: Notification.Name, userInfo: [AnyHashable: Any]? = nil) {
        posting.post(Notification(name: name, object: self, userInfo: userInfo), to: center)
    }
}

extension UIApplication.State {
    init(_ state: ApplicationState) {
        switch state {
        case .active: self = .active
        case .inactive: self = .inactive
        case .background: self = .background
        }
    }
}

extension ApplicationState {
    init(_ state: UIApplication.State) {
        switch state {
        case .active: self = .active
        case .inactive: self = .inactive
        case .background: self = .background
        }
    }
}
