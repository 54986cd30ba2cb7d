import Background
import Dispatch
public import Foundation
package import HostState
import Synchronization

/// The application as its host sees it: in front or in the background, and for how long.
///
/// It is on the main actor, as Apple's. Someone must let it know where the host is: see `host`.
/// Before anyone does, the application is active.
@preconcurrency @MainActor open class UIApplication: UIResponder {
    /// The application of this process.
    public static let shared = UIApplication(
        center: .default, clock: .mainQueue, board: .shared)

    /// What is told of the life cycle, besides the notifications and before them.
    public weak var delegate: (any UIApplicationDelegate)?

    /// Where the application is now; never anything but these three, since code that sees it runs.
    public internal(set) var applicationState = State.active

    /// Whether refreshing in the background is possible. The host says so; `available` at first.
    public internal(set) var backgroundRefreshStatus = UIBackgroundRefreshStatus.available

    var lifecycle = ApplicationLifecycle(state: .active)
    /// The declared background modes.
    var capabilities = Capabilities.declared(in: .main)
    let center: NotificationCenter
    let board: HostBoard
    nonisolated let clock: any BackgroundTaskClock
    nonisolated let tasks = Mutex(BackgroundTaskState())
    var overstayHandler: (([String]) -> Void)?
    var suspensionHandler: (() -> Void)?

    /// Makes an application with notifications and a clock of its own, for tests.
    package init(
        center: NotificationCenter, clock: any BackgroundTaskClock,
        board: HostBoard = HostBoard(), budget: TimeInterval = 30, warning: TimeInterval = 5
    ) {
        self.center = center
        self.clock = clock
        self.board = board
        super.init()
        tasks.withLock { $0.account = BackgroundTasks(budget: budget, warning: warning) }
    }

    /// Where an application is (A2).
    public enum State: Int, Sendable {
        /// In front, with input.
        case active = 0
        /// In front, without: the screen is locked, or it is on its way.
        case inactive = 1
        /// In the background.
        case background = 2
    }

    /// A key of what an application was launched with.
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        /// Apple's value.
        public let rawValue: String

        /// Takes any value.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// For Apple's systems before remote commands; these come without it, so it does nothing.
    open func beginReceivingRemoteControlEvents() {}

    /// For Apple's systems before remote commands; these come without it, so it does nothing.
    open func endReceivingRemoteControlEvents() {}
}

/// What may happen while an application is in the background.
public enum UIBackgroundRefreshStatus: Int, Sendable {
    /// Not possible, and the user cannot change that.
    case restricted = 0
    /// The user has forbidden it.
    case denied = 1
    /// Possible.
    case available = 2
}

/// The base of an application's objects, so that `class AppDelegate: UIResponder` compiles. There
/// are no events to respond to.
@preconcurrency @MainActor open class UIResponder: NSObject {}

extension UIApplication {
    /// The application has been launched; with its options as user info.
    public nonisolated static let didFinishLaunchingNotification =
        Notification.Name("UIApplicationDidFinishLaunchingNotification")
    /// The application is about to become inactive (A5).
    public nonisolated static let willResignActiveNotification =
        Notification.Name("UIApplicationWillResignActiveNotification")
    /// The application is in the background: the last chance to begin a task (A6).
    public nonisolated static let didEnterBackgroundNotification =
        Notification.Name("UIApplicationDidEnterBackgroundNotification")
    /// The application is on its way to the foreground (A7).
    public nonisolated static let willEnterForegroundNotification =
        Notification.Name("UIApplicationWillEnterForegroundNotification")
    /// The application is active (A8).
    public nonisolated static let didBecomeActiveNotification =
        Notification.Name("UIApplicationDidBecomeActiveNotification")
    /// The application is about to end.
    public nonisolated static let willTerminateNotification =
        Notification.Name("UIApplicationWillTerminateNotification")
    /// `backgroundRefreshStatus` is another.
    public nonisolated static let backgroundRefreshStatusDidChangeNotification =
        Notification.Name("UIApplicationBackgroundRefreshStatusDidChangeNotification")
}
