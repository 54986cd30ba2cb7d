public import UndersongBase

/// Makes this connection part of the host, in `state`, until it closes; send again whenever the
/// state changes. The host is active while any of its clients is.
public struct Attach: ControlCall {
    /// An empty reply.
    public typealias Reply = Nothing
    /// The name of the method.
    public static let method = "attach"
    /// `active`, `inactive` or `background`.
    public var state: String
    /// Where the state was observed: `terminal`, `option`, `none`.
    public var source: String

    /// Creates a request.
    public init(state: String, source: String) {
        self.state = state
        self.source = source
    }
}

/// Overrides the host's state, whatever its clients report; only queries it if there is no state.
public struct Host: ControlCall {
    /// The resulting state of the host.
    public struct Reply: Codable, Hashable, Sendable {
        /// `active`, `inactive` or `background`.
        public var state: String
        /// Where the state was observed.
        public var source: String

        /// Creates a reply.
        public init(state: String, source: String) {
            self.state = state
            self.source = source
        }
    }

    /// The name of the method.
    public static let method = "host"
    /// `active`, `inactive` or `background`; `auto` to follow the clients; nil to query.
    public var state: String?

    /// Creates a request.
    public init(_ state: String? = nil) { self.state = state }
}

/// Adds a background mode to the user's manifest or removes it; only queries if there is no mode.
public struct Capability: ControlCall {
    /// A mode, and whether it is declared.
    public struct Mode: Codable, Hashable, Sendable {
        /// Its key in `UIBackgroundModes`.
        public var mode: String
        /// Whether it is declared.
        public var declared: Bool
        /// Whether the mode has any effect on this system.
        public var supported: Bool

        /// Creates a mode.
        public init(mode: String, declared: Bool, supported: Bool) {
            self.mode = mode
            self.declared = declared
            self.supported = supported
        }
    }

    /// All modes afterwards.
    public struct Reply: Codable, Hashable, Sendable {
        /// All known modes.
        public var modes: [Mode]
        /// Where they are declared: a path, or `none`.
        public var source: String
        /// The identifiers of background tasks that are permitted.
        public var permitted: [String]?

        /// Creates a reply.
        public init(modes: [Mode], source: String, permitted: [String]? = nil) {
            self.modes = modes
            self.source = source
            self.permitted = permitted
        }
    }

    /// The name of the method.
    public static let method = "capability"
    /// The mode to change; nil to query.
    public var mode: String?
    /// An identifier of background tasks to permit, in place of a mode.
    public var identifier: String?
    /// Whether to declare the mode, or to permit the identifier.
    public var on: Bool?

    /// Creates a query for all modes.
    public init() {}

    /// Creates a request to change a mode.
    public init(_ mode: String, on: Bool) {
        self.mode = mode
        self.on = on
    }

    /// Creates a request to permit an identifier, or to withdraw that.
    public init(identifier: String, on: Bool) {
        self.identifier = identifier
        self.on = on
    }
}

/// Begins a finite-length task of this connection: until it ends, the host is not suspended in the
/// background while its time lasts (behaviour 2.8).
public struct BeginTask: ControlCall {
    /// The task.
    public struct Reply: Codable, Hashable, Sendable {
        /// The task's number; nil if no time is left.
        public var task: Int?
        /// The seconds left in the background; nil in the foreground.
        public var timeRemaining: Double?

        /// Creates a reply.
        public init(task: Int?, timeRemaining: Double?) {
            self.task = task
            self.timeRemaining = timeRemaining
        }
    }

    /// The name of the method.
    public static let method = "task.begin"
    /// The task's name, for use if it overstays.
    public var name: String

    /// Creates a request.
    public init(name: String) { self.name = name }
}

/// Ends a task. An unknown or ended task is ignored.
public struct EndTask: ControlCall {
    /// An empty reply.
    public typealias Reply = Nothing
    /// The name of the method.
    public static let method = "task.end"
    /// The task's number.
    public var task: Int

    /// Creates a request.
    public init(_ task: Int) { self.task = task }
}

/// Requests how long the host may still run in the background.
public struct GetTime: ControlCall {
    /// The time left.
    public struct Reply: Codable, Hashable, Sendable {
        /// The seconds left; nil in the foreground.
        public var timeRemaining: Double?

        /// Creates a reply.
        public init(timeRemaining: Double?) { self.timeRemaining = timeRemaining }
    }

    /// The name of the method.
    public static let method = "task.time"

    /// Creates a request.
    public init() {}
}

/// A task's time is almost over, and it has to end (E4).
public struct TaskExpiring: ControlNotice {
    /// The name of the method.
    public static let method = "task.expiring"
    /// The task's number.
    public var task: Int
    /// The seconds left.
    public var timeRemaining: Double

    /// Creates a notice.
    public init(task: Int, timeRemaining: Double) {
        self.task = task
        self.timeRemaining = timeRemaining
    }
}

/// A task did not end in time and was ended (E5).
public struct TaskTerminated: ControlNotice {
    /// The name of the method.
    public static let method = "task.terminated"
    /// The task's number.
    public var task: Int

    /// Creates a notice.
    public init(task: Int) { self.task = task }
}
