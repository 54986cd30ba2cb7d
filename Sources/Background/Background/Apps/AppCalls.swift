package import UndersongBase

// MARK: For users

/// Registers an app, or changes it. The reply comes when that is on the disk.
package struct InstallApp: ControlCall {
    package typealias Reply = AppStatus
    package static let method = "app.install"
    package var app: App

    package init(_ app: App) { self.app = app }
}

/// The apps.
package struct AppList: Codable, Hashable, Sendable {
    /// The apps in the order of their identifiers.
    package var apps: [AppStatus]
    /// Other programs that do not run although they have work, and why, for `doctor`.
    package var problems: [String]

    package init(_ apps: [AppStatus], problems: [String] = []) {
        self.apps = apps
        self.problems = problems
    }
}

/// Returns the apps.
package struct GetApps: ControlCall {
    package typealias Reply = AppList
    package static let method = "app.list"

    package init() {}
}

/// Brings an app to the foreground: launches it if it does not run.
package struct OpenApp: ControlCall {
    package typealias Reply = AppStatus
    package static let method = "app.open"
    package var identifier: String

    package init(_ identifier: String) { self.identifier = identifier }
}

/// Sends an app to the background, as the home button does.
package struct SendAppHome: ControlCall {
    package typealias Reply = AppStatus
    package static let method = "app.home"
    package var identifier: String

    package init(_ identifier: String) { self.identifier = identifier }
}

/// Ends an app for the user. It is not launched until the user opens it.
package struct KillApp: ControlCall {
    package typealias Reply = AppStatus
    package static let method = "app.kill"
    package var identifier: String

    package init(_ identifier: String) { self.identifier = identifier }
}

/// Forgets an app, its requests and its records. Its processes continue as any other.
package struct RemoveApp: ControlCall {
    package typealias Reply = Nothing
    package static let method = "app.remove"
    package var identifier: String

    package init(_ identifier: String) { self.identifier = identifier }
}

/// Wakes an app, or launches it into the background, for `reason`: what `undersong-transferd` has
/// done when a background session has events.
package struct WakeApp: ControlCall {
    package typealias Reply = AppStatus
    package static let method = "app.wake"
    package var identifier: String
    package var reason: AppReason

    package init(_ identifier: String, _ reason: AppReason) {
        self.identifier = identifier
        self.reason = reason
    }
}

/// Returns where an app's log is: its life cycle, and the output of launches by the service.
package struct GetAppLog: ControlCall {
    /// The log.
    package struct Reply: Codable, Hashable, Sendable {
        /// The absolute path of the file.
        package var path: String

        package init(path: String) { self.path = path }
    }

    package static let method = "app.log"
    package var identifier: String

    package init(_ identifier: String) { self.identifier = identifier }
}

// MARK: For programs

/// Reports that job control is about to stop this program (Ctrl-Z). The program stops itself once
/// this is answered; it is continued for work in the background, and stopped again after that.
package struct WillStop: ControlCall {
    package typealias Reply = Nothing
    package static let method = "program.willStop"

    package init() {}
}

/// Reports that this program was continued (SIGCONT), by the shell or the service.
package struct DidContinue: ControlCall {
    package typealias Reply = Nothing
    package static let method = "program.didContinue"

    package init() {}
}

/// Makes this connection's process an app, registering it if it is new, and returns how it is to
/// begin.
package struct ConnectApp: ControlCall {
    /// The launch.
    package struct Reply: Codable, Hashable, Sendable {
        /// The state to launch into.
        package var state: ApplicationState
        /// The reasons for which the service has launched it; empty if the user has.
        package var reasons: [AppReason]
        /// The interval between fetches that an earlier process has set.
        package var interval: FetchInterval
        /// The requests of earlier processes that are pending.
        package var requests: [RefreshRequest]
        /// The seconds for which it may run in the background, and the warning before their end.
        package var budget: Double
        package var warning: Double

        package init(
            state: ApplicationState, reasons: [AppReason] = [],
            interval: FetchInterval = .never, requests: [RefreshRequest] = [],
            budget: Double = 30, warning: Double = 5
        ) {
            self.state = state
            self.reasons = reasons
            self.interval = interval
            self.requests = requests
            self.budget = budget
            self.warning = warning
        }
    }

    package static let method = "app.connect"
    package var app: App
    /// The state by the process's own terminal.
    package var state: ApplicationState
    /// The origin of the state: `terminal`, or `none` without one.
    package var source: String
    /// The value of `UNDERSONG_LAUNCH`, by which the service knows its own launch; nil for none.
    package var launch: String?

    package init(
        _ app: App, state: ApplicationState, source: String, launch: String? = nil
    ) {
        self.app = app
        self.state = state
        self.source = source
        self.launch = launch
    }
}

/// Reports that the terminal of this connection's app has brought it to another state.
package struct EnterAppState: ControlCall {
    package typealias Reply = Nothing
    package static let method = "app.enter"
    package var state: ApplicationState
    package var source: String

    package init(_ state: ApplicationState, source: String) {
        self.state = state
        self.source = source
    }
}

/// Reports what keeps this connection's app running in the background; the app is suspended there
/// when that is nothing. It reports them before it enters the background by its terminal, and after
/// each state that it is put in and each wake, changed or not.
package struct ReportAppNeeds: ControlCall {
    package typealias Reply = Nothing
    package static let method = "app.needs"
    package var needs: AppNeeds

    package init(_ needs: AppNeeds) { self.needs = needs }
}

/// The app is in another state from now on.
package struct AppStateChanged: ControlNotice {
    package static let method = "app.state"
    package var state: ApplicationState

    package init(_ state: ApplicationState) { self.state = state }
}

/// The app was woken, and remains in the background. It reports its needs with this number when it
/// has begun what it was woken for.
package struct AppWoken: ControlNotice {
    package static let method = "app.woken"
    /// Increases with each wake, from 1.
    package var wake: Int
    package var reason: AppReason

    package init(wake: Int, reason: AppReason) {
        self.wake = wake
        self.reason = reason
    }
}

/// The app has to end: the user has closed it.
package struct AppTerminating: ControlNotice {
    package static let method = "app.terminating"
    /// The seconds left.
    package var timeRemaining: Double

    package init(timeRemaining: Double) { self.timeRemaining = timeRemaining }
}
