import Dispatch
public import Foundation
import Synchronization
package import UndersongAppHost
import UndersongBackground

/// The application's state: in the foreground or in the background, and for how long.
///
/// It belongs to the main actor, as on Apple's systems. Its state comes from its terminal and the
/// service where the program begins by `UIApplicationMain`, and through `host` otherwise; until then
/// the application is active.
@preconcurrency @MainActor open class UIApplication: UIResponder {
    /// The application of this process.
    public static let shared = UIApplication(
        center: .default, clock: .mainQueue, board: .shared, sessions: .shared, refresh: .shared,
        notifications: .shared, posting: .asOperation)

    /// Receives the life cycle events, before the notifications are posted.
    public weak var delegate: (any UIApplicationDelegate)?

    /// The application's state; one of the three that running code can observe.
    public internal(set) var applicationState = State.active

    /// The availability of refreshing in the background, as set by the host; `available` by
    /// default.
    public internal(set) var backgroundRefreshStatus = UIBackgroundRefreshStatus.available

    var lifecycle = ApplicationLifecycle(state: .active)
    /// The declared background modes.
    var capabilities = Capabilities.declared(in: .main)
    /// The entrance of this program, if it has one.
    var runtime: AppRuntime?
    nonisolated let phases = ScenePhaseBoard()
    /// Notes that what keeps the application running in the background may have changed.
    nonisolated let needsObserver = Mutex<(@Sendable () -> Void)?>(nil)
    let center: NotificationCenter
    let posting: NotificationPosting
    let board: HostStateBroadcaster
    let sessions: BackgroundSessionBoard
    let sessionClock: any BackgroundTaskClock
    nonisolated let refresh: RefreshCenter
    nonisolated let notifications: NotificationLink
    nonisolated let clock: any BackgroundTaskClock
    nonisolated let tasks = Mutex(BackgroundTaskState())
    /// The task that keeps the application running until what wakes it later is handed over.
    nonisolated let handover = Mutex(UIBackgroundTaskIdentifier.invalid)
    var overstayHandler: (([String]) -> Void)?
    var suspensionHandler: (() -> Void)?
    var remoteNotifications = RemoteNotificationState()
    /// The deadlines for creating the sessions that have events, in the clock's seconds.
    var deadlines: [String: Double] = [:]
    /// The calls that end the wait for each of them.
    var ends: [String: @Sendable () -> Void] = [:]
    /// The background runs, and the identifiers under which they keep the application running.
    var runs: [ObjectIdentifier: (work: RefreshWork, identifier: Int)] = [:]
    /// The identifier under which what is due keeps the application running before it begins.
    var decision: Int?
    var snapshotHandler: (() -> Void)?
    var messageHandler: ((String) -> Void)?

    /// Makes an application with its own notifications and clock, for tests.
    package init(
        center: NotificationCenter, clock: any BackgroundTaskClock,
        board: HostStateBroadcaster = HostStateBroadcaster(),
        sessions: BackgroundSessionBoard = BackgroundSessionBoard(),
        sessionClock: any BackgroundTaskClock = .mainQueue, refresh: RefreshCenter? = nil,
        notifications: NotificationLink = NotificationLink(),
        budget: TimeInterval = 30,
        warning: TimeInterval = 5,
        posting: NotificationPosting = .direct
    ) {
        self.center = center
        self.posting = posting
        self.clock = clock
        self.board = board
        self.sessions = sessions
        self.sessionClock = sessionClock
        self.refresh = refresh ?? RefreshCenter(board: board)
        self.notifications = notifications
        super.init()
        tasks.withLock { $0.account = BackgroundTasks(budget: budget, warning: warning) }
        watchSessions()
        watchActivities()
        watchNotifications()
        self.refresh.attach(self)
    }

    /// The state of an application (A2).
    public enum State: Int, Sendable {
        /// In the foreground, with input.
        case active = 0
        /// In the foreground without input: the screen is locked, or the state is changing.
        case inactive = 1
        /// In the background.
        case background = 2
    }

    /// A key of the launch options.
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        /// Apple's value.
        public let rawValue: String

        /// Makes a key of any value.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// Does nothing: remote commands work without it, as they do in current versions of iOS.
    open func beginReceivingRemoteControlEvents() {}

    /// Does nothing: remote commands work without it, as they do in current versions of iOS.
    open func endReceivingRemoteControlEvents() {}
}

extension UIApplication.LaunchOptionsKey {
    /// The application was launched because of a region, a visit or a change of the place; the value
    /// is true.
    public static let location = UIApplication.LaunchOptionsKey(
        rawValue: "UIApplicationLaunchOptionsLocationKey")
}

/// The availability of background refresh to the application.
public enum UIBackgroundRefreshStatus: Int, Sendable {
    /// Not possible, and the user cannot change that.
    case restricted = 0
    /// The user has forbidden it.
    case denied = 1
    /// Possible.
    case available = 2
}

/// The base class of application objects, so that `class AppDelegate: UIResponder` compiles. There
/// are no events to respond to.
@preconcurrency @MainActor open class UIResponder: NSObject {}

extension UIApplication {
    /// The application has launched. The user info contains the launch options.
    public nonisolated static let didFinishLaunchingNotification =
        Notification.Name("UIApplicationDidFinishLaunchingNotification")
    /// The application is about to become inactive (A5).
    public nonisolated static let willResignActiveNotification =
        Notification.Name("UIApplicationWillResignActiveNotification")
    /// The application is in the background: the last chance to begin a task (A6).
    public nonisolated static let didEnterBackgroundNotification =
        Notification.Name("UIApplicationDidEnterBackgroundNotification")
    /// The application is about to enter the foreground (A7).
    public nonisolated static let willEnterForegroundNotification =
        Notification.Name("UIApplicationWillEnterForegroundNotification")
    /// The application is active (A8).
    public nonisolated static let didBecomeActiveNotification =
        Notification.Name("UIApplicationDidBecomeActiveNotification")
    /// The application is about to terminate.
    public nonisolated static let willTerminateNotification =
        Notification.Name("UIApplicationWillTerminateNotification")
    /// `backgroundRefreshStatus` has changed.
    public nonisolated static let backgroundRefreshStatusDidChangeNotification =
        Notification.Name("UIApplicationBackgroundRefreshStatusDidChangeNotification")
}
