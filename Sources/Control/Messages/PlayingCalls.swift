import FoundationEssentials
public import Playback

/// Says who the client is, and what it speaks; the first request of every connection.
public struct Hello: ControlCall {
    /// Who answers.
    public struct Reply: Codable, Hashable, Sendable {
        /// The service's `ControlProtocol.version`.
        public var `protocol`: Int
        /// The service's own version.
        public var version: String
        /// The session's name.
        public var session: String
        /// The service's process.
        public var process: Int32

        /// Makes an answer.
        public init(protocol: Int, version: String, session: String, process: Int32) {
            self.`protocol` = `protocol`
            self.version = version
            self.session = session
            self.process = process
        }
    }

    /// What it is called on the wire.
    public static let method = "hello"
    /// The client's `ControlProtocol.version`.
    public var `protocol` = ControlProtocol.version
    /// What the client calls itself, for `undersong why`.
    public var client: String

    /// Makes a greeting.
    public init(client: String) { self.client = client }
}

/// Where the sound of a run goes.
public enum OutputChoice: Codable, Hashable, Sendable {
    /// A PulseAudio server, by default the usual one; one of its sinks, by default its own; and the
    /// file with the cookie that it is shown, by default the service's own.
    case pulse(server: String?, device: String?, cookie: String? = nil)
    /// The same over libpulse-simple: what is asked for is heard up to a quarter of a second late.
    case pulseSimple(server: String?, device: String?, cookie: String? = nil)
    /// Nowhere, at the pace of real sound.
    case null
}

/// What to put into the queue. Paths are absolute; folders and playlists stand for what is in them.
/// `-` is the MP3 stream whose descriptor comes with the message, and may stand there once.
///
/// On the wire `paths` are texts. Where one is not UTF-8, `pathBytes` has the bytes of each such path
/// in its place, and null for the others.
public struct Files: Hashable, Sendable {
    /// What to play.
    public var paths: [FilePath]
    /// Where each item begins; nil: at its start.
    public var start: WireTime?
    /// Where each item ends; nil: at its end.
    public var end: WireTime?

    /// Names files by texts.
    public init(_ paths: [String], start: WireTime? = nil, end: WireTime? = nil) {
        self.init(paths.map { FilePath($0) }, start: start, end: end)
    }

    /// Names files.
    public init(_ paths: [FilePath], start: WireTime? = nil, end: WireTime? = nil) {
        self.paths = paths
        self.start = start
        self.end = end
    }
}

extension Files: Codable {
    private enum CodingKeys: String, CodingKey { case paths, pathBytes, start, end }

    /// Reads files. Errors: a field is missing or not of its type.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let texts = try members.decode([String].self, forKey: .paths)
        let bytes = try members.decodeIfPresent([Data?].self, forKey: .pathBytes) ?? []
        paths = texts.enumerated().map { index, text in
            FilePath(text: text, bytes: index < bytes.count ? bytes[index] : nil)
        }
        start = try members.decodeIfPresent(WireTime.self, forKey: .start)
        end = try members.decodeIfPresent(WireTime.self, forKey: .end)
    }

    /// Writes files.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(paths.map(\.description), forKey: .paths)
        let bytes = paths.map(\.exactBytes)
        if bytes.contains(where: { $0 != nil }) { try members.encode(bytes, forKey: .pathBytes) }
        try members.encodeIfPresent(start, forKey: .start)
        try members.encodeIfPresent(end, forKey: .end)
    }
}

/// Replaces the queue and plays it from its start. The connection that asked follows it: it gets
/// `RunEnded` when that is over.
public struct Play: ControlCall {
    /// The run that has begun.
    public struct Reply: Codable, Hashable, Sendable {
        /// Counts from 1.
        public var run: Int

        /// Makes an answer.
        public init(run: Int) { self.run = run }
    }

    /// What it is called on the wire.
    public static let method = "play"
    /// What to play; nil: the queue as it is, from where it stands.
    public var files: Files?
    /// Where the sound goes; nil: where it went.
    public var output: OutputChoice?
    /// Overrides, for this run, whether the `audio` mode is declared.
    public var backgroundAudio: Bool?
    /// What to change before it begins.
    public var settings: Settings.Change?
    /// When to stop by itself; nil: as was said before.
    public var sleep: Sleep?

    /// Asks for a run.
    public init(
        files: Files?, output: OutputChoice? = nil, backgroundAudio: Bool? = nil,
        settings: Settings.Change? = nil, sleep: Sleep? = nil
    ) {
        self.files = files
        self.output = output
        self.backgroundAudio = backgroundAudio
        self.settings = settings
        self.sleep = sleep
    }
}

/// A run that this connection follows is over.
public struct RunEnded: ControlNotice {
    /// What it is called on the wire.
    public static let method = "runEnded"
    /// The run's number.
    public var run: Int
    /// `finished`, `stopped` or `outputFailed`.
    public var reason: String
    /// Why the output failed, as `server-unavailable`, when it did.
    public var code: String?
    /// Items of which something was heard.
    public var played: Int
    /// Items that could not be played, or not to their end.
    public var failed: Int

    /// Makes a notice.
    public init(run: Int, reason: String, code: String?, played: Int, failed: Int) {
        self.run = run
        self.reason = reason
        self.code = code
        self.played = played
        self.failed = failed
    }
}

/// A command of one word.
public struct Command: ControlCall {
    /// The words.
    public enum Verb: String, Codable, Hashable, Sendable, CaseIterable {
        /// Wants silence; the place is kept to the sample.
        case pause
        /// Wants sound.
        case resume
        /// The one that is not wanted now.
        case toggle
        /// Wants silence and gives the sound device back; the run is over, the queue stays.
        case stop
        /// Leaves the current item for the next.
        case next
        /// Goes back to the item before, at the first to its start.
        case previous
    }

    /// What came of it.
    public typealias Reply = Status
    /// What it is called on the wire.
    public static let method = "command"
    /// What to do.
    public var verb: Verb

    /// Asks for it.
    public init(_ verb: Verb) { self.verb = verb }
}

/// Goes elsewhere in the current item.
public struct Seek: ControlCall {
    /// Where it went.
    public struct Reply: Codable, Hashable, Sendable {
        /// False when a newer seek or another jump came first.
        public var finished: Bool
        /// The item's time then.
        public var position: WireTime
        /// What is played now, where the way led beyond the item's end; nil: it is the same item.
        public var status: Status?

        /// Makes an answer.
        public init(finished: Bool, position: WireTime, status: Status? = nil) {
            self.finished = finished
            self.position = position
            self.status = status
        }
    }

    /// What it is called on the wire.
    public static let method = "seek"
    /// The time to go to; nil when `by` says where.
    public var to: WireTime?
    /// How far to go on from where it is, back when negative; nil when `to` says where.
    public var by: WireTime?

    /// Asks for a time.
    public init(to: WireTime) { self.to = to }

    /// Asks for a distance.
    public init(by: WireTime) { self.by = by }
}

/// Changes settings and answers with all of them.
public struct SetSettings: ControlCall {
    /// All settings behind that.
    public typealias Reply = Settings
    /// What it is called on the wire.
    public static let method = "set"
    /// What to change; nothing: only asks.
    public var change: Settings.Change

    /// Asks for a change.
    public init(_ change: Settings.Change) { self.change = change }
}
