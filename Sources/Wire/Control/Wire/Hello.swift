public import UndersongBackground
public import UndersongBase

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

/// Where to send the sound of a run.
public enum OutputChoice: Codable, Hashable, Sendable {
    /// A PulseAudio server, by default the usual one; a sink on it, by default the server's
    /// default; and the file with the cookie to present, by default the service's own.
    case pulse(server: String?, device: String?, cookie: String? = nil)
    /// The same through libpulse-simple: commands take effect up to a quarter of a second late.
    case pulseSimple(server: String?, device: String?, cookie: String? = nil)
    /// Nowhere, in real time.
    case null
}

/// What to add to the queue. Paths are absolute; folders and playlists stand for their contents.
/// `-` is the MP3 stream whose descriptor comes with the message, and may occur once.
///
/// On the wire `paths` are strings. If some are not UTF-8, `pathBytes` has the bytes of each of
/// those at the same index, and null for the others.
public struct Files: Hashable, Sendable {
    /// The paths.
    public var paths: [FilePath]
    /// Where each item starts; nil for its beginning.
    public var start: WireTime?
    /// Where each item ends; nil for its end.
    public var end: WireTime?

    /// Creates files from strings.
    public init(_ paths: [String], start: WireTime? = nil, end: WireTime? = nil) {
        self.init(paths.map { FilePath($0) }, start: start, end: end)
    }

    /// Creates files from paths.
    public init(_ paths: [FilePath], start: WireTime? = nil, end: WireTime? = nil) {
        self.paths = paths
        self.start = start
        self.end = end
    }
}

extension Files: Codable {
    private enum CodingKeys: String, CodingKey { case paths, pathBytes, start, end }

    /// Decodes files. Throws if a field is missing or has the wrong type.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let texts = try members.decode([String].self, forKey: .paths)
        let bytes = try members.decodeIfPresent([Base64?].self, forKey: .pathBytes) ?? []
        paths = texts.enumerated().map { index, text in
            FilePath(text: text, bytes: index < bytes.count ? bytes[index] : nil)
        }
        start = try members.decodeIfPresent(WireTime.self, forKey: .start)
        end = try members.decodeIfPresent(WireTime.self, forKey: .end)
    }

    /// Encodes files.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(paths.map(\.description), forKey: .paths)
        let bytes = paths.map(\.exactBytes)
        if bytes.contains(where: { $0 != nil }) { try members.encode(bytes, forKey: .pathBytes) }
        try members.encodeIfPresent(start, forKey: .start)
        try members.encodeIfPresent(end, forKey: .end)
    }
}

/// Replaces the queue and plays it from the start. The connection follows the run and gets
/// `SessionEnd` when it is over.
public struct Play: ControlCall {
    /// The run that has begun.
    public struct Reply: Codable, Hashable, Sendable {
        /// The run's number, from 1.
        public var run: Int

        /// Creates a reply.
        public init(run: Int) { self.run = run }
    }

    /// The name of the method.
    public static let method = "play"
    /// What to play; nil for the current queue, from its position.
    public var files: Files?
    /// Where to send the sound; nil for the previous output.
    public var output: OutputChoice?
    /// Overrides, for this run, whether the `audio` mode is declared.
    public var backgroundAudio: Bool?
    /// The settings to change before playback begins.
    public var settings: SettingsChange?
    /// When to stop playback; nil to keep the current sleep timer.
    public var sleep: Sleep?

    /// Creates a request.
    public init(
        files: Files?, output: OutputChoice? = nil, backgroundAudio: Bool? = nil,
        settings: SettingsChange? = nil, sleep: Sleep? = nil
    ) {
        self.files = files
        self.output = output
        self.backgroundAudio = backgroundAudio
        self.settings = settings
        self.sleep = sleep
    }
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
