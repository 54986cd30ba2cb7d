public import UndersongBase

/// Requests the playback history, latest first.
public struct GetHistory: ControlCall {
    /// The history.
    public struct Reply: Codable, Hashable, Sendable {
        /// The entries, latest first.
        public var entries: [PlayedEntry]

        /// Creates a reply.
        public init(entries: [PlayedEntry]) { self.entries = entries }
    }

    /// The maximum number of entries in a reply.
    public static let limit = 1000
    /// The name of the method.
    public static let method = "history.list"
    /// The number of entries requested, at most 1000.
    public var limit: Int

    /// Creates a request.
    public init(limit: Int) { self.limit = limit }
}

/// An entry of the playback history.
public struct PlayedEntry: Codable, Hashable, Sendable {
    /// The file's path, `-` for a stream; bytes that are not UTF-8 are written as `\xe9`.
    public var path: String
    /// The path's bytes, if they are not UTF-8.
    public var pathBytes: Base64?
    /// The title from the file's tag, or else the file's name.
    public var title: String
    /// The time at which playback began, in seconds since 1970.
    public var began: Double
    /// The number of seconds heard.
    public var seconds: Double
    /// The artist from the file's tag; nil if unknown.
    public var artist: String?
    /// The album from the file's tag; nil if unknown.
    public var album: String?
    /// The length in seconds; nil if unknown, as of a stream.
    public var duration: Double?
    /// True if it was heard to its end; nil if unknown.
    public var finished: Bool?

    /// Creates an entry.
    public init(path: FilePath, title: String, began: Double, seconds: Double) {
        self.path = path.description
        pathBytes = path.exactBytes
        self.title = title
        self.began = began
        self.seconds = seconds
    }
}
