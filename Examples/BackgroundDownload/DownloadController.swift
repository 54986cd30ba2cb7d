import BackgroundTransfer

/// Downloads episodes in a background session.
final class DownloadController: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
    // Unchecked: everything happens on the main queue, which is the session's, too.

    static let identifier = "net.undersong.BackgroundDownloadExample"

    private let server: String
    private let library: EpisodeLibrary
    private let service: TransferServiceLocation
    private let launchCommand: [String]
    /// The handlers to call when a session has no more events, one for each session.
    private var completionHandlers: [String: @Sendable () -> Void] = [:]

    /// The one session, made when it is first needed.
    private(set) lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.background(withIdentifier: Self.identifier)
        configuration.transferService = service
        configuration.launchCommand = launchCommand
        return URLSession(configuration: configuration, delegate: self, delegateQueue: .main)
    }()

    init(
        server: String, library: EpisodeLibrary, service: TransferServiceLocation,
        launchCommand: [String]
    ) {
        self.server = server
        self.library = library
        self.service = service
        self.launchCommand = launchCommand
    }

    func download(_ identifier: Int) {
        guard let url = URL(string: "\(server)/\(identifier)") else { return }
        let task = session.downloadTask(with: url)
        task.taskDescription = "Podcast Episode \(identifier)"
        task.resume()
        library.log("Downloading \(task.taskDescription ?? "")")
    }

    func rejoin(_ identifier: String, _ completionHandler: @escaping @Sendable () -> Void) {
        if completionHandlers[identifier] != nil {
            library.log(
                "Error: Got multiple handlers for a single session identifier.  "
                    + "This should not happen.")
        }
        completionHandlers[identifier] = completionHandler
        _ = session
    }

    // MARK: The session's delegate

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let label = downloadTask.taskDescription ?? "an unknown episode"
        library.log("downloadTask:\(label) didFinishDownloadingToURL:\(location.lastPathComponent)")
        do {
            try library.keep(location, as: label + ".mp3")
        } catch {
            library.log("Cannot keep \(label): \(error)")
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let label = task.taskDescription ?? ""
        if let error {
            library.log("\(label) has failed: \(error.localizedDescription)")
        } else {
            library.log("\(label) is complete")
        }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        guard let identifier = session.configuration.identifier else { return }
        library.log("Background URL session \(identifier) finished events.")
        guard let handler = completionHandlers.removeValue(forKey: identifier) else { return }
        library.log("Calling completion handler for session \(identifier)")
        handler()
    }
}
