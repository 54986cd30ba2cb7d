public import Foundation
import Synchronization
import UndersongTransferClient

/// The tasks that background sessions lack, here as with Apple: there, each call ends the program with
/// the reason (J2, J4).
extension URLSession {
    /// A completion handler of a data task or an upload: the body, the response, and the reason the task
    /// has failed.
    typealias DataHandler = @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    /// A completion handler of a download: the file, which is deleted when the handler returns, the
    /// response, and the reason the task has failed.
    typealias FileHandler = @Sendable (URL?, URLResponse?, (any Error)?) -> Void

    /// The bytes that an upload sends.
    enum UploadSource {
        case data(Data)
        case file(URL)
    }

    private static let files = "a download task, or an upload task from a file"
    private static let delegates = "the delegate"

    // MARK: Data tasks

    /// A suspended data task, whose response goes to the delegate.
    public func dataTask(with url: URL) -> URLSessionDataTask {
        data(URLRequest(url: url), .delegate)
    }

    /// A suspended data task, whose response goes to the delegate.
    public func dataTask(with request: URLRequest) -> URLSessionDataTask {
        data(request, .delegate)
    }

    /// A suspended data task. The handler is called once on the session's queue, with the body and the
    /// response or an error; a status of 400 and above is not an error.
    public func dataTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask { data(request, .data(completionHandler)) }

    /// A suspended data task. The handler is called once on the session's queue, with the body and the
    /// response or an error; a status of 400 and above is not an error.
    public func dataTask(
        with url: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask { data(URLRequest(url: url), .data(completionHandler)) }

    /// Loads a URL, and returns the body and the response. Cancelling the Swift task ends it with
    /// `NSURLErrorCancelled`.
    public func data(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await data(for: URLRequest(url: url), delegate: delegate)
    }

    /// Sends a request, and returns the body and the response. Cancelling the Swift task ends it with
    /// `NSURLErrorCancelled`.
    public func data(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await perform(delegate) { data(request, .data($0)) }
    }

    // MARK: Uploads

    /// A suspended upload of bytes, by the request's method.
    public func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        upload(request, .data(bodyData), .delegate)
    }

    /// A suspended upload of bytes. The handler is called as that of a data task.
    public func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        upload(request, .data(bodyData ?? Data()), .data(completionHandler))
    }

    /// A suspended upload of a file. The handler is called as that of a data task.
    public func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask { upload(request, .file(fileURL), .data(completionHandler)) }

    /// Uploads bytes, and returns the body of the response, and that.
    public func upload(
        for request: URLRequest, from bodyData: Data,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await perform(delegate) { upload(request, .data(bodyData), .data($0)) }
    }

    /// Uploads a file, and returns the body of the response, and that.
    public func upload(
        for request: URLRequest, fromFile fileURL: URL,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await perform(delegate) { upload(request, .file(fileURL), .data($0)) }
    }

    /// Ends the program: no session uploads streams.
    public func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        fatalError("Uploads from streams are not supported; use \(Self.files)")
    }

    // MARK: Downloads

    /// A suspended download. The handler is called once on the session's queue, with the file, which is
    /// deleted when it returns, and the response, or an error.
    public func downloadTask(
        with url: URL,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask { download(URLRequest(url: url), completionHandler) }

    /// A suspended download. The handler is called once on the session's queue, with the file, which is
    /// deleted when it returns, and the response, or an error.
    public func downloadTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask { download(request, completionHandler) }

    /// Ends the program: only downloads of background sessions are continued, by their delegates (J4).
    public func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask { Self.refuseResumeData() }

    /// Downloads a URL, and returns the file, which is the caller's, and the response.
    public func download(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        try await download(for: URLRequest(url: url), delegate: delegate)
    }

    /// Downloads what a request asks for, and returns the file, which is the caller's, and the response.
    public func download(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        try await perform(delegate) { download(request, $0, keepsFile: true) }
    }

    // MARK: All

    func data(_ request: URLRequest, _ receiver: LoadingTasks.Receiver) -> URLSessionDataTask {
        let core = loading("Data tasks", Self.files)
        return core.add(request, to: receiver, of: self) { URLSessionDataTask($0, $1, core: core) }
    }

    func upload(
        _ request: URLRequest, _ source: UploadSource, _ receiver: LoadingTasks.Receiver
    ) -> URLSessionUploadTask {
        let core =
            switch source {
            case .data: loading("Uploads from memory", Self.files)
            case .file: loading("Completion handlers", Self.delegates)
            }
        let (body, length): (LoadBody, Int64?) =
            switch source {
            case .data(let data): (.bytes(Array(data)), Int64(data.count))
            case .file(let url):
                (
                    .file(url.path(percentEncoded: false)),
                    (try? url.resourceValues(forKeys: [.fileSizeKey]))?.fileSize.map(Int64.init)
                )
            }
        let task = core.add(request, body: body, to: receiver, of: self) {
            URLSessionUploadTask($0, $1, core: core)
        }
        task.values.withLock { $0.toSend = length }
        return task
    }

    func download(
        _ request: URLRequest, _ handler: FileHandler?, keepsFile: Bool = false
    ) -> URLSessionDownloadTask {
        let core = loading("Completion handlers", Self.delegates)
        return core.add(request, to: .file(handler, keepsFile: keepsFile), of: self) {
            URLSessionDownloadTask($0, $1, core: core)
        }
    }

    static func refuseResumeData() -> Never {
        fatalError("Only the delegates of background sessions continue downloads")
    }

    /// The tasks of a session that is not one of the background.
    private func loading(_ what: String, _ instead: String) -> LoadingCore {
        guard case .loading(let core) = core else {
            fatalError("\(what) are not supported in background sessions; use \(instead)")
        }
        return core
    }

    private func perform<Value: Sendable>(
        _ delegate: (any URLSessionTaskDelegate)?,
        _ makeTask: (@escaping @Sendable (Value?, URLResponse?, (any Error)?) -> Void)
            -> URLSessionTask
    ) async throws -> (Value, URLResponse) {
        let outcome = TaskOutcome<Value>()
        let task = makeTask { value, response, error in
            if let value, let response {
                outcome.set(.success((value, response)))
            } else {
                outcome.set(.failure(error ?? URLError(.unknown)))
            }
        }
        task.delegate = delegate
        return try await withTaskCancellationHandler {
            task.resume()
            return try await outcome.value
        } onCancel: {
            task.cancel()
        }
    }
}

/// The outcome of a task, which is awaited.
private final class TaskOutcome<Value: Sendable>: Sendable {
    typealias Outcome = Result<(Value, URLResponse), any Error>

    private struct State {
        var outcome: Outcome?
        var waiting: CheckedContinuation<(Value, URLResponse), any Error>?
    }

    private let state = Mutex(State())

    func set(_ outcome: Outcome) {
        let waiting = state.withLock { state in
            state.outcome = outcome
            return state.waiting.take()
        }
        waiting?.resume(with: outcome)
    }

    var value: (Value, URLResponse) {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state in
                    if state.outcome == nil { state.waiting = continuation }
                    return state.outcome
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        }
    }
}
