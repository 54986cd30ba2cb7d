public import Foundation
import UndersongAppHost

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The length of a body that the server does not say.
public let NSURLSessionTransferSizeUnknown: Int64 = -1

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of resume data in the user info of a cancelled download's error.
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"

/// Transfers files in a process of its own, which continues when the application is suspended, has
/// ended or was killed, and after a restart of the machine (J1).
///
/// Only background sessions exist here. One session at a time may have an identifier, in one
/// process: all tasks of another one fail with `NSURLErrorBackgroundSessionInUseByAnotherProcess`
/// (J8). Any thread may use it. The delegate is retained until the session is invalidated.
public final class URLSession: NSObject, Sendable {
    /// An answer to a challenge; not used here, where there are no challenges.
    public enum AuthChallengeDisposition: Int, Sendable {
        /// With the credential.
        case useCredential = 0
        /// Act as without a delegate.
        case performDefaultHandling = 1
        /// The task is cancelled.
        case cancelAuthenticationChallenge = 2
        /// Another one may be asked.
        case rejectProtectionSpace = 3
    }

    /// An answer about a delayed request; of no use here, because none is asked for.
    public enum DelayedRequestDisposition: Int, Sendable {
        /// The request as it is.
        case continueLoading = 0
        /// Another request.
        case useNewRequest = 1
        /// The task is cancelled.
        case cancel = 2
    }

    /// The queue on which the delegate is called.
    public let delegateQueue: OperationQueue
    let core: SessionCore

    /// Creates a session, and connects to the process that transfers, which is started if it does
    /// not run. Tasks and events of an earlier session with the same identifier belong to it (J12).
    ///
    /// It needs a background configuration and a delegate (J4). Without a queue it makes a serial
    /// one of its own; any other should be serial, too.
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
        guard let delegate else { fatalError("A background session needs a delegate (J4)") }
        if let queue {
            delegateQueue = queue
        } else {
            delegateQueue = OperationQueue()
            delegateQueue.name = "URLSession"
            delegateQueue.maxConcurrentOperationCount = 1
        }
        core = SessionCore(configuration.options, delegate, delegateQueue, board)
        super.init()
        core.start(self, host)
    }

    /// A copy of the configuration.
    public var configuration: URLSessionConfiguration { URLSessionConfiguration(core.options) }

    /// The delegate; nil once the session is invalid.
    public var delegate: (any URLSessionDelegate)? { core.delegate }

    /// A text that labels it; the session makes no use of it.
    public var sessionDescription: String? {
        get { core.label }
        set { core.label = newValue }
    }

    // MARK: Tasks

    /// A suspended download (J3).
    public func downloadTask(with url: URL) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url))
    }

    /// A suspended download (J3). Waits for the connection to the process that transfers, if the
    /// session has just been created. A URL that is not of HTTP or HTTPS fails with
    /// `NSURLErrorUnsupportedURL` when it is resumed (J5).
    public func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        core.add(request) { URLSessionDownloadTask($0, $1, core: core) }
    }

    /// A suspended download that continues a cancelled one. If what that one left is gone, it fails
    /// with `NSURLErrorCannotOpenFile`.
    public func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        core.add(ResumedRequest(resumeData)) { URLSessionDownloadTask($0, $1, core: core) }
    }

    /// A suspended upload of a file (J3, J19), by the request's method: PUT or POST, say. The file
    /// has to stay as it is until the task is over: it is sent again from its start where that is
    /// needed. A file that is missing fails with `NSURLErrorFileDoesNotExist`.
    public func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask
    {
        core.add(request, body: fileURL.path(percentEncoded: false)) {
            URLSessionUploadTask($0, $1, core: core)
        }
    }

    /// Calls `completionHandler` on the session's queue with all tasks that are not over.
    public func getAllTasks(
        completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void
    ) {
        core.withTasks { [delegateQueue] tasks in
            delegateQueue.addOperation { completionHandler(tasks) }
        }
    }

    /// Calls `completionHandler` on the session's queue with all tasks that are not over: no data
    /// tasks, uploads and downloads.
    public func getTasksWithCompletionHandler(
        _ completionHandler:
            @escaping @Sendable (
                [URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]
            ) -> Void
    ) {
        getAllTasks { tasks in
            completionHandler(
                [], tasks.compactMap { $0 as? URLSessionUploadTask },
                tasks.compactMap { $0 as? URLSessionDownloadTask })
        }
    }

    /// All tasks that are not over.
    public var allTasks: [URLSessionTask] {
        get async {
            await withCheckedContinuation { continuation in
                core.withTasks { continuation.resume(returning: $0) }
            }
        }
    }

    /// All tasks that are not over: no data tasks, uploads and downloads.
    public var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
        get async {
            let tasks = await allTasks
            return (
                [], tasks.compactMap { $0 as? URLSessionUploadTask },
                tasks.compactMap { $0 as? URLSessionDownloadTask }
            )
        }
    }

    // MARK: The end

    /// Takes no more tasks, and becomes invalid when all are over.
    public func finishTasksAndInvalidate() { core.invalidate(isCancelling: false) }

    /// Cancels all tasks, and becomes invalid when they are over.
    public func invalidateAndCancel() { core.invalidate(isCancelling: true) }
}

/// The parts of Apple's interface that background sessions lack, there as here: each call ends the
/// program with the reason (J2, J4).
extension URLSession {
    private static func refuse(_ what: String, _ instead: String) -> Never {
        fatalError("\(what) are not supported in background sessions; use \(instead)")
    }

    private static let files = "a download task, or an upload task from a file"
    private static let delegates = "the delegate"

    /// Ends the program: data tasks do not exist (J2).
    public func dataTask(with url: URL) -> URLSessionDataTask {
        Self.refuse("Data tasks", Self.files)
    }

    /// Ends the program: data tasks do not exist (J2).
    public func dataTask(with request: URLRequest) -> URLSessionDataTask {
        Self.refuse("Data tasks", Self.files)
    }

    /// Ends the program: data tasks do not exist (J2).
    public func dataTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        Self.refuse("Data tasks", Self.files)
    }

    /// Ends the program: data tasks do not exist (J2).
    public func dataTask(
        with url: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        Self.refuse("Data tasks", Self.files)
    }

    /// Ends the program: uploads are from files only.
    public func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        Self.refuse("Uploads from memory", Self.files)
    }

    /// Ends the program: uploads are from files only.
    public func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        Self.refuse("Uploads from streams", Self.files)
    }

    /// Ends the program: the application may be gone when the upload is done (J4).
    public func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        Self.refuse("Completion handlers", Self.delegates)
    }

    /// Ends the program: the application may be gone when the download is done (J4).
    public func downloadTask(
        with url: URL,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        Self.refuse("Completion handlers", Self.delegates)
    }

    /// Ends the program: the application may be gone when the download is done (J4).
    public func downloadTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        Self.refuse("Completion handlers", Self.delegates)
    }

    /// Ends the program: the application may be gone when the download is done (J4).
    public func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        Self.refuse("Completion handlers", Self.delegates)
    }

    /// Ends the program: the application may be gone when the download is done (J4).
    public func download(from url: URL) async throws -> (URL, URLResponse) {
        Self.refuse("Asynchronous calls", Self.delegates)
    }

    /// Ends the program: the application may be gone when the download is done (J4).
    public func download(for request: URLRequest) async throws -> (URL, URLResponse) {
        Self.refuse("Asynchronous calls", Self.delegates)
    }

    /// Ends the program: data tasks do not exist (J2).
    public func data(from url: URL) async throws -> (Data, URLResponse) {
        Self.refuse("Data tasks", Self.files)
    }

    /// Ends the program: data tasks do not exist (J2).
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        Self.refuse("Data tasks", Self.files)
    }

    /// Ends the program: the application may be gone when the upload is done (J4).
    public func upload(
        for request: URLRequest, fromFile fileURL: URL
    ) async throws -> (Data, URLResponse) {
        Self.refuse("Asynchronous calls", Self.delegates)
    }
}
