public import Foundation
import UndersongAppHost

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The length of a body that the server does not say.
public let NSURLSessionTransferSizeUnknown: Int64 = -1

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of resume data in the user info of a cancelled download's error.
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"

/// Sends requests of HTTP, which a process of its own does for this one.
///
/// The transfers of a background session continue when the application is suspended, has ended or was
/// killed, and after a restart of the machine (J1). One session at a time may have an identifier, in
/// one process: all tasks of another one fail with `NSURLErrorBackgroundSessionInUseByAnotherProcess`
/// (J8). Tasks of any other session end with this process.
///
/// Any thread may use it. The delegate is retained until the session is invalidated.
public final class URLSession: NSObject, Sendable {
    /// An answer to a challenge.
    public enum AuthChallengeDisposition: Int, Sendable {
        /// Send the credential; without one, the status 401 is the response.
        case useCredential = 0
        /// Act as without a delegate.
        case performDefaultHandling = 1
        /// The task is cancelled.
        case cancelAuthenticationChallenge = 2
        /// Ask for another method that the server accepts.
        case rejectProtectionSpace = 3
    }

    /// An answer about a delayed request.
    public enum DelayedRequestDisposition: Int, Sendable {
        /// The request as it is.
        case continueLoading = 0
        /// Another request.
        case useNewRequest = 1
        /// The task is cancelled.
        case cancel = 2
    }

    /// An answer about a response.
    public enum ResponseDisposition: Int, Sendable {
        /// The task is cancelled.
        case cancel = 0
        /// The body follows.
        case allow = 1
        /// The body goes into a file: the task becomes a download.
        case becomeDownload = 2
    }

    /// The tasks of a session.
    enum Tasks: Sendable {
        case background(SessionCore)
        case loading(LoadingCore)
    }

    /// A session without a delegate that everybody in this process may use.
    public static let shared = URLSession(configuration: .default)

    /// The queue on which the delegate and completion handlers are called.
    public let delegateQueue: OperationQueue
    let core: Tasks

    /// Creates a session without a delegate, which a background session cannot be (J4).
    public convenience init(configuration: URLSessionConfiguration) {
        self.init(configuration: configuration, delegate: nil, delegateQueue: nil)
    }

    /// Creates a session. One of the background connects to the process that transfers, which is
    /// started if it does not run, and gets the tasks and events of an earlier session with the same
    /// identifier (J12). It needs a delegate (J4).
    ///
    /// Without a queue it makes a serial one of its own; any other should be serial, too.
    public convenience init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?
    ) {
        self.init(configuration, delegate, queue, host: .shared, board: .shared)
    }

    /// Creates a session of an application whose state is in `host`.
    init(
        _ configuration: URLSessionConfiguration, _ delegate: (any URLSessionDelegate)?,
        _ queue: OperationQueue?, host: HostStateBroadcaster, board: BackgroundSessionBoard
    ) {
        if let queue {
            delegateQueue = queue
        } else {
            delegateQueue = OperationQueue()
            delegateQueue.name = "URLSession"
            delegateQueue.maxConcurrentOperationCount = 1
        }
        let options = configuration.options
        guard let identifier = options.identifier else {
            core = .loading(LoadingCore(options, delegate, delegateQueue))
            super.init()
            return
        }
        guard let delegate else { fatalError("A background session needs a delegate (J4)") }
        let background = SessionCore(options, identifier, delegate, delegateQueue, board)
        core = .background(background)
        super.init()
        background.start(self, host)
    }

    /// A copy of the configuration.
    public var configuration: URLSessionConfiguration {
        switch core {
        case .background(let core): URLSessionConfiguration(core.options)
        case .loading(let core): URLSessionConfiguration(core.options)
        }
    }

    /// The delegate; nil once the session is invalid.
    public var delegate: (any URLSessionDelegate)? {
        switch core {
        case .background(let core): core.delegate
        case .loading(let core): core.delegate
        }
    }

    /// A text that labels it; the session makes no use of it.
    public var sessionDescription: String? {
        get {
            switch core {
            case .background(let core): core.label
            case .loading(let core): core.label
            }
        }
        set {
            switch core {
            case .background(let core): core.label = newValue
            case .loading(let core): core.label = newValue
            }
        }
    }

    // MARK: Tasks

    /// A suspended download (J3).
    public func downloadTask(with url: URL) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url))
    }

    /// A suspended download (J3). In a background session, it waits for the connection to the process
    /// that transfers, if the session has just been created. A URL that is not of HTTP or HTTPS fails
    /// with `NSURLErrorUnsupportedURL` when it is resumed (J5).
    public func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        switch core {
        case .background(let core):
            core.add(request) { URLSessionDownloadTask($0, $1, core: core) }
        case .loading: download(request, nil)
        }
    }

    /// A suspended download that continues a cancelled one of a background session. If what that one
    /// left is gone, it fails with `NSURLErrorCannotOpenFile`.
    public func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        switch core {
        case .background(let core):
            core.add(ResumedRequest(resumeData)) { URLSessionDownloadTask($0, $1, core: core) }
        case .loading: Self.refuseResumeData()
        }
    }

    /// A suspended upload of a file (J3, J19), by the request's method: PUT or POST, say. The file
    /// has to stay as it is until the task is over: it is sent again from its start where that is
    /// needed. A file that is missing fails with `NSURLErrorFileDoesNotExist`.
    public func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask
    {
        switch core {
        case .background(let core):
            core.add(request, body: fileURL.path(percentEncoded: false)) {
                URLSessionUploadTask($0, $1, core: core)
            }
        case .loading: upload(request, .file(fileURL), .delegate)
        }
    }

    /// Calls `completionHandler` on the session's queue with all tasks that are not over.
    public func getAllTasks(
        completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void
    ) {
        withTasks { [delegateQueue] tasks in
            delegateQueue.addOperation { completionHandler(tasks) }
        }
    }

    private func withTasks(_ body: @escaping @Sendable ([URLSessionTask]) -> Void) {
        switch core {
        case .background(let core): core.withTasks(body)
        case .loading(let core): body(core.tasks)
        }
    }

    /// Calls `completionHandler` on the session's queue with all tasks that are not over: data tasks,
    /// uploads and downloads.
    public func getTasksWithCompletionHandler(
        _ completionHandler:
            @escaping @Sendable (
                [URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]
            ) -> Void
    ) {
        getAllTasks { tasks in
            let (data, uploads, downloads) = Self.sorted(tasks)
            completionHandler(data, uploads, downloads)
        }
    }

    /// All tasks that are not over.
    public var allTasks: [URLSessionTask] {
        get async {
            await withCheckedContinuation { continuation in
                withTasks { continuation.resume(returning: $0) }
            }
        }
    }

    /// All tasks that are not over: data tasks, uploads and downloads.
    public var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
        get async { Self.sorted(await allTasks) }
    }

    private static func sorted(
        _ tasks: [URLSessionTask]
    ) -> ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
        let uploads = tasks.compactMap { $0 as? URLSessionUploadTask }
        return (
            tasks.compactMap { $0 is URLSessionUploadTask ? nil : $0 as? URLSessionDataTask },
            uploads, tasks.compactMap { $0 as? URLSessionDownloadTask }
        )
    }

    // MARK: The end

    /// Takes no more tasks, and becomes invalid when all are over.
    public func finishTasksAndInvalidate() { invalidate(isCancelling: false) }

    /// Cancels all tasks, and becomes invalid when they are over.
    public func invalidateAndCancel() { invalidate(isCancelling: true) }

    private func invalidate(isCancelling: Bool) {
        switch core {
        case .background(let core): core.invalidate(isCancelling: isCancelling)
        case .loading(let core): core.invalidate(self, isCancelling: isCancelling)
        }
    }
}
