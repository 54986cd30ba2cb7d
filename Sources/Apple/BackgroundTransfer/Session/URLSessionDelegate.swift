public import Foundation

/// Gets the events of a session as a whole. All methods are called on the session's queue.
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
    /// The session is over: after `invalidateAndCancel()` and `finishTasksAndInvalidate()`, and with
    /// an error when it cannot be used: `NSURLErrorBackgroundSessionInUseByAnotherProcess` (J8), or
    /// `NSURLErrorBackgroundSessionWasDisconnected` when no process transfers.
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)

    /// Never called: see `URLSessionTaskDelegate`.
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (
                URLSession.AuthChallengeDisposition, URLCredential?
            ) -> Void)

    /// All events have been delivered that the application was launched or woken for: now it calls
    /// the handler of `application(_:handleEventsForBackgroundURLSession:completionHandler:)` (J11).
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}

extension URLSessionDelegate {
    /// Does nothing.
    public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {}

    /// Does nothing.
    public func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (
                URLSession.AuthChallengeDisposition, URLCredential?
            ) -> Void
    ) {}

    /// Does nothing.
    public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}
}

/// Gets the events of tasks.
///
/// There are no challenges (J19): certificates are verified as the system does, names and passwords
/// are in an `Authorization` field or in the URL, and a server that asks for others answers with its
/// status 401. Redirects are followed silently (J6), so no method asks about them.
public protocol URLSessionTaskDelegate: URLSessionDelegate {
    /// The task is over: the last of its events. The response is in `task.response`; a status of 400
    /// and above is not an error.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)

    /// Bytes of an upload were sent. Called a few times per second, and only in the foreground. The
    /// total begins at 0 again where the upload does.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64)

    /// Never called. See `URLSessionTaskDelegate`.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (
                URLSession.AuthChallengeDisposition, URLCredential?
            ) -> Void)

    /// Never called: a request with an `earliestBeginDate` is sent as it is.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler:
            @escaping @Sendable (
                URLSession.DelayedRequestDisposition, URLRequest?
            ) -> Void)
}

extension URLSessionTaskDelegate {
    /// Does nothing.
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {}

    /// Does nothing.
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {}

    /// Does nothing.
    public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (
                URLSession.AuthChallengeDisposition, URLCredential?
            ) -> Void
    ) {}

    /// Does nothing.
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler:
            @escaping @Sendable (
                URLSession.DelayedRequestDisposition, URLRequest?
            ) -> Void
    ) {}
}

/// Gets the answers to uploads.
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    /// The body of the answer to an upload has come; at most its first MiB, at once, before
    /// `didCompleteWithError`.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}

extension URLSessionDataDelegate {
    /// Does nothing.
    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
    ) {}
}

/// Gets the events of downloads.
public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
    /// The file has come. It has to be opened or moved before this returns: it is deleted then (J9).
    /// An application that ends before that gets the event again at its next launch.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL)

    /// Bytes have come. Called a few times per second, and only in the foreground. The total may
    /// begin again at a lower number; the expected total is
    /// `NSURLSessionTransferSizeUnknown` if the server does not say it.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)

    /// A download resumes in the middle of its file.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64)
}

extension URLSessionDownloadDelegate {
    /// Does nothing.
    public func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {}

    /// Does nothing.
    public func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) {}
}
