import Foundation
import UndersongTransfers

extension URLSessionTask {
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
