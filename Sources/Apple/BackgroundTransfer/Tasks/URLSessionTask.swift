public import Foundation
import Synchronization
import UndersongTransfers

/// A transfer of a session. Any thread may use it.
open class URLSessionTask: NSObject, @unchecked Sendable {
    // Unchecked: a class that can be inherited from. All its stored properties are constant, and
    // what changes is in a mutex.

    /// The states of a task.
    public enum State: Int, Sendable {
        /// It was resumed, even if it waits for something.
        case running = 0
        /// It was not resumed, or is suspended.
        case suspended = 1
        /// It was cancelled, and that was not reported yet.
        case canceling = 2
        /// It is over.
        case completed = 3
    }

    /// The priority of most tasks, 0.5.
    public static let defaultPriority: Float = 0.5
    /// The priority of what may come later, 0.25.
    public static let lowPriority: Float = 0.25
    /// The priority of what is to come first, 0.75.
    public static let highPriority: Float = 0.75

    /// Identifies the task within its session.
    public let taskIdentifier: Int
    /// The request, as it was asked for.
    public let originalRequest: URLRequest?
    /// The progress in bytes.
    public let progress = Progress(totalUnitCount: -1)
    let core: any TaskOwner
    let values = Mutex(TaskValues())

    init(_ identifier: Int, _ request: URLRequest, core: any TaskOwner) {
        taskIdentifier = identifier
        originalRequest = request
        self.core = core
    }

    /// The request whose response is received: after redirects, its URL is another one.
    public var currentRequest: URLRequest? {
        var request = values.withLock(\.newRequest) ?? originalRequest
        if let url = response?.url { request?.url = url }
        return request
    }

    /// The response, once there is one.
    public var response: URLResponse? { values.withLock(\.response) }

    /// The task's state.
    public var state: State { values.withLock(\.state) }

    /// The reason it has failed, once it is over.
    public var error: (any Error)? { values.withLock(\.error) }

    /// Bytes of the body that have been received.
    public var countOfBytesReceived: Int64 { values.withLock(\.received) }

    /// Bytes of the whole body; `NSURLSessionTransferSizeUnknown` until the server says it.
    public var countOfBytesExpectedToReceive: Int64 {
        values.withLock(\.total) ?? NSURLSessionTransferSizeUnknown
    }

    /// Bytes of the file that have been sent.
    public var countOfBytesSent: Int64 { values.withLock(\.sent) }

    /// Bytes of the file that is sent.
    public var countOfBytesExpectedToSend: Int64 { values.withLock(\.toSend) ?? 0 }

    /// A text that labels it (J8). It is kept with the task, as `undersong download list` shows it.
    public var taskDescription: String? {
        get { values.withLock(\.label) }
        set {
            values.withLock { $0.label = newValue }
            core.describe(self)
        }
    }

    /// The priority from 0 to 1; higher ones run first, in all sessions of the user.
    public var priority: Float {
        get { values.withLock(\.priority) }
        set {
            values.withLock { $0.priority = min(max(newValue, 0), 1) }
            core.describe(self)
        }
    }

    /// A delegate that is called in place of the session's, except in background sessions.
    public var delegate: (any URLSessionTaskDelegate)? {
        get { values.withLock(\.delegate) }
        set { values.withLock { $0.delegate = newValue } }
    }

    /// Before this a task of a background session does not begin. Set it before `resume()`.
    public var earliestBeginDate: Date? {
        get { values.withLock(\.earliestBegin) }
        set { values.withLock { $0.earliestBegin = newValue } }
    }

    /// A guess of the application's, of which no use is made.
    public var countOfBytesClientExpectsToSend: Int64 {
        get { values.withLock(\.expectsToSend) }
        set { values.withLock { $0.expectsToSend = newValue } }
    }

    /// A guess of the application's, of which no use is made.
    public var countOfBytesClientExpectsToReceive: Int64 {
        get { values.withLock(\.expectsToReceive) }
        set { values.withLock { $0.expectsToReceive = newValue } }
    }

    /// Begins or continues (J3). When this returns, a task of a background session continues without the
    /// application. One that begins while the application is in the background is discretionary (J7).
    public func resume() { core.resume(self) }

    /// Stops until `resume()`. In other sessions than background ones, the server waits as soon as what
    /// it has sent is not read.
    public func suspend() { core.suspend(self) }

    /// Ends it: `didCompleteWithError` follows, with `NSURLErrorCancelled`. One that is complete by
    /// then finishes.
    public func cancel() { core.cancel(self, isKeeping: false) { _ in } }
}

/// A task whose response comes in memory. In background sessions, only uploads are such tasks.
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

/// A task that sends a file, or bytes.
public final class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}

/// A task that receives a file.
public final class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {
    /// Ends it, and calls `completionHandler` on the session's queue with what
    /// `downloadTask(withResumeData:)` continues it with: at most 4096 bytes, which are valid for a
    /// week, once. Nil if it cannot be continued: that needs a background session, a GET that has
    /// brought bytes, and an entity tag or a date of the server's that distinguishes versions of the
    /// file.
    public func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void)
    {
        core.cancel(self, isKeeping: true, completionHandler)
    }

    /// Ends it, and returns what `cancel(byProducingResumeData:)` does.
    public func cancelByProducingResumeData() async -> Data? {
        await withCheckedContinuation { continuation in
            cancel(byProducingResumeData: { continuation.resume(returning: $0) })
        }
    }
}

/// The values of a task that change.
struct TaskValues: Sendable {
    var state = URLSessionTask.State.suspended
    var response: HTTPURLResponse?
    var error: (any Error)?
    var received: Int64 = 0
    var total: Int64?
    var sent: Int64 = 0
    var toSend: Int64?
    /// The offset in its file at which the received body begins; nil for the start.
    var origin: Int64?
    var label: String?
    var priority = URLSessionTask.defaultPriority
    var earliestBegin: Date?
    var delegate: (any URLSessionTaskDelegate)?
    /// The request that is sent in place of the one that was delayed.
    var newRequest: URLRequest?
    /// True if the delegate has no method of its own for delayed requests.
    var ignoresDelays = false
    var expectsToSend: Int64 = NSURLSessionTransferSizeUnknown
    var expectsToReceive: Int64 = NSURLSessionTransferSizeUnknown
}

extension URLSessionTask {
    /// The delegate has no method of its own for delayed requests.
    func ignoreDelays() { values.withLock { $0.ignoresDelays = true } }

    /// Takes over what the process says.
    func update(_ status: SessionTaskStatus) {
        let response = status.response.flatMap { HTTPURLResponse($0) }
        values.withLock { values in
            values.received = status.received
            values.total = status.total
            values.origin = status.origin
            values.sent = status.sent ?? values.sent
            values.toSend = status.toSend ?? values.toSend
            // Every response is another object, so one that is the same stays.
            if let response,
                response.statusCode != values.response?.statusCode
                    || response.url != values.response?.url
            {
                values.response = response
            }
        }
        let isUpload = self is URLSessionUploadTask
        progress.totalUnitCount = (isUpload ? status.toSend : status.total) ?? -1
        progress.completedUnitCount = (isUpload ? status.sent : status.received) ?? 0
    }

    /// Passes an event on. Runs on the delegate's queue.
    func report(
        _ event: SessionTaskEvent, to delegate: any URLSessionDelegate, in session: URLSession
    ) {
        switch event.phase {
        case .file:
            guard let path = event.path else { return }
            let url = URL(fileURLWithPath: path)
            if let download = self as? URLSessionDownloadTask {
                (delegate as? any URLSessionDownloadDelegate)?
                    .urlSession(session, downloadTask: download, didFinishDownloadingTo: url)
            } else if let upload = self as? URLSessionUploadTask,
                let data = try? Data(contentsOf: url), !data.isEmpty
            {
                (delegate as? any URLSessionDataDelegate)?
                    .urlSession(session, dataTask: upload, didReceive: data)
            }
        case .end:
            end(TransferErrors.error(for: event.task, of: self), to: delegate, in: session)
        }
    }

    /// Ends, and calls the delegate. Runs on the delegate's queue.
    func end(_ error: URLError?, to delegate: any URLSessionDelegate, in session: URLSession) {
        values.withLock { values in
            values.state = .completed
            values.error = error
        }
        (delegate as? any URLSessionTaskDelegate)?
            .urlSession(session, task: self, didCompleteWithError: error)
    }
}

extension HTTPURLResponse {
    convenience init?(_ response: SessionTask.Response) {
        guard let url = URL(string: response.url) else { return nil }
        let fields = response.fields.map { field in
            let words = field.name.split(separator: "-", omittingEmptySubsequences: false)
            return (words.map(\.capitalized).joined(separator: "-"), field.value)
        }
        self.init(
            url: url, statusCode: response.status, httpVersion: nil,
            headerFields: Dictionary(fields) { first, _ in first })
    }
}
