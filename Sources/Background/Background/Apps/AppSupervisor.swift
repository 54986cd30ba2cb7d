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

    package enum Input: MachineInput {
        /// The records of an earlier service: programs that it has suspended run again, and connect.
        case restored([Change])
        case install(App)
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
        case notSuspended(ProcessIdentity, reason: String)
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
        /// Tell a client of an app.
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
        case app(App, isClosed: Bool, lastEnd: AppEnd?)
        case noApp(String)
        /// The service has stopped this process; `boot` names the start of the machine.
        case suspended(ProcessIdentity, group: Int32?, boot: String)
        case notSuspended(ProcessIdentity)
    }

    /// How an app begins.
    package struct Entrance: Hashable, Sendable {
        /// The state to launch into.
        package var state: ApplicationState
        /// The reasons for which the service has launched it; none if the user has.
        package var reasons: [AppReason]
    }

    /// Creates a supervisor without apps. `boot` names the start of the machine, and `service` this run
    /// of the service, whose launches are told from those of earlier ones by it.
    package init(boot: String, service: String) {}

    package mutating func handle(_ input: Input, at now: ScheduleTime) -> [Effect] { [] }

    package func nextDue(at now: ScheduleTime) -> Due { .never }

    // MARK: Questions

    /// The registered apps, by identifier.
    package var apps: [String: App] { [:] }

    /// The app whose process a client is; nil for another program.
    package func app(of client: Int) -> String? { nil }

    /// The client that connected an app last, to which its work goes; nil if it does not run.
    package func client(of app: String) -> Int? { nil }

    /// The state of an app; `notRunning` if there is none.
    package func state(of app: String) -> AppState { .notRunning }

    /// Returns true if an app may be summoned: it is registered, and the user has not closed it.
    package func canSummon(_ app: String) -> Bool { false }

    /// Returns false if somebody else than job control has stopped a client's process, as far as it was
    /// looked at: report `looked` first.
    package func canWork(_ client: Int) -> Bool { true }

    /// How the app begins that a client has connected: the answer to `app.connect`.
    package func entrance(of client: Int) -> Entrance? { nil }

    /// An app with its state; nil if it is not registered. Its background tasks are the shell's to add.
    package func status(of app: String, at now: ScheduleTime) -> AppStatus? { nil }

    /// The apps in the order of their identifiers.
    package func statuses(at now: ScheduleTime) -> [AppStatus] { [] }

    /// Programs other than apps that have work and do not run, each with the reason.
    package func problems(at now: ScheduleTime) -> [String] { [] }
}
