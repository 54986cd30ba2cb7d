package import UndersongBase

/// Makes the connection the host of a background session, until it is closed. One connection at a
/// time can be; others get `inUse` (J8).
package struct OpenSession: ControlCall, Hashable {
    /// The session as it was left.
    package struct Reply: Codable, Hashable, Sendable {
        /// The lowest number that a new task may have.
        package var nextTask: Int
        /// The tasks whose end has not been acknowledged.
        package var tasks: [SessionTaskStatus]

        package init(nextTask: Int, tasks: [SessionTaskStatus]) {
            self.nextTask = nextTask
            self.tasks = tasks
        }
    }

    package static let method = "session.open"
    /// The session's identifier, of 1 to 1000 bytes.
    package var session: String
    /// The program to start when all tasks are done and the session has no host, with its
    /// arguments; the first is an absolute path. No shell reads it. Nil for none (J16).
    package var launch: [String]?

    package init(session: String, launch: [String]? = nil) {
        self.session = session
        self.launch = launch
    }
}

/// Ends being the host of a session, which is forgotten if it has no tasks any more.
package struct CloseSession: ControlCall, Hashable {
    package typealias Reply = Nothing
    package static let method = "session.close"
    package var session: String

    package init(session: String) { self.session = session }
}

/// Reports that the user has come to the session's host: its tasks do not wait for their turn any
/// longer.
package struct ForegroundSession: ControlCall, Hashable {
    package typealias Reply = Nothing
    package static let method = "session.foreground"
    package var session: String

    package init(session: String) { self.session = session }
}

/// Adds a suspended task to a session. A task that is there already stays as it is, so that the
/// call can be repeated when its reply is lost.
package struct AddSessionTask: ControlCall, Hashable {
    package typealias Reply = SessionTaskStatus
    package static let method = "task.add"
    package var session: String
    /// The task's number, which no other task of the session has or had.
    package var task: Int
    package var request: SessionTask.Request
    package var details = SessionTask.Details()
    /// True to wait for external power and a network that is not metered.
    package var discretionary: Bool?
    /// False to keep off metered networks; nil to use them.
    package var metered: Bool?
    /// Seconds after its first `resume` after which it is given up; nil for a week.
    package var within: Double?
    /// Seconds without a byte after which an attempt is given up; nil for a minute.
    package var stall: Double?
    /// The maximum number of tasks that run at a time with one host, from 1 to 6; nil for 2.
    package var perHost: Int?
    /// The resume data of a task that it continues.
    package var resume: String?

    package init(session: String, task: Int, request: SessionTask.Request) {
        self.session = session
        self.task = task
        self.request = request
    }
}

/// Begins or continues a session's task.
package struct ResumeSessionTask: ControlCall, Hashable {
    package typealias Reply = SessionTaskStatus
    package static let method = "task.resume"
    package var session: String
    package var task: Int
    package var details: SessionTask.Details
    /// True if the host is in the background: then a task that begins is discretionary.
    package var isBackground: Bool

    package init(session: String, task: Int, details: SessionTask.Details, isBackground: Bool) {
        self.session = session
        self.task = task
        self.details = details
        self.isBackground = isBackground
    }
}

/// Stops a session's task until it is resumed.
package struct SuspendSessionTask: ControlCall, Hashable {
    package typealias Reply = SessionTaskStatus
    package static let method = "task.suspend"
    package var session: String
    package var task: Int
    package var details: SessionTask.Details

    package init(session: String, task: Int, details: SessionTask.Details) {
        self.session = session
        self.task = task
        self.details = details
    }
}

/// Ends a session's task.
package struct CancelSessionTask: ControlCall, Hashable {
    package typealias Reply = SessionTaskStatus
    package static let method = "task.cancel"
    package var session: String
    package var task: Int
    package var details: SessionTask.Details
    /// True if the part is kept for a week, if it can be continued: the reply has the resume data
    /// for it. Otherwise it is thrown away.
    package var isKept: Bool

    package init(session: String, task: Int, details: SessionTask.Details, isKept: Bool) {
        self.session = session
        self.task = task
        self.details = details
        self.isKept = isKept
    }
}

/// Changes what a session's task is called, and when it runs.
package struct DescribeSessionTask: ControlCall, Hashable {
    package typealias Reply = SessionTaskStatus
    package static let method = "task.describe"
    package var session: String
    package var task: Int
    package var details: SessionTask.Details

    package init(session: String, task: Int, details: SessionTask.Details) {
        self.session = session
        self.task = task
        self.details = details
    }
}

/// Answers the question of a session's task. An answer to any other question than the present one of
/// this number has no effect.
package struct AnswerSessionTask: ControlCall, Hashable {
    package typealias Reply = SessionTaskStatus
    package static let method = "task.answer"
    package var session: String
    package var task: Int
    /// The number of the question.
    package var question: Int
    /// The answer to a challenge.
    package var challenge: ChallengeAnswer?
    /// The request to send instead of the one that was delayed; nil to send that.
    package var request: SessionTask.Request?
    /// True if the host has no opinion about delayed requests: it is not launched to be asked.
    package var ignoresDelays: Bool?

    package init(session: String, task: Int, question: Int) {
        self.session = session
        self.task = task
        self.question = question
    }
}

/// Asks for a session's oldest event that was not acknowledged.
package struct NextSessionEvent: ControlCall, Hashable {
    package struct Reply: Codable, Hashable, Sendable {
        /// Nil if there is none now.
        package var event: SessionTaskEvent?

        package init(event: SessionTaskEvent?) { self.event = event }
    }

    package static let method = "events.next"
    package var session: String

    package init(session: String) { self.session = session }
}

/// Acknowledges an event; until then, it is what `NextSessionEvent` returns, also after both
/// programs were killed. The file of the event is deleted. Acknowledging twice does no harm.
package struct AcknowledgeSessionEvent: ControlCall, Hashable {
    package typealias Reply = Nothing
    package static let method = "events.ack"
    package var session: String
    package var task: Int
    package var phase: SessionTaskEvent.Phase

    package init(session: String, task: Int, phase: SessionTaskEvent.Phase) {
        self.session = session
        self.task = task
        self.phase = phase
    }
}

/// An event of a session's task, kept until it is acknowledged. Events come in the order in which
/// the tasks ended.
package struct SessionTaskEvent: Codable, Hashable, Sendable {
    package enum Phase: String, CaseIterable, Codable, Sendable {
        /// The body of the response is in a file.
        case file
        /// The task is over: the last event.
        case end
    }

    package var phase: Phase
    package var task: SessionTaskStatus
    /// The file, which is deleted when the event is acknowledged.
    package var path: String?
}

/// Tasks of a session whose state or response have changed, and five times a second those that move
/// bytes.
package struct SessionChanged: ControlNotice, Hashable {
    package static let method = "session.changed"
    package var session: String
    package var tasks: [SessionTaskStatus]

    package init(session: String, tasks: [SessionTaskStatus]) {
        self.session = session
        self.tasks = tasks
    }
}

/// A task of a background session, as its host sees it.
package struct SessionTaskStatus: Codable, Hashable, Sendable {
    /// The state.
    package enum State: String, CaseIterable, Codable, Sendable {
        /// It was not resumed, or is suspended.
        case suspended
        /// It continues by itself, even if it waits for something now.
        case running
        case finished, failed, cancelled
    }

    /// The task's number in its session.
    package var task: Int
    /// The number of the transfer.
    package var transfer: Int
    package var state: State
    /// The reason it waits.
    package var waitReasons: [Open<WaitReason>] = []
    /// A text that labels it.
    package var description: String?
    /// Bytes of the response's body that are there.
    package var received: Int64
    /// Bytes of the whole body, if the server has said it.
    package var total: Int64?
    /// Bytes of the request's body that were sent.
    package var sent: Int64?
    /// Bytes of the request's body.
    package var toSend: Int64?
    /// The response, once there is one.
    package var response: SessionTask.Response?
    /// The request; in the reply of `session.open`, and in events.
    package var request: SessionTask.Request?
    /// The offset in the file at which the received body begins, if it is not 0.
    package var origin: Int64?
    /// The reason it has failed, for machines.
    package var code: Open<TransferFailure.Code>?
    /// The reason it has failed, for people.
    package var reason: String?
    /// The reason somebody else than the host has cancelled it.
    package var cancelReason: CancelReason?
    /// The data with which a task can continue it.
    package var resume: String?
    /// The question that the host has to answer.
    package var question: SessionQuestion?
}

/// The reason tasks of a session are cancelled by somebody else than its host: Apple's reasons.
package enum CancelReason: Int, Codable, Hashable, Sendable {
    /// The user has ended the host.
    case hostEnded = 0
    /// Work in the background is not allowed.
    case notAllowed = 1
    /// The machine lacks something.
    case machine = 2
}

extension TransferPolicy {
    /// A task of a session, with the number of bytes that have come; nil for any other transfer.
    package func status(
        of task: TransferTask, received: Int64, hasRequest: Bool, at now: Moment
    ) -> SessionTaskStatus? {
        guard let session = task.session, let state = state(of: task.id, at: now) else {
            return nil
        }
        var status = SessionTaskStatus(
            task: session.number, transfer: task.id,
            state: task.isResumed ? .running : .suspended, received: received)
        status.description = task.request.label
        status.total = task.part.total
        status.origin = origin(of: task.id)
        status.response = session.response
        status.question = session.question
        if hasRequest {
            status.request = SessionTask.Request(
                url: task.request.url, method: session.method, fields: session.fields,
                body: session.body)
        }
        switch state {
        case .waiting(let reasons): status.waitReasons = reasons.words
        case .active: break
        case .finished: status.state = .finished
        case .failed(let failure):
            (status.state, status.code) = (.failed, .known(failure.code))
            status.reason = failure.text
        case .cancelled:
            status.state = .cancelled
            status.cancelReason = session.cancelReason
            status.resume = session.resumeData
        }
        return status
    }

    /// The oldest event of a session that was not acknowledged, in which `status` describes the task;
    /// nil if there is none.
    package func event(
        of session: String, _ status: (TransferTask) -> SessionTaskStatus?
    ) -> SessionTaskEvent? {
        guard let task = ended(in: session).first, let status = status(task) else { return nil }
        guard case .finished(let path) = task.stage, task.session?.isFileTaken == false else {
            return SessionTaskEvent(phase: .end, task: status)
        }
        return SessionTaskEvent(phase: .file, task: status, path: path)
    }
}
