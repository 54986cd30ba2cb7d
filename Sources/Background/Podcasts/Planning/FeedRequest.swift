/// A request for a feed.
package struct FeedRequest: Hashable, Sendable {
    package var url: String
    /// The value of `If-None-Match`.
    package var etag: String?
    /// The value of `If-Modified-Since`.
    package var modified: String?

    package init(url: String, etag: String? = nil, modified: String? = nil) {
        self.url = url
        self.etag = etag
        self.modified = modified
    }
}

/// What has come of a request for a feed.
package struct FeedAnswer: Hashable, Sendable {
    /// The document of an answer with status 200.
    package enum Document: Hashable, Sendable {
        case feed(FeedHead)
        case refused(FeedError)
    }

    /// The status code; nil if no server has answered.
    package var status: Int?
    /// The URL to which the requested one has moved for good; nil if it has not.
    package var movedTo: String?
    package var etag: String?
    package var modified: String?
    package var cacheControl: String?
    /// The seconds until the next request that the server has asked for.
    package var retryAfter: Double?
    /// What was read; nil if there was no body to read.
    package var document: Document?
    /// The feeds that a web page names, if it was one.
    package var namedFeeds: [String] = []
    /// The length of the body, after decompression.
    package var bytes = 0
    /// Why there is no answer.
    package var problem: String?

    package init(status: Int?) { self.status = status }
}
