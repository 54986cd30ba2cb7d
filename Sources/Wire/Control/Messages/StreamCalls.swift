public import UndersongBase

/// Asks for what a URL names, byte by byte as it arrives, as a player needs them. With the request comes
/// the descriptor of a file, open for reading and writing, into which each byte is written at its
/// own offset. This call and those below are answered by `undersong-transferd`; the stream ends with
/// the connection. `StreamChanged` reports what is there.
public struct OpenStream: ControlCall, Hashable {
    /// The new stream.
    public struct Reply: Codable, Hashable, Sendable {
        /// Identifies it; never reused.
        public var id: Int

        /// Creates a reply.
        public init(id: Int) { self.id = id }
    }

    /// The name of the method.
    public static let method = "stream.open"
    /// A URL of HTTP or HTTPS.
    public var url: String
    /// What the file has from an earlier stream of the same URL, as pairs of the first byte and the
    /// one after the last; nil for nothing.
    public var available: [[Int64]]?
    /// The total that the earlier stream reported.
    public var total: Int64?
    /// The version that the earlier stream reported.
    public var version: StreamVersion?
    /// Whether the earlier stream was live.
    public var live: Bool?
    /// Whether it may be a playlist or another text, which otherwise fails.
    public var text: Bool?

    /// Creates a request.
    public init(url: String) { self.url = url }
}

/// Sets what a stream's file is to have. Until the first of these calls, nothing is requested.
public struct WantStream: ControlCall, Hashable {
    /// An empty reply.
    public typealias Reply = Nothing
    /// The name of the method.
    public static let method = "stream.want"
    /// The stream.
    public var id: Int
    /// The byte that is read next.
    public var from: Int64
    /// The byte up to which to read ahead.
    public var until: Int64

    /// Creates a request.
    public init(id: Int, from: Int64, until: Int64) {
        self.id = id
        self.from = from
        self.until = until
    }
}

/// Ends a stream.
public struct CloseStream: ControlCall, Hashable {
    /// An empty reply.
    public typealias Reply = Nothing
    /// The name of the method.
    public static let method = "stream.close"
    /// The stream.
    public var id: Int

    /// Creates a request.
    public init(id: Int) { self.id = id }
}

/// What identifies the version of a file on a server.
public struct StreamVersion: Codable, Hashable, Sendable {
    /// The strong entity tag.
    public var tag: String?
    /// The date of the last change, in the server's words.
    public var modified: String?

    /// Creates a version.
    public init(tag: String? = nil, modified: String? = nil) {
        self.tag = tag
        self.modified = modified
    }
}

/// A stream has changed: at once whenever it begins or ceases to receive, and regularly while bytes
/// come.
public struct StreamChanged: ControlNotice, Hashable {
    /// What a stream is doing.
    public enum State: String, Codable, Sendable {
        /// All that is wanted is there.
        case idle
        case connecting
        case receiving
        /// It tries again after `retry` seconds, because of `reason`.
        case waiting
        /// Nothing more comes, because of `reason`.
        case failed
    }

    /// A text that a station sent within its sound.
    public struct Title: Codable, Hashable, Sendable {
        /// The first byte of the sound that it belongs to.
        public var offset: Int64
        /// The text, usually `Artist - Title`.
        public var text: String

        /// Creates a title.
        public init(offset: Int64, text: String) {
            self.offset = offset
            self.text = text
        }
    }

    /// The name of the method.
    public static let method = "stream.changed"
    /// The stream.
    public var id: Int
    /// What it is doing.
    public var state: State
    /// What is there, as pairs of the first byte and the one after the last.
    public var available: [[Int64]]
    /// The length of the whole file; nil if unknown.
    public var total: Int64?
    /// The version of the file, if the server names it.
    public var version: StreamVersion?
    /// Whether it has no end, and only what is sent now can be had.
    public var live: Bool?
    /// Whether the server gives parts of the file; nil if unknown.
    public var ranges: Bool?
    /// The media type, in lower case, once the server has answered.
    public var type: String?
    /// The station's name.
    public var name: String?
    /// The station's bit rate, in bits per second.
    public var bitrate: Int?
    /// The station's last title.
    public var title: Title?
    /// Why it has failed or waits, for machines.
    public var code: String?
    /// Why it has failed or waits.
    public var reason: String?
    /// Seconds until the next attempt.
    public var retry: Double?

    /// Creates a notice.
    public init(id: Int, state: State) {
        self.id = id
        self.state = state
        available = []
    }
}
