public import UndersongBase

/// A program that the service treats as iOS treats an app: it suspends, wakes, launches and ends it.
package struct App: Codable, Hashable, Sendable {
    /// Identifies it: `CFBundleIdentifier`, or the program's file name.
    package var identifier: String
    /// The name to show: `CFBundleDisplayName`, `CFBundleName`, or the program's file name.
    package var name: String
    /// The program, as an absolute path, and its arguments.
    package var command: [String]
    /// The working folder in which it is launched.
    package var folder: String
    /// The property list that declares its modes; nil for none. It is read again at each launch.
    package var manifest: String?
    /// The declared background modes (B1, B2).
    package var modes: [BackgroundMode]
    /// The permitted identifiers of background tasks (G1).
    package var permitted: [String]
    /// The texts that explain why it wants to know the location, by their keys in the property list.
    package var usage: [String: String]

    package init(
        identifier: String, name: String, command: [String], folder: String,
        manifest: String? = nil, modes: [BackgroundMode] = [], permitted: [String] = [],
        usage: [String: String] = [:]
    ) {
        self.identifier = identifier
        self.name = name
        self.command = command
        self.folder = folder
        self.manifest = manifest
        self.modes = modes
        self.permitted = permitted
        self.usage = usage
    }

    /// The declared modes and identifiers.
    package var capabilities: Capabilities {
        Capabilities(backgroundModes: Set(modes), permittedIdentifiers: Set(permitted))
    }

    /// The most bytes of an identifier: files are named after it, and pushes have it as their topic.
    package static let identifierLimit = 200

    /// The reason why nothing can have this identifier; nil if an app can.
    package static func mistake(inIdentifier identifier: String) -> String? {
        let isNamed = identifier.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard
            !isNamed || identifier.hasPrefix(".")
                || !(1...identifierLimit).contains(identifier.utf8.count)
        else { return nil }
        return
            "an identifier has 1 to \(identifierLimit) of the characters A-Z, a-z, 0-9, '.', '-' "
            + "and '_', and does not begin with '.'"
    }

    /// The reason why it cannot be registered; nil if it can, as far as its own values say.
    package var mistake: String? {
        if let mistake = Self.mistake(inIdentifier: identifier) { return mistake }
        guard let program = command.first, program.hasPrefix("/") else {
            return "the program is not an absolute path"
        }
        guard folder.hasPrefix("/") else { return "the working folder is not an absolute path" }
        guard !(command + [folder]).contains(where: { $0.utf8.contains(0) }) else {
            return "a word of the command has a null character"
        }
        return nil
    }
}

/// The state of an app, one of iOS's five (A2).
public enum AppState: String, Codable, Hashable, Sendable, CaseIterable {
    /// It has no process.
    case notRunning
    /// In the foreground.
    case active
    /// In the foreground, without input.
    case inactive
    /// Running without being in front.
    case background
    /// In memory, without running.
    case suspended
}

/// Something that an app or another program is given to do in the background, and for which it has
/// to run.
package enum AppWork: Codable, Hashable, Sendable {
    /// A background task of the scheduler, by its number.
    case refresh(Int)
    /// A push, by its number.
    case push(Int)
    /// A finite-length task of the service, by its number.
    case task(Int)
}

/// A reason to wake or launch an app.
package enum AppReason: Codable, Hashable, Sendable {
    /// The user opens it.
    case user
    /// A background task with this identifier is due.
    case task(String)
    /// A push of this topic has come.
    case push(String)
    /// A background session with this identifier has events (J11).
    case transfers(String)
    /// A region was crossed, or a place was reached or left.
    case location
    /// The user has chosen an action of the notification with this identifier.
    case notification(String)

    private enum TaskCodingKeys: String, CodingKey { case _0 = "identifier" }
    private enum PushCodingKeys: String, CodingKey { case _0 = "topic" }
    private enum TransfersCodingKeys: String, CodingKey { case _0 = "session" }
    private enum NotificationCodingKeys: String, CodingKey { case _0 = "identifier" }

    /// The reason in messages: `a task net.example.refresh`.
    package var text: String {
        switch self {
        case .user: "the user"
        case .task(let identifier): "the task \(identifier)"
        case .push(let topic): "a push to \(topic)"
        case .transfers(let session): "transfers of \(session)"
        case .location: "the location"
        case .notification(let identifier): "the notification \(identifier)"
        }
    }
}

/// The reasons for which an app runs in the background, as it reports them.
package struct AppNeeds: Codable, Hashable, Sendable {
    /// The names of its finite-length tasks.
    package var tasks: [String] = []
    /// True if it plays sound, or is about to.
    package var audio = false
    /// True if it receives locations.
    package var location = false
    /// The state in which it needs this; nil for any. Needs of another state do not count: they were
    /// on the way when it was put in this one.
    package var state: ApplicationState?
    /// The number of the last wake that it has acted on; 0 for none.
    package var wake = 0

    package init() {}

    /// Returns true if it needs to run for no reason that has no time limit of its own.
    package func isLimited(by modes: [BackgroundMode]) -> Bool {
        !(audio && modes.contains(.audio)) && !(location && modes.contains(.location))
    }

    /// True if nothing keeps it running.
    package var isNothing: Bool { tasks.isEmpty && !audio && !location }
}

/// The end of an app's process.
public struct AppEnd: Codable, Hashable, Sendable {
    /// The cause of an end.
    public enum Cause: String, Codable, Hashable, Sendable, CaseIterable {
        /// It has ended by itself.
        case exited
        /// A signal from elsewhere has ended it.
        case signalled
        /// The service has ended it: its time in the background was over (E5).
        case overstayed
        /// The user has ended it by `undersong app kill`.
        case killed
        /// It was launched, and did not connect in time.
        case unresponsive
        /// It could not be started.
        case notStarted
    }

    /// The cause.
    public package(set) var cause: Open<Cause>
    /// The exit status, 128 and the signal's number if a signal has ended it; nil if unknown.
    public package(set) var status: Int32?
    /// Details for the user, such as the reason why it could not be started.
    public package(set) var reason: String?
    /// Seconds since 1970.
    public package(set) var time: Double

    package init(_ cause: Cause, status: Int32? = nil, reason: String? = nil, time: Double) {
        self.cause = .known(cause)
        self.status = status
        self.reason = reason
        self.time = time
    }
}

/// An app and its state.
package struct AppStatus: Codable, Hashable, Sendable {
    package var app: App
    package var state: Open<AppState>
    /// The origin of the state: `terminal`, `undersong app`, `login session locked`, `launch`.
    package var source: String?
    /// The process; nil if it does not run.
    package var process: Int32?
    /// The reasons for which it runs in the background: names of tasks, `audio`, `location`, `push 3`.
    package var running: [String]
    /// The seconds left in the background; nil without a limit.
    package var timeRemaining: Double?
    /// The time of the next background task, in seconds since 1970; nil if none is due by itself.
    package var next: Double?
    /// True if the user has ended it, so that it is not launched until the user opens it.
    package var isClosed: Bool
    /// The last end of its process; nil if it has never ended.
    package var lastEnd: AppEnd?
    /// Something that the user should know: that the program is gone, that it was stopped by somebody
    /// else, that it holds a lock.
    package var problem: String?
    /// The processor time of its last runs of background tasks, in seconds; nil if there were none.
    package var processorTime: Double?
    /// The badge; nil for none.
    package var badge: Int?

    package init(_ app: App, state: AppState) {
        self.app = app
        self.state = .known(state)
        running = []
        isClosed = false
    }
}

/// A change of an app, as the event `app` reports it.
public struct AppEvent: Codable, Hashable, Sendable {
    /// The kind of change.
    public enum Phase: String, Codable, Hashable, Sendable, CaseIterable {
        /// Registered, and no longer.
        case installed, removed
        /// Started by the service.
        case launched
        /// In this state now.
        case entered
        /// Woken, or continued after job control had stopped it, for `reason`.
        case woken
        /// Stopped by the service, until something wakes it.
        case suspended
        /// Ended as `end` says, or not started.
        case ended
        /// Something the user should know has happened to it: `reason`.
        case problem
    }

    /// The names on the wire, where `state` and `reason` are those of the player.
    private enum CodingKeys: String, CodingKey {
        case phase, app, process, end
        case state = "appState"
        case reason = "because"
    }

    /// The kind of change.
    public package(set) var phase: Open<Phase>
    /// The app's identifier; for another program than an app, its name.
    public package(set) var app: String
    /// The process.
    public package(set) var process: Int32?
    /// The state that it has entered.
    public package(set) var state: AppState?
    /// The reason in words.
    public package(set) var reason: String?
    /// The end, if its process has ended.
    public package(set) var end: AppEnd?

    package init(_ phase: Phase, _ app: String) {
        self.phase = .known(phase)
        self.app = app
    }
}
