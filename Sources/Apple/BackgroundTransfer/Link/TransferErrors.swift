import Foundation
import UndersongBase
import UndersongControl
import UndersongTransfers

/// Apple's errors for what goes wrong.
enum TransferErrors {
    private static let codes: [TransferFailure.Code: Int] = [
        .httpStatus: NSURLErrorBadServerResponse,
        .unsupportedURL: NSURLErrorUnsupportedURL,
        .tooManyRedirects: NSURLErrorHTTPTooManyRedirects,
        .certificate: NSURLErrorServerCertificateUntrusted,
        .encoded: NSURLErrorCannotDecodeContentData,
        .timedOut: NSURLErrorTimedOut,
        .folderGone: NSURLErrorCannotCreateFile,
        .notWritable: NSURLErrorCannotCreateFile,
        .storage: NSURLErrorCannotWriteToFile,
        .fileMissing: NSURLErrorFileDoesNotExist,
        .resumeLost: NSURLErrorCannotOpenFile,
    ]
    private static let loadCodes: [LoadReport.Failure: Int] = [
        .offline: NSURLErrorNotConnectedToInternet,
        .unknownHost: NSURLErrorCannotFindHost,
        .cannotConnect: NSURLErrorCannotConnectToHost,
        .lost: NSURLErrorNetworkConnectionLost,
        .timedOut: NSURLErrorTimedOut,
        .insecure: NSURLErrorSecureConnectionFailed,
        .certificate: NSURLErrorServerCertificateUntrusted,
        .tooManyRedirects: NSURLErrorHTTPTooManyRedirects,
        .unsupportedURL: NSURLErrorUnsupportedURL,
        .badResponse: NSURLErrorBadServerResponse,
        .encoded: NSURLErrorCannotDecodeRawData,
        .fileMissing: NSURLErrorFileDoesNotExist,
        .storage: NSURLErrorCannotWriteToFile,
        .cancelled: NSURLErrorCancelled,
    ]

    /// Returns the reason a task of a background session cannot be transferred at all; nil if it can
    /// be tried.
    static func problem(
        _ request: URLRequest, _ resume: ResumedRequest?, _ options: SessionOptions
    ) -> URLError? {
        if let resume, resume.request == nil {
            return error(NSURLErrorCannotOpenFile, "These are not resume data", request.url)
        }
        if request.httpBody != nil {
            let text = "A request in the background sends files, not an httpBody"
            return error(NSURLErrorUnknown, text, request.url)
        }
        return problem(request, options)
    }

    /// Returns the reason a request cannot be sent; nil if it can be tried.
    static func problem(_ request: URLRequest, _ options: SessionOptions) -> URLError? {
        guard let url = request.url, TransferURL(url.absoluteString) != nil else {
            return error(
                NSURLErrorUnsupportedURL, "Only HTTP and HTTPS URLs are possible transferred",
                request.url)
        }
        guard request.cachePolicy(with: options) != .returnCacheDataDontLoad else {
            return error(NSURLErrorResourceUnavailable, "There is no cache", url)
        }
        let isSound = request.fields.allSatisfy {
            SessionTask.isName($0.name) && SessionTask.isValue($0.value)
        }
        guard isSound, SessionTask.isName(request.httpMethod ?? "GET") else {
            return error(NSURLErrorUnknown, "The method or a header field is malformed", url)
        }
        return nil
    }

    /// Returns the reason a task ended, of which this is the last status; nil if it has finished.
    static func error(for status: SessionTaskStatus, of task: URLSessionTask) -> URLError? {
        let url = task.originalRequest?.url
        switch status.state {
        case .finished, .running, .suspended: return nil
        case .cancelled:
            return cancelled(task, reason: status.cancelReason, resumeData: status.resume)
        case .failed:
            let code = status.code?.known.flatMap { codes[$0] }
            return error(code ?? NSURLErrorUnknown, status.reason ?? "It has failed", url)
        }
    }

    /// A task was cancelled.
    static func cancelled(
        _ task: URLSessionTask, reason: CancelReason? = nil, resumeData: String? = nil
    ) -> URLError {
        var userInfo: [String: Any] = [:]
        userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] = reason?.rawValue
        userInfo[NSURLSessionDownloadTaskResumeData] = resumeData.map { Data($0.utf8) }
        return error(
            NSURLErrorCancelled, "It was cancelled", task.originalRequest?.url, userInfo)
    }

    /// A load has failed.
    static func error(
        _ failure: LoadReport.Failure, _ reason: String, _ task: URLSessionTask
    ) -> URLError {
        let url = task.currentRequest?.url
        return error(loadCodes[failure] ?? NSURLErrorUnknown, reason, url)
    }

    /// The process's refusal, as an error of Apple's.
    static func error(for error: ControlError) -> URLError {
        let code =
            switch error.code {
            case .inUse: NSURLErrorBackgroundSessionInUseByAnotherProcess
            case .invalidParams, .notPossible, .notFound: NSURLErrorUnknown
            default: NSURLErrorBackgroundSessionWasDisconnected
            }
        return self.error(code, error.message, nil)
    }

    private static func error(
        _ code: Int, _ text: String, _ url: URL?, _ more: [String: Any] = [:]
    ) -> URLError {
        var userInfo = more
        userInfo[NSLocalizedDescriptionKey] = text
        userInfo[NSURLErrorFailingURLErrorKey] = url
        return URLError(_nsError: NSError(domain: NSURLErrorDomain, code: code, userInfo: userInfo))
    }
}
