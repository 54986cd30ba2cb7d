/// The redirects that a request has followed, and what they say about its URL.
package struct RedirectChain: Hashable, Sendable {
    /// The reason a redirect is not followed.
    package enum Refusal: Hashable, Sendable {
        case tooMany
        /// It leads to something other than a URL of HTTP or HTTPS.
        case unsupportedURL
    }

    /// The maximum number of redirects that are followed.
    package static let limit = 20

    /// The URL to request now.
    package private(set) var url: String
    /// The URL to which the first one has moved for good, by an unbroken chain of permanent
    /// redirects from the start; nil if it has not.
    package private(set) var movedTo: String?
    private var isPermanent = true
    private var count = 0

    package init(url: String) { self.url = url }

    /// Returns true if a response with this status leads elsewhere.
    package static func isRedirect(_ status: Int) -> Bool {
        [301, 302, 303, 307, 308].contains(status)
    }

    /// Follows a redirect to `url`, which is absolute. Returns why not, or nil.
    package mutating func follow(_ status: Int, to url: String) -> Refusal? {
        guard TransferURL(url) != nil else { return .unsupportedURL }
        count += 1
        guard count <= Self.limit else { return .tooMany }
        self.url = url
        isPermanent = isPermanent && (status == 301 || status == 308)
        if isPermanent { movedTo = url }
        return nil
    }
}
