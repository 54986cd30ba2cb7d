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
            application.activityChanged()
        }

        /// Sets whether refreshing in the background is possible.
        public func setBackgroundRefreshStatus(_ status: UIBackgroundRefreshStatus) {
            guard status != application.backgroundRefreshStatus else { return }
            application.backgroundRefreshStatus = status
            application.refresh.report(.availability(RefreshAvailability(status)))
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
        /// names of the tasks that have not ended. Apple's systems then terminate the application,
        /// and so does the service with one that it knows; otherwise that is up to the handler.
        public func onOverstay(_ handler: @escaping ([String]) -> Void) {
            application.overstayHandler = handler
        }

        /// Calls `handler` on the main actor when the application is in the background without a
        /// task: the process may be suspended, which the service does with one that it knows.
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
        phases.set(ScenePhase(start))
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
            applicationState = State(event.stateDuringEvent)
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
        phases.set(ScenePhase(after: event))
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

extension ScenePhase {
    /// The phase of a state.
    init(_ state: ApplicationState) {
        switch state {
        case .active: self = .active
        case .inactive: self = .inactive
        case .background: self = .background
        }
    }

    /// The phase that an event reports.
    init(after event: LifecycleEvent) {
        switch event {
        case .willResignActive, .willEnterForeground: self = .inactive
        case .didEnterBackground: self = .background
        case .didBecomeActive: self = .active
        }
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

extension UIApplication.Host {
    /// The conditions of the machine that decide whether background tasks run.
    public struct MachineConditions: Hashable, Sendable {
        /// The reach of the network.
        public enum Network: Hashable, Sendable {
            /// The reach is unknown: tasks that need the network try it.
            case unknown
            /// There is none.
            case none
            /// The Internet is not reachable, for example because of a captive portal.
            case limited
            /// The Internet is reachable.
            case full
        }

        /// The reach of the network.
        public var network = Network.unknown
        /// True if the machine runs on its battery.
        public var isOnBattery = false
        /// The charge of the battery in percent; nil without a battery. On battery, nothing is
        /// fetched below 20.
        public var batteryLevel: Double?
        /// True if the user has asked the machine to save power.
        public var isLowPowerModeEnabled = false
        /// True if the machine is about to sleep.
        public var isSleeping = false
        /// True if the user leaves the machine alone, which processing waits for; nil if unknown.
        public var isIdle: Bool?
        /// True if something is playing, which processing waits for to end.
        public var isPlaying = false
        /// The work that waits for each processor, averaged over a minute; nil if it is unknown.
        /// From 0.5 on nothing new is processed.
        public var load: Double?

        /// Creates conditions without an obstacle.
        public init() {}
    }

    /// Reports the conditions of the machine, whenever they change, for a program that knows better.
    ///
    /// Without a call, they are watched by themselves from the first request on: the network by
    /// NetworkManager, power by UPower and the power profiles, sleep and idleness by logind, and
    /// the load. What does not answer is not in the way. Only the program knows whether it plays.
    public func setMachineConditions(_ conditions: MachineConditions) {
        application.refresh.report(conditions.report)
    }

    /// Keeps in `file` what `setMinimumBackgroundFetchInterval(_:)` and `BGTaskScheduler` were
    /// asked for, and what was learned about the user's day; reads what an earlier process has left
    /// there. Without a file, both end with the process.
    ///
    /// Called once, before the application launches, in one process at a time. The folder has to
    /// exist. If it cannot be written, this throws; if that happens later, a message says so.
    public func keepBackgroundTasks(in file: URL) throws {
        let path = file.path(percentEncoded: false)
        guard let reason = application.refresh.keep(in: path) else { return }
        throw CocoaError(
            .fileWriteUnknown,
            userInfo: [NSFilePathErrorKey: path, NSLocalizedDescriptionKey: reason])
    }

    /// The time at which a background task is next due; nil if there is none, or something has to
    /// change first.
    ///
    /// A program that ends when it may be suspended has itself started again then, by a timer of
    /// systemd for example, and launches into the background.
    public var nextBackgroundTaskDate: Date? {
        application.refresh.nextDue.map(Date.init(timeIntervalSince1970:))
    }

    /// Simulates a background fetch (K1): an application that is in front goes to the background,
    /// and fetches there.
    public func simulateBackgroundFetch() {
        application.fetch(.simulate) { enter(.background) }
    }

    /// Calls `handler` on the main actor when the system would take a snapshot of the application's
    /// interface: after it has left the foreground, and after each run of a background task (K4).
    public func onSnapshot(_ handler: @escaping () -> Void) {
        application.snapshotHandler = handler
    }

    /// Calls `handler` on the main actor with messages of what the scheduler of background tasks
    /// does (N3), and of what an application has done wrong, such as calling a completion handler
    /// twice (F12).
    public func onBackgroundTaskMessage(_ handler: @escaping (String) -> Void) {
        application.messageHandler = handler
    }
}

extension UIApplication.Host.MachineConditions {
    /// The same for the scheduler.
    fileprivate var report: RefreshHost.Report {
        var machine = MachineState()
        machine.network.connectivity =
            switch network {
            case .unknown: .unknown
            case .none: .none
            case .limited: .limited
            case .full: .full
            }
        machine.power = PowerState(isOnBattery: isOnBattery, charge: batteryLevel)
        machine.power.isSavingPower = isLowPowerModeEnabled
        machine.isSleeping = isSleeping
        return .program(machine, isIdle: isIdle, isPlaying: isPlaying, load: load)
    }
}

extension RefreshAvailability {
    init(_ status: UIBackgroundRefreshStatus) {
        switch status {
        case .restricted: self = .restricted
        case .denied: self = .denied
        case .available: self = .available
        }
    }
}
