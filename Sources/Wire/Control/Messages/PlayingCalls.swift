public import UndersongBackground
public import UndersongBase
public import UndersongPlayback

/// Identifies the client and its protocol version; the first request of every connection.
public struct Hello: ControlCall {
    /// The service's identity.
    public struct Reply: Codable, Hashable, Sendable {
        /// The service's `ControlProtocol.version`.
        public var `protocol`: Int
        /// The service's own version.
        public var version: String
        /// The session's name.
        public var session: String
        /// The service's process id.
        public var process: Int32
        /// The process that has the session's queue, if this service only reads it; 0 if that is not
        /// known.
        public var heldBy: Int32?

        /// Creates a reply.
        public init(protocol: Int, version: String, session: String, process: Int32) {
            self.`protocol` = `protocol`
            self.version = version
            self.session = session
            self.process = process
        }
    }

    /// The name of the method.
    public static let method = "hello"
    /// The client's `ControlProtocol.version`.
    public var `protocol` = ControlProtocol.version
    /// The client's name, as shown by `undersong why`.
    public var client: String

    /// Creates a greeting.
    public init(client: String) { self.client = client }
}

/// A command of a single word.
public struct Command: ControlCall {
    /// The resulting status.
    public typealias Reply = PlayerStatus
    /// The name of the method.
    public static let method = "player.command"
    /// How many items `next` and `previous` can skip at once.
    public static let mostTimes = 1000
    /// The command.
    public var verb: PlayerCommand
    /// How many items `next` and `previous` skip, from 1 to `mostTimes`; nil for one.
    public var times: Int?

    /// Creates a request.
    public init(_ verb: PlayerCommand, times: Int? = nil) {
        self.verb = verb
        self.times = times
    }
}

/// Changes settings and returns all of them.
public struct SetSettings: ControlCall {
    /// All settings afterwards.
    public typealias Reply = Settings
    /// The name of the method.
    public static let method = "set"
    /// The settings to change; empty to query.
    public var change: Settings.Change

    /// Creates a request.
    public init(_ change: Settings.Change) { self.change = change }
}
