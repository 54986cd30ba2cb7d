/// Makes this connection a part of the host, in `state`, until it is closed; again whenever the
/// state changes. The host is active while any of its clients is.
public struct Attach: ControlCall {
    /// It is done.
    public typealias Reply = Nothing
    /// What it is called on the wire.
    public static let method = "attach"
    /// `active`, `inactive` or `background`.
    public var state: String
    /// Where that was seen: `terminal`, `option`, `none`.
    public var source: String

    /// Says where the client is.
    public init(state: String, source: String) {
        self.state = state
        self.source = source
    }
}

/// Says what the host's state is, whatever its clients say; asks for it when it says nothing.
public struct Host: ControlCall {
    /// The host's state behind that.
    public struct Reply: Codable, Hashable, Sendable {
        /// `active`, `inactive` or `background`.
        public var state: String
        /// Where that was seen.
        public var source: String

        /// Makes an answer.
        public init(state: String, source: String) {
            self.state = state
            self.source = source
        }
    }

    /// What it is called on the wire.
    public static let method = "host"
    /// `active`, `inactive` or `background`; `auto`: what the clients say; nil: only asks.
    public var state: String?

    /// Asks.
    public init(_ state: String? = nil) { self.state = state }
}

/// Declares a background mode in the user's manifest, or takes it back; asks when it says nothing.
public struct Capability: ControlCall {
    /// A mode, and whether it is declared.
    public struct Mode: Codable, Hashable, Sendable {
        /// Its key in `UIBackgroundModes`.
        public var mode: String
        /// Whether it is declared.
        public var declared: Bool
        /// Whether declaring it has an effect here.
        public var supported: Bool

        /// Makes a mode.
        public init(mode: String, declared: Bool, supported: Bool) {
            self.mode = mode
            self.declared = declared
            self.supported = supported
        }
    }

    /// All modes behind that.
    public struct Reply: Codable, Hashable, Sendable {
        /// Every mode that there is.
        public var modes: [Mode]
        /// Where they are declared: a path, or `none`.
        public var source: String

        /// Makes an answer.
        public init(modes: [Mode], source: String) {
            self.modes = modes
            self.source = source
        }
    }

    /// What it is called on the wire.
    public static let method = "capability"
    /// The mode to change; nil: only asks.
    public var mode: String?
    /// Whether to declare it.
    public var on: Bool?

    /// Asks for all modes.
    public init() {}

    /// Asks for a change.
    public init(_ mode: String, on: Bool) {
        self.mode = mode
        self.on = on
    }
}

/// Begins a finite-length task of this connection: until it ends, the host is not suspended in the
/// background, as long as its time lasts (behaviour 2.8).
public struct BeginTask: ControlCall {
    /// The task that has begun.
    public struct Reply: Codable, Hashable, Sendable {
        /// Names it; nil where no time is left.
        public var task: Int?
        /// Seconds left in the background; nil: the host is in the foreground.
        public var timeRemaining: Double?

        /// Makes an answer.
        public init(task: Int?, timeRemaining: Double?) {
            self.task = task
            self.timeRemaining = timeRemaining
        }
    }

    /// What it is called on the wire.
    public static let method = "task.begin"
    /// What to call it where it overstays.
    public var name: String

    /// Asks for a task.
    public init(name: String) { self.name = name }
}

/// Ends a task. One that is unknown or has ended is ignored.
public struct EndTask: ControlCall {
    /// It is done.
    public typealias Reply = Nothing
    /// What it is called on the wire.
    public static let method = "task.end"
    /// Its name.
    public var task: Int

    /// Ends it.
    public init(_ task: Int) { self.task = task }
}

/// Asks how long the host may still run in the background.
public struct GetTime: ControlCall {
    /// How long.
    public struct Reply: Codable, Hashable, Sendable {
        /// Seconds; nil: the host is in the foreground.
        public var timeRemaining: Double?

        /// Makes an answer.
        public init(timeRemaining: Double?) { self.timeRemaining = timeRemaining }
    }

    /// What it is called on the wire.
    public static let method = "task.time"

    /// Asks.
    public init() {}
}

/// A task's time is almost over: it has to end (E4).
public struct TaskExpiring: ControlNotice {
    /// What it is called on the wire.
    public static let method = "task.expiring"
    /// Its name.
    public var task: Int
    /// Seconds left.
    public var timeRemaining: Double

    /// Makes a notice.
    public init(task: Int, timeRemaining: Double) {
        self.task = task
        self.timeRemaining = timeRemaining
    }
}

/// A task has not ended in time, and was ended (E5).
public struct TaskTerminated: ControlNotice {
    /// What it is called on the wire.
    public static let method = "task.terminated"
    /// Its name.
    public var task: Int

    /// Makes a notice.
    public init(task: Int) { self.task = task }
}
