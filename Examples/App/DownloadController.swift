import BackgroundTransfer
import UIKit

/// Downloads a file in a background session: the application is woken or launched when it has come.
@MainActor final class DownloadController: NSObject, URLSessionDownloadDelegate {
    static let identifier = "net.undersong.ExampleApp.downloads"

    /// The handler to call when the session has no more events.
    private var completionHandler: (@Sendable () -> Void)?

    /// The one session, made when it is first needed.
    private lazy var session = URLSession(
        configuration: .background(withIdentifier: Self.identifier), delegate: self,
        delegateQueue: .main)

    func download(_ url: URL) {
        session.downloadTask(with: url).resume()
        print("download begins")
    }

    /// Gets the events of a session that has continued without the application.
    func rejoin(_ completionHandler: @escaping @Sendable () -> Void) {
        self.completionHandler = completionHandler
        _ = session
    }

    // MARK: The session's delegate, on the main queue

    nonisolated func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let count = (try? Data(contentsOf: location).count) ?? 0
        MainActor.assumeIsolated {
            print("downloaded", count, UIApplication.shared.applicationState)
        }
    }

    nonisolated func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        MainActor.assumeIsolated {
            completionHandler?()
            completionHandler = nil
        }
    }
}
