public import Foundation

/// Gets the events of a session as a whole. All methods are called on the session's queue.
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
    /// The session is over: after `invalidateAndCancel()` and `finishTasksAndInvalidate()`, and with
    /// an error when it cannot be used: `NSURLErrorBackgroundSessionInUseByAnotherProcess` (J8), or
    /// `NSURLErrorBackgroundSessionWasDisconnected` when no process transfers.
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)

    /// A server wants a name and a password, and the delegate has no method of its own for a task's
    /// challenge. See `URLSessionTaskDelegate`.
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

    /// Acts as without a delegate.
    public func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (
                URLSession.AuthChallengeDisposition, URLCredential?
            ) -> Void
    ) { completionHandler(.performDefaultHandling, nil) }

    /// Does nothing.
    public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}
}

/// Gets the events of tasks.
///
/// Challenges are about names and passwords of HTTP, Basic or Digest (J19): certificates are verified
/// as the system does, and proxies are not asked about. Redirects are followed silently (J6), so no
/// method asks about them.
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

    /// A server answers with its status 401, and wants a name and a password. With
    /// `.performDefaultHandling` the proposed credential is sent, if there is one; otherwise the status
    /// 401 is the response, with an `Authorization` field or a password in the URL, too.
    /// `.rejectProtectionSpace` asks for another method that the server accepts.
    ///
    /// The application is launched for a task of a background session whose server wants that, and the
    /// task waits for the answer.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (
                URLSession.AuthChallengeDisposition, URLCredential?
            ) -> Void)

    /// The `earliestBeginDate` of a task of a background session has come: its request may not be what
    /// is wanted any more. The application is launched for that, unless the delegate is known to have
    /// no such method. After a minute without an answer the request is sent as it is.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler:
            @escaping @Sendable (
                URLSession.DelayedRequestDisposition, URLRequest?
            ) -> Void)

    /// There is no network that a task may use, and it waits for one, as `waitsForConnectivity` says:
    /// called once for a task, and never in background sessions, whose tasks always wait.
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)
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

    /// Asks by the method for the whole session.
    public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (
                URLSession.AuthChallengeDisposition, URLCredential?
            ) -> Void
    ) { urlSession(session, didReceive: challenge, completionHandler: completionHandler) }

    /// Sends the request as it is.
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler:
            @escaping @Sendable (
                URLSession.DelayedRequestDisposition, URLRequest?
            ) -> Void
    ) {
        task.ignoreDelays()
        completionHandler(.continueLoading, nil)
    }

    /// Does nothing.
    public func urlSession(
        _ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask
    ) {}
}

/// Gets responses in memory.
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    /// A response has come, and its body follows if this allows it. Not called in background sessions.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)

    /// The task has become a download, as its response's disposition says, and is over.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask)

    /// A part of the body has come. The server waits until this has returned. In a background session,
    /// it is the answer to an upload: at most its first MiB, at once, before `didCompleteWithError`.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}

extension URLSessionDataDelegate {
    /// Allows it.
    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) { completionHandler(.allow) }

    /// Does nothing.
    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask
    ) {}

    /// Does nothing.
    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
    ) {}
}

/// Gets the events of downloads.
public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
    /// The file has come. It has to be opened or moved before this returns: it is deleted then (J9).
    /// An application with a background session that ends before that gets the event again at its next
    /// launch.
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
