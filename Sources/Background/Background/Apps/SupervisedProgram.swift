import UndersongBase

/// A process with clients of the service, as the supervisor of apps knows it.
struct SupervisedProgram: Sendable {
    /// The state of execution, and who has stopped the process or continued it.
    enum Execution: Hashable, Sendable {
        /// Nobody has stopped it, or somebody else than the service has continued it.
        case running
        /// Job control has stopped it, or is about to.
        case announced(Watch)
        /// The service has stopped it, alone or with its whole group. `isDoubted` if it has reported
        /// since that it was continued.
        case suspended(group: Int32?, isDoubted: Bool)
        /// The service has continued it. `isNoticed` once it has reported that.
        case resumed(group: Int32?, isNoticed: Bool)
        /// Somebody else has stopped it, who continues it.
        case held(Hold)
        /// It has ended, and its connections are about to close.
        case gone
    }

    /// The wait for a stop that was announced.
    enum Watch: Hashable, Sendable {
        /// Nothing needs the process to run.
        case unneeded
        case until(Double)
        /// The process has not stopped in time, or its terminal is still its own.
        case over
    }

    /// The one who has stopped a process for a reason of his own.
    enum Hold: Hashable, Sendable {
        case signal, debugger

        var text: String {
            switch self {
            case .signal: "somebody else has stopped it"
            case .debugger: "a debugger has stopped it"
            }
        }
    }

    /// The next look at the process.
    enum Look: Hashable, Sendable {
        case none
        /// It is asked for.
        case asked
        /// It is wanted again at this time.
        case due(Double)
    }

    /// The end of an app's process, as far as the service brings it about.
    enum Fate: Hashable, Sendable {
        case none
        /// Work was not completed in time: it ends unless a debugger is the reason.
        case condemned(reason: String)
        /// The user has closed it; it is ended at this time.
        case closing(until: Double)
        /// It was ended by SIGKILL.
        case ended(AppEnd.Cause, reason: String?)
    }

    /// A state that takes precedence over that of the terminal, and its origin.
    struct Override: Hashable, Sendable {
        var state: ApplicationState
        var source: String
    }

    /// A process's part in an app.
    struct Membership: Sendable {
        let app: String
        /// The client that connected it.
        let client: Int
        /// Increases with each connection of an app.
        let order: Int
        /// The token of the launch; nil if the user has started it.
        let launch: String?
        /// The reasons of the launch.
        let reasons: [AppReason]
        /// The state by the terminal, and its origin.
        var terminal: ApplicationState
        var source: String
        var override: Override?
        /// The state that the process knows to be in.
        var known: ApplicationState
        /// The needs that it reported last; nil before the first report.
        var needs: AppNeeds?
        /// The number of its last wake.
        var wake = 0
        /// The time until which it takes its steps for a state in which the service has put it, unless
        /// it reports its needs before; nil if it has.
        var settling: Double?
        /// The time at which it has overstayed; nil while nothing limits it.
        var limit: Double?
        var fate = Fate.none

        var state: ApplicationState { override?.state ?? terminal }
    }

    /// Work of one of its clients.
    struct Work: Hashable, Sendable {
        let work: AppWork
        let client: Int
    }

    let name: String
    var condition: ProcessCondition
    var clients: [Int]
    var execution = Execution.running
    var look = Look.none
    var work: [Work] = []
    /// Its part in an app; nil for another program.
    var membership: Membership?
    /// The exit status, once it has ended.
    var status: Int32?
    /// The reason why it could not be suspended.
    var trouble: String?

    var identity: ProcessIdentity { condition.identity }

    /// True if the process runs, as far as is known.
    var isRunning: Bool {
        switch execution {
        case .running, .resumed: true
        case .announced, .suspended, .held, .gone: false
        }
    }

    /// True once the process was ended, or has ended.
    var isEnded: Bool {
        if case .ended = membership?.fate { return true }
        return execution == .gone
    }

    /// True if the process may be asked to do something: nothing ends it.
    var isLasting: Bool {
        switch membership?.fate {
        case nil, .some(.none), .condemned: execution != .gone
        case .closing, .ended: false
        }
    }

    /// True if a debugger has to do with it.
    var isTraced: Bool { condition.tracer != nil || condition.activity == .traced }

    /// True if there is a reason for it to run.
    var isBusy: Bool {
        if !work.isEmpty { return true }
        guard let membership else { return false }
        if case .closing = membership.fate { return true }
        guard membership.state == .background, let needs = membership.needs,
            needs.state ?? .background == .background
        else { return true }
        return !needs.isNothing || needs.wake < membership.wake || membership.settling != nil
    }

    /// True if it is suspended once nothing keeps it running: an app in the background is, and another
    /// program if the service has continued it.
    var isSuspendable: Bool {
        guard !isBusy, !isEnded else { return false }
        return switch execution {
        case .running: membership != nil
        case .resumed: true
        case .announced, .suspended, .held, .gone: false
        }
    }

    /// True if its terminal's keys are its own, and its state is about to follow.
    var isInFront: Bool {
        guard condition.isForeground else { return false }
        guard let membership else { return true }
        return membership.override == nil && membership.source == "terminal"
    }

    /// The process group to stop with it; nil for the process alone.
    var suspensionGroup: Int32? {
        if case .resumed(let group, _) = execution { return group }
        return condition.leadsGroup ? condition.group : nil
    }

    /// The reasons for which it runs in the background, for the user.
    var reasons: [String] {
        var reasons = membership?.needs?.tasks ?? []
        if membership?.needs?.audio == true { reasons.append("audio") }
        if membership?.needs?.location == true { reasons.append("location") }
        return reasons + work.map(\.work.text)
    }
}

extension AppWork {
    /// The work in messages: `push 3`.
    package var text: String {
        switch self {
        case .refresh(let number): "background task \(number)"
        case .push(let number): "push \(number)"
        case .task(let number): "task \(number)"
        }
    }
}

/// A registered app, as the supervisor knows it.
struct SupervisedApp: Sendable {
    /// A wish for the app to run.
    struct Demand: Hashable, Sendable {
        var state: ApplicationState
        var reasons: [AppReason]

        /// The reasons in messages.
        var text: String {
            reasons.isEmpty ? AppReason.user.text : reasons.map(\.text).joined(separator: ", ")
        }
    }

    /// A launch of the app by the service.
    enum Launch: Hashable, Sendable {
        case none
        /// Wanted at this time or, without one, when the processes that are ending have ended.
        case waiting(Demand, from: Double?)
        /// Under way. `process` is nil until it is known, and once it has ended after it has forked.
        case started(Demand, token: String, process: ProcessIdentity?, until: Double)
    }

    var app: App
    /// True if the user has installed it; false if its program has registered itself.
    var isInstalled: Bool
    var isClosed = false
    var lastEnd: AppEnd?
    var launch = Launch.none
    /// The time before which it is launched for the user only, since a launch has failed.
    var retryTime = -Double.infinity
    /// The state that was reported last.
    var reported = AppState.notRunning
    /// The reason of its last wake, in words.
    var wakeReason: String?

    init(_ app: App, isInstalled: Bool) {
        self.app = app
        self.isInstalled = isInstalled
    }

    /// The record of the app.
    var record: AppSupervisor.Change {
        .app(app, isClosed: isClosed, lastEnd: lastEnd, isInstalled: isInstalled)
    }
}

/// An app's process that has left, and whose exit status is about to come.
struct DepartedProcess: Sendable {
    let identity: ProcessIdentity
    let app: String
    /// The cause of the end; nil if the status shows it.
    let cause: AppEnd.Cause?
    /// The time at which its end is reported without a status.
    let until: Double
}
