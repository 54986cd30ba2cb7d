public import FoundationEssentials
public import Playback

/// Asks what was heard, the last first.
public struct GetHistory: ControlCall {
    /// What was heard.
    public struct Reply: Codable, Hashable, Sendable {
        /// The last first.
        public var entries: [PlayedEntry]

        /// Makes an answer.
        public init(entries: [PlayedEntry]) { self.entries = entries }
    }

    /// So many entries one answer has at most.
    public static let limit = 1000
    /// What it is called on the wire.
    public static let method = "history"
    /// So many entries at most, 1000 at most.
    public var limit: Int

    /// Asks.
    public init(limit: Int) { self.limit = limit }
}

/// Something that was heard.
public struct PlayedEntry: Codable, Hashable, Sendable {
    /// The file's path, `-` for a stream; bytes that are not UTF-8 as `\xe9`.
    public var path: String
    /// The path's bytes where they are not UTF-8.
    public var pathBytes: Data?
    /// Its title, by its tag or its file's name.
    public var title: String
    /// When it began to be heard, in seconds since 1970.
    public var began: Double
    /// How many seconds of it were heard.
    public var seconds: Double

    /// Makes an entry.
    public init(path: FilePath, title: String, began: Double, seconds: Double) {
        self.path = path.description
        pathBytes = path.exactBytes
        self.title = title
        self.began = began
        self.seconds = seconds
    }
}
