/// A document that is wanted as it is now, whole and in memory, unlike a transfer.
package struct DocumentOrder: Sendable {
    package var url: String
    /// The value of `If-None-Match`.
    package var etag: String?
    /// The value of `If-Modified-Since`.
    package var modified: String?
    /// The maximum length in bytes, after decompression.
    package var limit: Int64
    /// Seconds after which it is given up, counted from the first request.
    package var timeout: Double
    /// The file for the body, open for writing; the engine closes it.
    package var file: Int32

    package init(url: String, limit: Int64, timeout: Double, file: Int32) {
        self.url = url
        self.limit = limit
        self.timeout = timeout
        self.file = file
    }
}

/// What has come of an order.
package struct DocumentAnswer: Hashable, Sendable {
    /// Why there is no answer.
    package enum Failure: String, Hashable, Sendable {
        case unreachable, certificate
        case timedOut = "timed-out"
        case tooLarge = "too-large"
        case tooManyRedirects = "too-many-redirects"
        case unsupportedURL = "unsupported-url"
        case storage
    }

    /// The status code; nil if there is no answer.
    package var status: Int?
    /// The URL that has answered, after all redirects.
    package var url: String?
    /// The URL to which the requested one has moved for good; nil if it has not.
    package var movedTo: String?
    package var etag: String?
    package var modified: String?
    package var type: String?
    package var charset: String?
    package var cacheControl: String?
    /// The seconds that the server asks to wait.
    package var retryAfter: Double?
    /// The bytes of the body that are in the file.
    package var length: Int64 = 0
    package var failure: Failure?
    /// Why there is no answer, for people.
    package var reason: String?

    package init() {}
}
