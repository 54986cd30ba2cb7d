package import UndersongBase

/// Sends a request whose response goes straight to the client. With it come the descriptors of a pipe,
/// open for writing, which gets the body, decompressed and as fast as the client reads, and of a file
/// to send, if any. The load ends with the connection, and with this process. Redirects are followed,
/// and `LoadChanged` reports what happens.
package struct OpenLoad: ControlCall, Hashable {
    /// The new load.
    package struct Reply: Codable, Hashable, Sendable {
        /// Identifies it; never reused.
        package var id: Int

        package init(id: Int) { self.id = id }
    }

    package static let method = "load.open"
    /// A URL of HTTP or HTTPS.
    package var url: String
    package var method: String
    package var fields: [SessionTask.Field]
    /// Seconds without a byte after which it is given up; nil for a minute.
    package var stall: Double?
    /// Seconds after which it is given up; nil for a week.
    package var within: Double?
    /// True to wait while there is no network that it may use; nil to fail.
    package var waits: Bool?
    /// False to keep off metered networks; nil to use them.
    package var metered: Bool?

    package init(url: String, method: String = "GET", fields: [SessionTask.Field] = []) {
        self.url = url
        self.method = method
        self.fields = fields
    }
}

/// Answers a load's challenge.
package struct AnswerLoad: ControlCall, Hashable {
    package typealias Reply = Nothing
    package static let method = "load.answer"
    /// The load.
    package var id: Int
    package var answer: ChallengeAnswer

    package init(id: Int, _ answer: ChallengeAnswer) {
        self.id = id
        self.answer = answer
    }
}

/// Gives up a load.
package struct CloseLoad: ControlCall, Hashable {
    package typealias Reply = Nothing
    package static let method = "load.close"
    /// The load.
    package var id: Int

    package init(id: Int) { self.id = id }
}

/// Reports what has happened to a load.
package struct LoadChanged: ControlNotice, Hashable {
    package static let method = "load.changed"
    /// The load.
    package var id: Int
    package var report: LoadReport

    package init(id: Int, _ report: LoadReport) {
        self.id = id
        self.report = report
    }
}

/// Something that has happened to a load.
package struct LoadReport: Codable, Hashable, Sendable {
    package enum Phase: String, Codable, Hashable, Sendable, CaseIterable {
        /// There is no network that it may use, and it waits for one.
        case waiting
        /// `sent` bytes of the file have been sent.
        case sending
        /// The server wants `challenge` to be answered, for which the load waits.
        case challenged
        /// The `response` has come; its body follows in the pipe.
        case responded
        /// All of the body is in the pipe, which is closed.
        case finished
        /// It has failed, as `code` and `reason` say.
        case failed
    }

    /// The reason a load has failed.
    package enum Failure: String, Codable, Hashable, Sendable, CaseIterable {
        /// There is no network that it may use.
        case offline
        case unknownHost = "unknown-host"
        case cannotConnect = "cannot-connect"
        /// The connection was lost.
        case lost
        case timedOut = "timed-out"
        /// No safe connection could be made.
        case insecure
        /// The server's certificate is not valid.
        case certificate
        case tooManyRedirects = "too-many-redirects"
        case unsupportedURL = "unsupported-url"
        /// The response is not one of HTTP.
        case badResponse = "bad-response"
        /// The body cannot be decompressed.
        case encoded
        /// The file that is sent cannot be read.
        case fileMissing = "file-missing"
        /// The client cannot be given the body.
        case storage
        /// The answer to a challenge was to end it.
        case cancelled
    }

    package var phase: Open<Phase>
    package var response: SessionTask.Response?
    package var challenge: ServerChallenge?
    package var sent: Int64?
    package var code: Open<Failure>?
    /// The reason it has failed, for people.
    package var reason: String?

    package init(_ phase: Phase) { self.phase = .known(phase) }

    package init(_ failure: Failure, _ reason: String) {
        phase = .known(.failed)
        code = .known(failure)
        self.reason = reason
    }
}
