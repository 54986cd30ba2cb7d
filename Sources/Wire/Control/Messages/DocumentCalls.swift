public import UndersongBase

/// Asks for a document, such as a feed, as it is now. With the request comes the descriptor of a
/// file, open for writing and empty, into which the body is written. This call and the next are
/// answered by `undersong-transferd`; the request ends with the connection. `DocumentFetched` reports
/// what has come of it.
public struct FetchDocument: ControlCall, Hashable {
    /// The new request.
    public struct Reply: Codable, Hashable, Sendable {
        /// Identifies it; never reused.
        public var id: Int

        /// Creates a reply.
        public init(id: Int) { self.id = id }
    }

    /// The name of the method.
    public static let method = "get"
    /// The maximum length of a document in bytes: 16 MiB.
    public static let limit: Int64 = 16 << 20
    /// The maximum time for all in seconds.
    public static let timeout = 30.0

    /// A URL of HTTP or HTTPS.
    public var url: String
    /// The value of `If-None-Match`.
    public var etag: String?
    /// The value of `If-Modified-Since`.
    public var modified: String?
    /// The maximum length of the body, after decompression; nil for `Self.limit`, which it cannot
    /// exceed.
    public var limit: Int64?

    /// Creates a request.
    public init(url: String) { self.url = url }
}

/// Gives up a request for a document.
public struct CancelDocument: ControlCall, Hashable {
    /// An empty reply.
    public typealias Reply = Nothing
    /// The name of the method.
    public static let method = "get.cancel"
    /// The request.
    public var id: Int

    /// Creates a request.
    public init(id: Int) { self.id = id }
}

/// A request for a document has ended.
public struct DocumentFetched: ControlNotice, Hashable {
    /// The name of the method.
    public static let method = "get.done"
    /// The request.
    public var id: Int
    /// The status code of the answer; nil if there is none.
    public var status: Int?
    /// The URL that has answered, after all redirects.
    public var url: String?
    /// The URL to which the requested one has moved for good, by permanent redirects only.
    public var moved: String?
    /// The entity tag, in the server's words.
    public var etag: String?
    /// The date of the last change, in the server's words.
    public var modified: String?
    /// The media type in lower case, without parameters.
    public var type: String?
    /// The character set that comes with the media type.
    public var charset: String?
    /// The value of `Cache-Control`.
    public var cacheControl: String?
    /// The seconds until the next request that the server asks for.
    public var retryAfter: Double?
    /// The bytes of the body that are in the file.
    public var length: Int64
    /// Why there is no answer, for machines.
    public var code: String?
    /// Why there is no answer.
    public var reason: String?

    /// Creates a notice.
    public init(id: Int) {
        self.id = id
        length = 0
    }
}

/// Deletes files that transfers have brought. Those that are not there any more count as deleted.
public struct DeleteFiles: ControlCall, Hashable {
    /// What is deleted.
    public struct Reply: Codable, Hashable, Sendable {
        /// The paths of the files that are not there any more.
        public var deleted: [String]

        /// Creates a reply.
        public init(deleted: [String]) { self.deleted = deleted }
    }

    /// The name of the method.
    public static let method = "files.delete"
    /// Absolute paths of files.
    public var paths: [String]

    /// Creates a request.
    public init(paths: [String]) { self.paths = paths }
}
