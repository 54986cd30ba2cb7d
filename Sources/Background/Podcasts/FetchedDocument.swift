package import UndersongBase

/// Asks `undersong-transferd` for a document, such as a feed, as it is now. With the request comes the
/// descriptor of an empty file, open for writing, into which the body of a status from 200 to 299 is
/// written. The request ends with the connection; a `DocumentFetched` reports its end. Sixteen run at
/// the same time, four of them to one host.
package struct FetchDocument: ControlCall, Hashable {
    /// The new request.
    package struct Reply: Codable, Hashable, Sendable {
        /// Identifies it; never reused.
        package var id: Int

        package init(id: Int) { self.id = id }
    }

    package static let method = "document.get"
    /// The maximum length of a document in bytes: 16 MiB.
    package static let limit: Int64 = 16 << 20
    /// The maximum time for all in seconds.
    package static let timeout = 30.0

    /// A URL of HTTP or HTTPS.
    package var url: String
    /// The value of `If-None-Match`.
    package var etag: String?
    /// The value of `If-Modified-Since`.
    package var modified: String?
    /// The maximum length of the body, after decompression; nil for `Self.limit`, which it cannot
    /// exceed.
    package var limit: Int64?

    package init(url: String, etag: String? = nil, modified: String? = nil) {
        self.url = url
        self.etag = etag
        self.modified = modified
    }
}

/// Gives up a request for a document.
package struct CancelDocument: ControlCall, Hashable {
    package typealias Reply = Nothing
    package static let method = "document.cancel"
    /// The request.
    package var id: Int

    package init(id: Int) { self.id = id }
}

/// The end of a request for a document.
package struct DocumentFetched: ControlNotice, Hashable {
    package static let method = "document.fetched"
    /// The request.
    package var id: Int
    package var answer: DocumentAnswer

    package init(id: Int, _ answer: DocumentAnswer) {
        self.id = id
        self.answer = answer
    }
}

/// A server's answer to a request for a document, without its body.
package struct DocumentAnswer: Codable, Hashable, Sendable {
    /// The reason there is no answer.
    package enum Failure: String, Codable, Hashable, Sendable, CaseIterable {
        case unreachable, certificate
        /// No byte came for 15 s, or it took more than 30 s.
        case timedOut = "timed-out"
        case tooLarge = "too-large"
        /// There were more than 20.
        case tooManyRedirects = "too-many-redirects"
        case unsupportedURL = "unsupported-url"
        /// The body cannot be written.
        case storage
    }

    /// The status code; nil if there is no answer.
    package var status: Int?
    /// The URL that has answered, after all redirects.
    package var url: String?
    /// The URL to which an unbroken chain of permanent redirects, 301 and 308, leads from the start;
    /// nil if it has not moved for good.
    package var movedTo: String?
    /// The entity tag, in the server's words.
    package var etag: String?
    /// The date of the last change, in the server's words.
    package var modified: String?
    /// The media type in lower case, without parameters.
    package var type: String?
    /// The character set that comes with the media type.
    package var charset: String?
    /// The value of `Cache-Control`.
    package var cacheControl: String?
    /// The seconds until the next request that the server asks for.
    package var retryAfter: Double?
    /// The bytes of the body that are in the file.
    package var length: Int64 = 0
    /// The reason there is no answer, for machines.
    package var failure: Open<Failure>?
    /// The reason there is no answer.
    package var reason: String?

    package init(status: Int? = nil) { self.status = status }
}
