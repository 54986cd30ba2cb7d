import BackgroundTransfer
import UIKit

/// The application: it downloads what pushes announce, and is woken when that has come.
final class DownloadAppDelegate: UIResponder, UIApplicationDelegate {
    private let downloads: DownloadController
    private let library: EpisodeLibrary

    init(downloads: DownloadController, library: EpisodeLibrary) {
        self.downloads = downloads
        self.library = library
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        library.log("Launched in background \(application.applicationState == .background ? 1 : 0)")
        application.registerForRemoteNotifications()
        return true
    }

    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        print("Token \(deviceToken.map { String(format: "%02x", $0) }.joined())")
    }

    /// A push without a message: content has become available.
    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler:
            @escaping @Sendable (UIBackgroundFetchResult) -> Void
    ) {
        guard let identifier = userInfo["content-id"] as? Int else {
            return completionHandler(.noData)
        }
        library.log("Received remote notification with content-id \(identifier)")
        downloads.download(identifier)
        completionHandler(.newData)
    }

    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void
    ) {
        library.log("Rejoining session with identifier \(identifier)")
        downloads.rejoin(identifier, completionHandler)
    }
}
