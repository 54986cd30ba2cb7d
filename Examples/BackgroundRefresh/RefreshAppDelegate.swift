import BackgroundTasks
import UIKit

/// The application: it refreshes in the background, and asks for the next refresh each time.
final class RefreshAppDelegate: UIResponder, UIApplicationDelegate {
    nonisolated static let refreshIdentifier =
        "net.undersong.BackgroundRefreshExample.task.refresh"

    private let model: RefreshModel
    /// Seconds after which the next refresh may begin.
    private let delay: TimeInterval

    init(model: RefreshModel, delay: TimeInterval) {
        self.model = model
        self.delay = delay
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let isRegistered = BGTaskScheduler.shared.register(
            forTaskWithIdentifier: Self.refreshIdentifier, using: nil
        ) { task in
            guard let task = task as? BGAppRefreshTask else { return }
            self.handleAppRefresh(task)
        }
        if !isRegistered { print("\(Self.refreshIdentifier) is not permitted") }
        scheduleAppRefresh()
        return true
    }

    private nonisolated func handleAppRefresh(_ task: BGAppRefreshTask) {
        model.refresh()
        task.setTaskCompleted(success: true)
        scheduleAppRefresh()
    }

    private nonisolated func scheduleAppRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: Self.refreshIdentifier)
        request.earliestBeginDate = Date(timeIntervalSinceNow: delay)
        do {
            try BGTaskScheduler.shared.submit(request)
            print("background refresh scheduled")
        } catch {
            print("Couldn't schedule app refresh \(error)")
        }
    }
}
