import Synchronization
import UndersongAppHost
import UndersongBackground

extension UIApplication {
    /// The number on the application's icon, which desktops, `undersong status` and the springboard of
    /// `undersong demo` show; 0 for none. The service keeps it, also while the application does not run.
    ///
    /// It needs the permission to notify the user (`requestAuthorization(options:)` of
    /// `UNUserNotificationCenter`). Without it, or without a service, a message says that the badge could
    /// not be set. A negative number is 0.
    public var applicationIconBadgeNumber: Int {
        get { notifications.badge }
        set {
            notifications.setBadge(max(0, newValue)) { [notifications] result in
                if case .failure(let error) = result {
                    notifications.report("the badge is not set: \(error.message)")
                }
            }
        }
    }

    /// Shows what notifications have to report.
    func watchNotifications() {
        notifications.setReport { [weak self] message in
            MainQueue.run { self?.show(message) }
        }
    }

    /// Passes an answer of the user to a notification on. The application is not suspended before it has
    /// handled that, or its time is over.
    func handle(_ answer: NotificationAnswered) {
        let now = clock.now
        tasks.withLock { $0.account.wake(at: now) }
        let task = Mutex(UIBackgroundTaskIdentifier.invalid)
        let end = { @Sendable [weak self] in
            let identifier = task.withLock { identifier in
                defer { identifier = .invalid }
                return identifier
            }
            self?.endBackgroundTask(identifier)
        }
        let identifier = beginBackgroundTask(withName: "notification") { end() }
        task.withLock { $0 = identifier }
        notifications.receive(answer, end)
    }
}
