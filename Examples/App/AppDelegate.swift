import BackgroundTasks
import UIKit
import UserNotifications

/// An application as Xcode's template begins it: Undersong's service suspends, wakes and launches it.
/// It prints its life cycle, fetches and refreshes in the background, receives silent pushes, and
/// finishes what it does when it leaves the foreground. Its badge is the number of refreshes since it was
/// last in front.
///
/// `Info.plist` lies beside the program. The program's first argument is the number of seconds for which
/// it works after it has left the foreground: 2 without one. The second one is the address of a file
/// that it downloads then, or empty. With the port of a gpsd after that it watches a region.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    static let refreshIdentifier = "net.undersong.ExampleApp.refresh"

    private let seconds = Double(CommandLine.arguments.dropFirst().first ?? "") ?? 2
    private var file = URL(string: CommandLine.arguments.dropFirst(2).first ?? "")
    private var task = UIBackgroundTaskIdentifier.invalid
    private let downloads = DownloadController()
    private let regions = RegionController()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        setvbuf(stdout, nil, _IOLBF, 0)
        let options = (launchOptions ?? [:]).keys.map(\.rawValue).sorted()
        print("launched", application.applicationState, options.joined(separator: " "))
        application.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalMinimum)
        application.registerForRemoteNotifications()
        UNUserNotificationCenter.current().requestAuthorization(options: .badge) { _, error in
            if let error { print("no badge: \(error.localizedDescription)") }
        }
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: Self.refreshIdentifier, using: .main
        ) { task in
            MainActor.assumeIsolated { self.refresh(task) }
        }
        if let port = CommandLine.arguments.dropFirst(3).first.flatMap({ Int($0) }) {
            do {
                try regions.begin(port)
            } catch {
                print("cannot watch the region: \(error.localizedDescription)")
            }
        }
        return true
    }

    // MARK: The life cycle

    func applicationDidBecomeActive(_ application: UIApplication) {
        print("active")
        application.applicationIconBadgeNumber = 0
    }

    func applicationWillResignActive(_ application: UIApplication) { print("resigns") }

    func applicationWillEnterForeground(_ application: UIApplication) { print("foreground") }

    func applicationDidEnterBackground(_ application: UIApplication) {
        print("background")
        scheduleRefresh()
        if let file {
            downloads.download(file)
            self.file = nil
        }
        guard seconds > 0 else { return }
        task = application.beginBackgroundTask(withName: "finish") {
            print("expired")
            self.endTask()
        }
        print("task begins")
        DispatchQueue.main.asyncAfter(deadline: .now() + seconds) {
            guard self.task != .invalid else { return }
            print("task done")
            self.endTask()
        }
    }

    func applicationWillTerminate(_ application: UIApplication) { print("terminates") }

    private func endTask() {
        UIApplication.shared.endBackgroundTask(task)
        task = .invalid
    }

    // MARK: Background tasks

    private func scheduleRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: Self.refreshIdentifier)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 60)
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            print("cannot schedule a refresh: \(error)")
        }
    }

    private func refresh(_ task: BGTask) {
        print("refresh", UIApplication.shared.applicationState)
        UIApplication.shared.applicationIconBadgeNumber += 1
        task.setTaskCompleted(success: true)
    }

    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler:
            @escaping @Sendable (UIBackgroundFetchResult) -> Void
    ) {
        print("fetch", application.applicationState)
        completionHandler(.newData)
    }

    // MARK: Downloads

    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void
    ) {
        print("events", application.applicationState)
        downloads.rejoin(completionHandler)
    }

    // MARK: Pushes

    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) { print("token", deviceToken.count) }

    func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) { print("no token: \(error.localizedDescription)") }

    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler:
            @escaping @Sendable (UIBackgroundFetchResult) -> Void
    ) {
        print("push", application.applicationState)
        completionHandler(.newData)
    }
}
