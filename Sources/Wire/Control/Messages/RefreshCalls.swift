public import UndersongBase

/// Background fetches, refreshes and processing. The reply describes all of them afterwards.
public struct Refresh: ControlCall {
    /// What to do.
    public enum Action: String, Codable, Hashable, Sendable, CaseIterable {
        /// Only describe them.
        case status
        /// Submit the request for `identifier`.
        case submit
        /// Cancel the request for `identifier`, or all.
        case cancel
        /// Launch this client when a task for `identifier` is due.
        case register
        /// Complete `task`.
        case complete
        /// Run `identifier`, or a fetch, at once: a test hook.
        case simulate
        /// Warn the tasks for `identifier`, or all: a test hook.
        case expire
        /// Run `identifier`, or a fetch, at once, because the user asks for it.
        case run
        /// Set `interval`.
        case interval
        /// Switch background refresh on, for all tasks.
        case allow
        /// Switch it off.
        case deny
    }

    /// Something that is wanted.
    public struct Wish: Codable, Hashable, Sendable {
        /// The task's identifier.
        public var identifier: String
        /// `fetch`, `refresh` or `processing`.
        public var kind: String
        /// Not before, in seconds since 1970.
        public var earliestBeginDate: Double?
        /// Whether the Internet has to be reachable.
        public var requiresNetworkConnectivity: Bool?
        /// Whether external power is needed.
        public var requiresExternalPower: Bool?
        /// When it is due, in seconds since 1970; nil if something has to change first.
        public var due: Double?
        /// What stands against it now: short names.
        public var reasons: [String]
        /// The same in words.
        public var because: [String]

        /// Creates a wish.
        public init(identifier: String, kind: String, reasons: [String], because: [String]) {
            self.identifier = identifier
            self.kind = kind
            self.reasons = reasons
            self.because = because
        }
    }

    /// A run that is over, or not yet.
    public struct Run: Codable, Hashable, Sendable {
        /// The number of the run.
        public var task: Int
        /// The task's identifier.
        public var identifier: String
        /// `fetch`, `refresh` or `processing`.
        public var kind: String
        /// `schedule`, `push`, `simulate`, `foreground` or `command`.
        public var cause: String
        /// When it began, in seconds since 1970.
        public var began: Double
        /// How long it took; nil while it runs.
        public var seconds: Double?
        /// `newData`, `noData`, `done`, `failed`, `overran` or `interrupted`; nil while it runs.
        public var result: String?
        /// How much is new.
        public var new: Int

        /// Creates a run.
        public init(
            task: Int, identifier: String, kind: String, cause: String, began: Double,
            seconds: Double?, result: String?, new: Int
        ) {
            self.task = task
            self.identifier = identifier
            self.kind = kind
            self.cause = cause
            self.began = began
            self.seconds = seconds
            self.result = result
            self.new = new
        }
    }

    /// All background tasks.
    public struct Reply: Codable, Hashable, Sendable {
        /// `never`, `minimum`, or a number of seconds.
        public var interval: String
        /// What is wanted, the next first.
        public var pending: [Wish]
        /// The last runs, the latest first.
        public var runs: [Run]
        /// The commands that declare what a fetch needs and is not declared.
        public var missing: [String]
        /// Whether processing is done within two days, because the player was used within a week.
        public var promised: Bool
        /// Whether nothing wakes the player until it is opened, because it was shut down.
        public var shutDown: Bool
        /// How much is new since the player was opened.
        public var badge: Int
        /// Whether background refresh is `available`, or `denied` by the user.
        public var availability: String
        /// What counts where services of the machine do not answer, in words.
        public var fallbacks: [String]
        /// The date by which the service has decided, in seconds since 1970.
        public var now: Double
        /// The seconds by which local time is ahead of UTC.
        public var utcOffset: Double
        /// The task that was begun.
        public var task: Int?

        /// Creates a reply.
        public init(
            interval: String, pending: [Wish], runs: [Run], missing: [String], promised: Bool,
            shutDown: Bool, badge: Int, availability: String, fallbacks: [String], now: Double,
            utcOffset: Double
        ) {
            self.interval = interval
            self.pending = pending
            self.runs = runs
            self.missing = missing
            self.promised = promised
            self.shutDown = shutDown
            self.badge = badge
            self.availability = availability
            self.fallbacks = fallbacks
            self.now = now
            self.utcOffset = utcOffset
        }
    }

    /// The name of the method.
    public static let method = "refresh"
    /// What to do.
    public var action: Action
    /// Which task.
    public var identifier: String?
    /// `refresh` or `processing`.
    public var kind: String?
    /// Not before, in seconds since 1970.
    public var earliestBeginDate: Double?
    /// Whether the Internet has to be reachable.
    public var requiresNetworkConnectivity: Bool?
    /// Whether external power is needed.
    public var requiresExternalPower: Bool?
    /// `never`, `minimum`, or a number of seconds.
    public var interval: String?
    /// The run to complete.
    public var task: Int?
    /// `newData`, `noData`, `done` or `failed`.
    public var result: String?
    /// How much is new.
    public var new: Int?
    /// How many bytes were transferred.
    public var bytes: Int?
    /// How many runs to describe.
    public var limit: Int?

    /// Creates a request.
    public init(_ action: Action, identifier: String? = nil) {
        self.action = action
        self.identifier = identifier
    }
}

/// A task for which this client has registered begins: complete it by `refresh`.
public struct RefreshLaunch: ControlNotice {
    /// The name of the method.
    public static let method = "refresh.launch"
    /// The number of the run.
    public var task: Int
    /// The task's identifier.
    public var identifier: String
    /// `fetch`, `refresh` or `processing`.
    public var kind: String
    /// `schedule`, `push`, `simulate`, `foreground` or `command`.
    public var cause: String
    /// The seconds that it may take.
    public var timeRemaining: Double

    /// Creates a notice.
    public init(
        task: Int, identifier: String, kind: String, cause: String, timeRemaining: Double
    ) {
        self.task = task
        self.identifier = identifier
        self.kind = kind
        self.cause = cause
        self.timeRemaining = timeRemaining
    }
}

/// A task of this client has to end.
public struct RefreshExpiring: ControlNotice {
    /// The name of the method.
    public static let method = "refresh.expiring"
    /// The number of the run.
    public var task: Int
    /// The seconds left.
    public var timeRemaining: Double

    /// Creates a notice.
    public init(task: Int, timeRemaining: Double) {
        self.task = task
        self.timeRemaining = timeRemaining
    }
}

/// A task that this client has begun, or that it has run, is over.
public struct RefreshEnded: ControlNotice {
    /// The name of the method.
    public static let method = "refresh.ended"
    /// The number of the run.
    public var task: Int
    /// `newData`, `noData`, `done`, `failed` or `overran`.
    public var result: String
    /// How much is new.
    public var new: Int
    /// How long it took.
    public var seconds: Double

    /// Creates a notice.
    public init(task: Int, result: String, new: Int, seconds: Double) {
        self.task = task
        self.result = result
        self.new = new
        self.seconds = seconds
    }
}
