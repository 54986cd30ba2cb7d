/// The part of a task's record that a background session's task has beyond a plain download; it
/// survives the process.
///
/// The end of a task is an event for its session. There is no other journal of events than the
/// records themselves: one that is over stays until its events are acknowledged.
package struct SessionTask: Hashable, Codable, Sendable {
    /// A header field of a request or a response.
    package struct Field: Hashable, Codable, Sendable {
        /// The name of the field; of a response in lower case.
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A request, as it was asked for.
    package struct Request: Hashable, Codable, Sendable {
        /// A URL of HTTP or HTTPS.
        package var url: String
        package var method: String
        package var fields: [Field]
        /// The absolute path of the file to send; nil for a download.
        package var body: String?

        package init(
            url: String, method: String = "GET", fields: [Field] = [], body: String? = nil
        ) {
            self.url = url
            self.method = method
            self.fields = fields
            self.body = body
        }
    }

    /// The details of a task that a host may change at any time; nil leaves one as it is.
    package struct Details: Hashable, Codable, Sendable {
        /// The text that labels it, empty for none.
        package var description: String?
        /// The priority from 0 to 1; 0.5 of a new task.
        package var priority: Double?
        /// Seconds since 1970 before which it does not begin.
        package var earliestBegin: Double?

        package init() {}
    }

    /// A response without its body.
    package struct Response: Hashable, Codable, Sendable {
        /// The status code.
        package var status: Int
        /// The URL that has answered, after all redirects.
        package var url: String
        package var fields: [Field]

        package init(status: Int, url: String, fields: [Field]) {
            self.status = status
            self.url = url
            self.fields = fields
        }
    }

    /// The session's identifier.
    package let session: String
    /// Identifies the task within its session.
    package let number: Int
    /// The request's method.
    package var method = "GET"
    /// The request's header fields, without those that the transfer sets itself.
    package var fields: [Field] = []
    /// The path of the file to send; nil for a download.
    package var body: String?
    /// True if it may use a network that is metered.
    package var allowsMetered = true
    /// The maximum number of tasks that run at a time with one host.
    package var perHost: Int?
    /// True if it was resumed once (J7).
    package var isBegun = false
    /// The last response.
    package var response: Response?
    /// Bytes of the body that were sent with the last request.
    package var sent: Int64 = 0
    /// The rank among all tasks that ended; nil until it has ended.
    package var order: Int?
    /// True if the host has been given the file, which is deleted then (J9).
    package var isFileTaken = false
    /// The reason it was cancelled, where that was not the host.
    package var cancelReason: CancelReason?
    /// The data with which it can be continued although it was cancelled.
    package var resumeData: String?
    /// The question that the host has yet to answer; the task waits for that.
    package var question: SessionQuestion?
    /// The credential that the host has given.
    package var credential: ServerCredential?
    /// The number of credentials that were refused.
    package var refusals = 0
    /// True if the host wants no more challenges: a status 401 is a response like any other.
    package var acceptsRefusal = false
    /// True if the host was asked about its request once its date had come.
    package var isDelayAnswered = false

    package init(session: String, number: Int) {
        self.session = session
        self.number = number
    }

    /// True if a lost connection can be continued: of a simple request only.
    package var canContinue: Bool {
        method == "GET" && body == nil
            && !fields.contains { $0.name.lowercased() == "range" }
    }
}

/// A question about a task that only the session's host can answer, which is launched for it.
package struct SessionQuestion: Hashable, Codable, Sendable {
    /// Identifies it among all questions and ends of tasks, in their order.
    package var number: Int
    /// The server's challenges, of which the first one is to be answered; none if the question is
    /// about a request whose earliest date has come: it may not be what is wanted any more.
    package var challenges: [ServerChallenge]
}

extension SessionTask {
    /// Fields that a request has got from the transfer, or must not have.
    private static let reserved: Set<String> = [
        "accept-encoding", "connection", "content-length", "expect", "host", "if-range",
        "transfer-encoding",
    ]
    /// Fields that are meant for the host that was asked first.
    private static let personal: Set<String> = ["authorization", "cookie", "proxy-authorization"]

    /// Returns those of `fields` to send to `url`, when the request was for `original`. A credential
    /// that is sent takes the place of those that the client has set.
    package static func fields(
        _ fields: [Field], to url: String, insteadOf original: String, hasCredential: Bool
    ) -> [Field] {
        let isTrusted =
            if let url = TransferURL(url), let original = TransferURL(original) {
                url.isTrusted(like: original)
            } else {
                false
            }
        return fields.filter { field in
            let name = field.name.lowercased()
            return !reserved.contains(name) && (isTrusted || !personal.contains(name))
                && !(hasCredential && name == "authorization")
        }
    }

    /// Returns true if `text` is a header field's name.
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// Returns true if `text` can be a header field's value: it begins no other field.
    package static func isValue(_ text: String) -> Bool {
        !text.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }
    }
}

extension ResumeDecision {
    /// Returns the treatment of a response that a plain download would treat otherwise; nil if it
    /// is treated as there.
    ///
    /// As with Apple's, what the server answers is the response, whatever its status: the file is
    /// the body of that. Statuses that stand for a passing trouble are tried again.
    static func decide(
        _ head: ResponseHead, to attempt: TransferAttempt, of task: TransferTask,
        in session: SessionTask
    ) -> ResumeDecision? {
        // The answer to an upload is cut where it is too long, and so has no length; that to HEAD has
        // no body.
        let hasLength = session.body == nil && session.method != "HEAD"
        let total = hasLength ? head.contentLength : nil
        let whole = ResumeDecision.write(offset: 0, total: total)
        switch head.status {
        case 408, 425, 429, 500...599: return nil
        case 200, 203: return session.body == nil ? nil : whole
        case 206: return session.canContinue ? nil : whole
        case 416: return attempt.offset > 0 ? nil : whole
        case 401 where !session.acceptsRefusal && !head.challenges(failures: 0).isEmpty:
            return .ask
        case 401, 403, 404, 410:
            let isFirst = attempt.url == task.request.url || attempt.credential != nil
            return isFirst ? whole : nil
        default: return whole
        }
    }
}

/// The data with which a cancelled download is continued. An application keeps it as a text, in
/// JSON.
package struct ResumeData: Hashable, Codable, Sendable {
    /// The maximum length of the text in bytes.
    package static let limit = 4096
    private static let version = 1

    /// Increases when older programs would misread the rest.
    private var version = Self.version
    /// The name of what is there.
    package var name: String
    /// The part that is there.
    package var part: TransferPart
    /// The URL that was asked for.
    package var original: String
    /// The request's header fields.
    package var fields: [SessionTask.Field]

    /// The data with which a download of a session continues; nil if it cannot.
    package init?(_ task: TransferTask, part name: String) {
        guard let session = task.session, session.canContinue, task.part.offset > 0,
            task.part.validator != nil
        else { return nil }
        self.name = name
        part = task.part
        original = task.request.url
        fields = session.fields
    }

    /// False if an application has changed the data so that it cannot be used.
    package var isValid: Bool {
        version == Self.version && part.offset > 0 && part.validator != nil
            && TransferURL(original) != nil && part.url.map { TransferURL($0) != nil } ?? true
    }
}
