import UndersongBase

/// A request to send.
package struct TransferAttempt: Hashable, Sendable {
    package var url: String
    /// The first byte to ask for; 0 for the whole file.
    package var offset: Int64 = 0
    /// The value of `If-Range`, if any.
    package var ifRange: String?
    package var avoidsHTTP2 = false
    package var method = "GET"
    package var fields: [SessionTask.Field] = []
    package var credential: ServerCredential?
    /// The path of the file to send, if any.
    package var body: String?
    /// Seconds without a byte after which it is given up.
    package var stallTimeout = 60.0

    package init(url: String) { self.url = url }
}

/// A decision about a response, made before a byte of its body is written.
///
/// No answer of a server leads to a file of two versions: bytes are appended only if the response
/// proves that it continues them.
package enum ResumeDecision: Hashable, Sendable {
    /// Cut the part to `offset`, and write the body after that. `total` is the length of the whole
    /// file.
    case write(offset: Int64, total: Int64?)
    /// The part is the whole file.
    case complete
    /// Throw away what is there, and ask for the whole file.
    case startAgain(String)
    /// Ask for the same bytes once more, without `If-Range`.
    case askBare
    /// Ask the first URL: the one that answered last has expired.
    case askFirstURL
    /// Ask the session's host for a credential.
    case ask
    /// Try again later, in `after` seconds if the server says so.
    case retry(String, after: Double?)
    case fail(TransferFailure)

    /// Bytes below which it is not worth while to ask again for a server that ignores ranges.
    package static let bareRangeWorth: Int64 = 8 << 20
    /// Text that is longer than this may be what is wanted.
    static let longestErrorPage: Int64 = 100_000

    /// Decides on `head`, which answers `attempt`; `now` in seconds since 1970.
    package static func decide(
        _ head: ResponseHead, to attempt: TransferAttempt, of task: TransferTask, now: Double
    ) -> ResumeDecision {
        if let session = task.session,
            let decision = decide(head, to: attempt, of: task, in: session)
        {
            return decision
        }
        return switch head.status {
        case 200, 203: whole(head, attempt, task)
        case 206: partial(head, attempt, task)
        case 416: unsatisfied(head, attempt, task)
        case 408, 425, 429, 500...599:
            .retry("The server answers \(head.status)", after: head.retryAfter(now: now))
        case 401, 403, 404, 410:
            if attempt.url != task.request.url {
                .askFirstURL
            } else {
                refuse(head)
            }
        default: refuse(head)
        }
    }

    private static func refuse(_ head: ResponseHead) -> ResumeDecision {
        .fail(TransferFailure(.httpStatus, "The server answers \(head.status)"))
    }

    private static func whole(
        _ head: ResponseHead, _ attempt: TransferAttempt, _ task: TransferTask
    ) -> ResumeDecision {
        if head.isEncoded {
            let encoding = head["Content-Encoding"] ?? ""
            return .fail(
                TransferFailure(
                    .encoded,
                    "The server sends it compressed (\(encoding)), which was not requested"))
        }
        if let failure = notAudio(head, task) { return .fail(failure) }
        if attempt.offset >= bareRangeWorth, attempt.ifRange != nil, !task.hasTriedBareRange,
            case .entityTag? = task.part.validator, head.validator == task.part.validator
        {
            return .askBare
        }
        return .write(offset: 0, total: head.contentLength)
    }

    private static func partial(
        _ head: ResponseHead, _ attempt: TransferAttempt, _ task: TransferTask
    ) -> ResumeDecision {
        guard attempt.offset > 0 else {
            return .retry(
                "The server sends a part of the file, which was not requested", after: nil)
        }
        if head.isEncoded { return .startAgain("The server compresses what is left") }
        if head.contentType == "multipart/byteranges" {
            return .startAgain("The server sends several ranges")
        }
        guard let range = head.contentRange, let bytes = range.bytes else {
            return .startAgain("The server does not say which bytes it sends")
        }
        guard let validator = task.part.validator, proves(head, validator) else {
            return .startAgain("The file has changed on the server")
        }
        if let known = task.part.total, let total = range.total, known != total {
            return .startAgain("The file has another length on the server")
        }
        guard bytes.lowerBound <= attempt.offset else {
            return .startAgain("The server leaves out bytes")
        }
        if let length = head.contentLength, length - 1 != bytes.upperBound - bytes.lowerBound {
            return .startAgain("The server contradicts itself about the length")
        }
        return .write(offset: bytes.lowerBound, total: range.total ?? task.part.total)
    }

    private static func unsatisfied(
        _ head: ResponseHead, _ attempt: TransferAttempt, _ task: TransferTask
    ) -> ResumeDecision {
        guard attempt.offset > 0 else {
            return .retry("The server answers 416", after: nil)
        }
        guard let range = head.contentRange, range.bytes == nil, range.total == attempt.offset,
            let validator = task.part.validator, proves(head, validator)
        else { return .startAgain("The server has no bytes after \(attempt.offset)") }
        return .complete
    }

    /// Returns true if the response is of the version that `validator` names. A validator that is
    /// missing proves nothing: there are servers that ignore `If-Range`.
    private static func proves(_ head: ResponseHead, _ validator: Validator) -> Bool {
        switch validator {
        case .entityTag(let tag): head["ETag"] == tag
        case .lastModified(let date): head["ETag"] == nil && head["Last-Modified"] == date
        }
    }

    /// Returns the reason the response cannot be the sound that is expected: an error page that
    /// calls itself a success.
    private static func notAudio(
        _ head: ResponseHead, _ task: TransferTask
    ) -> TransferFailure? {
        guard task.request.expectsAudio, let type = head.contentType, type.hasPrefix("text/"),
            head.contentLength ?? 0 < longestErrorPage
        else { return nil }
        return TransferFailure(.notAudio, "The server sends \(type) instead of sound")
    }
}
