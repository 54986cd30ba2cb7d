import Foundation
import UndersongTransfers

extension AddSessionTask {
    /// The call that adds a task to the session of `options`.
    init(
        _ number: Int, _ request: URLRequest, resume: ResumedRequest?, body: String?,
        _ options: SessionOptions
    ) {
        // Those of the request come before those of all requests.
        let common = options.fields.filter { field in
            !request.fields.contains { $0.isNamed(field.name) }
        }
        self.init(
            session: options.identifier, task: number,
            request: SessionTask.Request(
                url: request.url?.absoluteString ?? "", method: request.httpMethod ?? "GET",
                fields: request.fields + common, body: body))
        discretionary = options.isDiscretionary
        metered = options.usesMetered && request.usesMetered
        within = max(1, options.timeoutIntervalForResource)
        let own = request.timeoutInterval
        stall = max(1, own == 60 ? options.timeoutIntervalForRequest : own)
        perHost = min(max(1, options.httpMaximumConnectionsPerHost), 6)
        self.resume = resume?.text
    }
}
