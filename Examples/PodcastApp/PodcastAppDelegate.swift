import BackgroundTransfer
import UIKit

/// A podcast application: it looks for news with a data task when the system lets it fetch, and
/// downloads what pushes announce in a background session.
///
/// `UndersongExamples PodcastApp URL FOLDER` runs it under the service, without a line of its own for
/// that. `URL/feed` is what it looks at, `URL/42` the episode 42, and FOLDER gets the episodes.
class PodcastAppDelegate: UIResponder, UIApplicationDelegate {
    static let sessionIdentifier = "net.undersong.PodcastExample"

    var server =
        URL(string: CommandLine.arguments.dropFirst(2).first ?? "http://127.0.0.1:8080")
        ?? URL(fileURLWithPath: "/")
    var library = EpisodeLibrary(
        folder: URL(fileURLWithPath: CommandLine.arguments.dropFirst(3).first ?? "/tmp"))
    /// The location of the process that transfers; not one of Apple's.
    var service = TransferServiceLocation()
    /// The feed as it was seen last.
    private var feed: Data?
    /// The handlers to call when a background session has no more events.
    private var completionHandlers: [String: () -> Void] = [:]

    private(set) lazy var backgroundSession: URLSession = {
        let configuration = URLSessionConfiguration.background(
            withIdentifier: Self.sessionIdentifier)
        configuration.transferService = service
        return URLSession(configuration: configuration, delegate: self, delegateQueue: .main)
    }()

    private lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.default
        configuration.transferService = service
        return URLSession(configuration: configuration, delegate: nil, delegateQueue: .main)
    }()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        library.log("Launched in background \(application.applicationState == .background ? 1 : 0)")
        application.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalMinimum)
        application.registerForRemoteNotifications()
        return true
    }

    // MARK: Fetching

    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler:
            @escaping @Sendable (UIBackgroundFetchResult) -> Void
    ) {
        let request = URLRequest(
            url: server.appendingPathComponent("feed"), cachePolicy: .reloadIgnoringLocalCacheData)
        let task = session.dataTask(with: request) { [library] data, response, error in
            guard let data, (response as? HTTPURLResponse)?.statusCode == 200 else {
                library.log("Cannot fetch: \(error?.localizedDescription ?? "not there")")
                return completionHandler(.failed)
            }
            MainActor.assumeIsolated {
                defer { self.feed = data }
                library.log("Fetched \(data.count) bytes")
                completionHandler(data == self.feed ? .noData : .newData)
            }
        }
        task.resume()
    }

    // MARK: Pushes

    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler:
            @escaping @Sendable (UIBackgroundFetchResult) -> Void
    ) {
        guard let identifier = userInfo["content-id"] as? Int else {
            return completionHandler(.noData)
        }
        let request = URLRequest(url: server.appendingPathComponent("\(identifier)"))
        let task = backgroundSession.downloadTask(with: request)
        task.taskDescription = "Podcast Episode \(identifier)"
        task.resume()
        library.log("Downloading \(task.taskDescription ?? "")")
        completionHandler(.newData)
    }

    // MARK: The background session

    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void
    ) {
        let session = backgroundSession
        library.log("Rejoining session with identifier \(session.configuration.identifier ?? "")")
        addCompletionHandler(completionHandler, forSession: identifier)
    }

    private func addCompletionHandler(
        _ handler: @escaping () -> Void, forSession identifier: String
    ) {
        if completionHandlers[identifier] != nil {
            library.log("Error: Session \(identifier) has a handler already.")
        }
        completionHandlers[identifier] = handler
    }

    private func callCompletionHandler(forSession identifier: String) {
        guard let handler = completionHandlers.removeValue(forKey: identifier) else { return }
        library.log("Calling completion handler for session \(identifier)")
        handler()
    }
}

extension PodcastAppDelegate: URLSessionDownloadDelegate {
    nonisolated func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let name = downloadTask.taskDescription ?? "an unknown episode"
        MainActor.assumeIsolated {
            do {
                try library.keep(location, as: name + ".mp3")
                library.log("Keeping \(name)")
            } catch {
                library.log("Cannot keep \(name): \(error)")
            }
        }
    }

    nonisolated func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        guard let error else { return }
        let text = error.localizedDescription
        MainActor.assumeIsolated { library.log("Cannot download: \(text)") }
    }

    nonisolated func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        let identifier = session.configuration.identifier ?? ""
        MainActor.assumeIsolated {
            library.log("Background URL session \(identifier) finished events.")
            callCompletionHandler(forSession: identifier)
        }
    }
}
