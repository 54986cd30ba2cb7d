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
/// `RunEnded` when it is over.
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

/// A run that this connection follows has ended.
public struct RunEnded: ControlNotice {
    /// The name of the method.
    public static let method = "runEnded"
    /// The run's number.
    public var run: Int
    /// `finished`, `stopped` or `outputFailed`.
    public var reason: String
    /// Why the output failed, such as `server-unavailable`, if it did.
    public var code: String?
    /// The number of items heard at least in part.
    public var played: Int
    /// The number of items that could not be played, or not to their end.
    public var failed: Int

    /// Creates a notice.
    public init(run: Int, reason: String, code: String?, played: Int, failed: Int) {
        self.run = run
        self.reason = reason
        self.code = code
        self.played = played
        self.failed = failed
    }
}

/// A command of a single word.
public struct Command: ControlCall {
    /// The resulting status.
    public typealias Reply = PlayerStatus
    /// The name of the method.
    public static let method = "command"
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

/// Seeks in the current item.
public struct Seek: ControlCall {
    /// The result of the seek.
    public struct Reply: Codable, Hashable, Sendable {
        /// False if a newer seek or another jump superseded it.
        public var finished: Bool
        /// The resulting time in the item.
        public var position: WireTime
        /// The status, if the seek went past the end of the item; nil if the item is the same.
        public var status: PlayerStatus?

        /// Creates a reply.
        public init(finished: Bool, position: WireTime, status: PlayerStatus? = nil) {
            self.finished = finished
            self.position = position
            self.status = status
        }
    }

    /// The name of the method.
    public static let method = "seek"
    /// The time to seek to.
    public var to: WireTime?
    /// The distance to seek by, negative to go back.
    public var by: WireTime?
    /// The part of the item's length to seek to, 0 to 1. Only one of the three is set.
    public var fraction: Double?

    /// Creates a request to seek to a time.
    public init(to: WireTime) { self.to = to }

    /// Creates a request to seek by a distance.
    public init(by: WireTime) { self.by = by }

    /// Creates a request to seek to a part of the item's length, 0 to 1.
    public init(toFraction fraction: Double) { self.fraction = fraction }
}
