public import UndersongBase

/// Makes the connection the host of a background session, until it is closed. The reply has the
/// tasks that the session has. One connection at a time can be; others get `inUse` (J8). This call
/// and those below are answered by `undersong-transferd`.
public struct OpenSession: ControlCall, Hashable {
    /// The session as it was left.
    public struct Reply: Codable, Hashable, Sendable {
        /// The lowest number that a new task may have.
        public var nextTask: Int
        /// The tasks whose end has not been acknowledged.
        public var tasks: [SessionTaskStatus]

        /// Creates a reply.
        public init(nextTask: Int, tasks: [SessionTaskStatus]) {
            self.nextTask = nextTask
            self.tasks = tasks
        }
    }

    /// The name of the method.
    public static let method = "session.open"
    /// The session's identifier, of 1 to 1000 bytes.
    public var session: String
    /// The program to start when all tasks are done and the session has no host, with its
    /// arguments; the first is an absolute path. No shell reads it. Nil for none (J16).
    public var launch: [String]?

    /// Creates a request.
    public init(session: String, launch: [String]? = nil) {
        self.session = session
        self.launch = launch
    }
}

/// Forgets a session that has no tasks any more, and ends being its host.
public struct CloseSession: ControlCall, Hashable {
    /// An empty reply.
    public typealias Reply = Nothing
    /// The name of the method.
    public static let method = "session.close"
    /// The session's identifier.
    public var session: String

    /// Creates a request.
    public init(session: String) { self.session = session }
}

/// Reports that the user has come to the session's host: its tasks do not wait for their turn any
/// longer.
public struct ForegroundSession: ControlCall, Hashable {
    /// An empty reply.
    public typealias Reply = Nothing
    /// The name of the method.
    public static let method = "session.foreground"
    /// The session's identifier.
    public var session: String

    /// Creates a request.
    public init(session: String) { self.session = session }
}

/// A header field of a request or a response.
public struct HeaderField: Codable, Hashable, Sendable {
    /// Its name; of a response in lower case.
    public var name: String
    /// Its value.
    public var value: String

    /// Creates a field.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// Adds a suspended task to a session. A task that is there already stays as it is, so that the
/// call can be repeated when its reply is lost.
public struct AddSessionTask: ControlCall, Hashable {
    /// The task.
    public typealias Reply = SessionTaskStatus
    /// The name of the method.
    public static let method = "task.add"
    /// The session's identifier.
    public var session: String
    /// The task's number, which no other task of the session has or had.
    public var task: Int
    /// A URL of HTTP or HTTPS.
    public var url: String
    /// The method; nil for GET.
    public var httpMethod: String?
    /// The header fields.
    public var fields: [HeaderField]?
    /// The absolute path of the file to send; nil for a download.
    public var body: String?
    /// A text that labels it.
    public var description: String?
    /// Whether it waits for external power and a network that is not metered.
    public var discretionary: Bool?
    /// Whether it may use a metered network; nil if so.
    public var metered: Bool?
    /// From 0 to 1; nil for 0.5.
    public var priority: Double?
    /// Seconds since 1970 before which it does not begin.
    public var earliestBegin: Double?
    /// Seconds after its first `resume` after which it is given up; nil for a week.
    public var within: Double?
    /// Seconds without a byte after which an attempt is given up; nil for a minute.
    public var stall: Double?
    /// How many of them run at a time with one host, from 1 to 6; nil for 2.
    public var perHost: Int?
    /// What `keep` has returned for a task that it continues.
    public var resume: String?

    /// Creates a request.
    public init(session: String, task: Int, url: String) {
        self.session = session
        self.task = task
        self.url = url
    }
}

/// Changes a session's task.
public struct ChangeSessionTask: ControlCall, Hashable {
    /// What to do.
    public enum Action: String, Codable, Sendable {
        /// Begin or continue.
        case resume
        /// Stop until `resume`.
        case suspend
        /// End, and throw away what is there.
        case cancel
        /// End, and keep what is there for `AddSessionTask.resume`, if it can be continued.
        case keep
        /// Nothing else.
        case describe
    }

    /// The task.
    public typealias Reply = SessionTaskStatus
    /// The name of the method.
    public static let method = "task.change"
    /// The session's identifier.
    public var session: String
    /// The task's number.
    public var task: Int
    /// What to do.
    public var action: Action
    /// Whether the host is in the background: then a task that begins is discretionary.
    public var background: Bool?
    /// The text that labels it from now on, empty for none; nil for no change.
    public var description: String?
    /// From 0 to 1; nil for no change.
    public var priority: Double?
    /// Seconds since 1970 before which it does not begin; nil for no change.
    public var earliestBegin: Double?

    /// Creates a request.
    public init(session: String, task: Int, _ action: Action) {
        self.session = session
        self.task = task
        self.action = action
    }
}

/// Asks for a session's oldest event that was not acknowledged.
public struct NextSessionEvent: ControlCall, Hashable {
    /// The event, if there is one.
    public struct Reply: Codable, Hashable, Sendable {
        /// Nil if there is none now.
        public var event: SessionTaskEvent?

        /// Creates a reply.
        public init(event: SessionTaskEvent?) { self.event = event }
    }

    /// The name of the method.
    public static let method = "events.next"
    /// The session's identifier.
    public var session: String

    /// Creates a request.
    public init(session: String) { self.session = session }
}

/// Acknowledges an event; until then, it is what `NextSessionEvent` returns, also after both
/// programs were killed. The file of the event is deleted.
public struct AcknowledgeSessionEvent: ControlCall, Hashable {
    /// An empty reply.
    public typealias Reply = Nothing
    /// The name of the method.
    public static let method = "events.ack"
    /// The session's identifier.
    public var session: String
    /// The task's number.
    public var task: Int
    /// Which event.
    public var phase: SessionTaskEvent.Phase

    /// Creates a request.
    public init(session: String, task: Int, phase: SessionTaskEvent.Phase) {
        self.session = session
        self.task = task
        self.phase = phase
    }
}

/// Something that has happened to a session's task and is kept until it is acknowledged.
public struct SessionTaskEvent: Codable, Hashable, Sendable {
    /// Which event.
    public enum Phase: String, Codable, Sendable {
        /// The body of the response is in a file.
        case file
        /// The task is over: the last event.
        case end
    }

    /// Which event.
    public var phase: Phase
    /// The task.
    public var task: SessionTaskStatus
    /// The file, which is deleted when the event is acknowledged.
    public var path: String?

    /// Creates an event.
    public init(_ phase: Phase, _ task: SessionTaskStatus) {
        self.phase = phase
        self.task = task
    }
}

/// Tasks of a session whose state, bytes or response have changed.
public struct SessionChanged: ControlNotice, Hashable {
    /// The name of the method.
    public static let method = "session.changed"
    /// The session's identifier.
    public var session: String
    /// The tasks.
    public var tasks: [SessionTaskStatus]

    /// Creates a notice.
    public init(session: String, tasks: [SessionTaskStatus]) {
        self.session = session
        self.tasks = tasks
    }
}

/// A task of a background session.
public struct SessionTaskStatus: Codable, Hashable, Sendable {
    /// What it is doing.
    public enum State: String, Codable, Sendable {
        /// It was not resumed, or is suspended.
        case suspended
        /// It continues by itself, even if it waits for something now.
        case running
        case finished
        case failed
        case cancelled
    }

    /// A request, as it was asked for.
    public struct Request: Codable, Hashable, Sendable {
        /// The URL.
        public var url: String
        /// The method.
        public var httpMethod: String
        /// The header fields.
        public var fields: [HeaderField]
        /// The file that is sent; nil for a download.
        public var body: String?

        /// Creates a request.
        public init(url: String, httpMethod: String, fields: [HeaderField], body: String?) {
            self.url = url
            self.httpMethod = httpMethod
            self.fields = fields
            self.body = body
        }
    }

    /// A response without its body.
    public struct Response: Codable, Hashable, Sendable {
        /// The status code.
        public var status: Int
        /// The URL that has answered.
        public var url: String
        /// The header fields.
        public var fields: [HeaderField]

        /// Creates a response.
        public init(status: Int, url: String, fields: [HeaderField]) {
            self.status = status
            self.url = url
            self.fields = fields
        }
    }

    /// The task's number in its session.
    public var task: Int
    /// The number of the transfer, as `transfers.list` has it.
    public var transfer: Int
    /// What it is doing.
    public var state: State
    /// Why it waits, as in `TransferStatus`.
    public var because: [String]?
    /// A text that labels it.
    public var description: String?
    /// Bytes of the response's body that are there.
    public var received: Int64
    /// Bytes of the whole body, if the server has said it.
    public var total: Int64?
    /// Bytes of the request's body that were sent.
    public var sent: Int64?
    /// Bytes of the request's body.
    public var toSend: Int64?
    /// What has answered, once something has.
    public var response: Response?
    /// The request; in the reply of `session.open`, and in events.
    public var request: Request?
    /// Where the body that is received begins in the file, if that is not its start.
    public var origin: Int64?
    /// Why it has failed, for machines, as in `TransferStatus`.
    public var code: String?
    /// Why it has failed, for people.
    public var reason: String?
    /// Why somebody else than the host has cancelled it: 0 the user has ended the host, 1 transfers
    /// in the background are not allowed, 2 the machine lacks something.
    public var cancelReason: Int?
    /// With what a task can continue it.
    public var resume: String?

    /// Creates a status.
    public init(task: Int, transfer: Int, state: State, received: Int64) {
        self.task = task
        self.transfer = transfer
        self.state = state
        self.received = received
    }
}
