/// A feed's description of itself.
package struct FeedHead: Hashable, Sendable {
    package var title: String?
    /// The web page.
    package var link: String?
    /// Minutes for which it may be kept without asking again.
    package var minutesToLive: Double?
    /// The hours of the day, in UTC, at which it is not to be read: a bit each.
    package var skippedHours: UInt32 = 0
    /// The days of the week, from Sunday on, on which it is not to be read: a bit each.
    package var skippedDays: UInt8 = 0
    /// The URL from which the feed is to be read from now on.
    package var newURL: String?

    package init() {}
}

/// A file of an entry.
package struct Enclosure: Hashable, Sendable {
    package var url: String
    /// The media type in lower case, without parameters; nil if unknown.
    package var type: String?
    /// The length in bytes that the feed claims, which may be anything.
    package var length: Int64?

    package init(url: String, type: String? = nil, length: Int64? = nil) {
        self.url = url
        self.type = type
        self.length = length
    }
}

/// An entry of a feed.
package struct FeedEntry: Hashable, Sendable {
    package var guid: String?
    package var title: String?
    /// The time of publication, in seconds since 1970.
    package var published: Double?
    package var link: String?
    package var enclosures: [Enclosure] = []
    /// The duration in seconds.
    package var duration: Double?

    package init() {}

    /// The key that makes it the same entry in another answer: its identifier, else the URL of its
    /// file, else its title and date. Nil if it has none of them.
    package var key: String? {
        if let guid { return "id " + guid }
        if let url = enclosures.first?.url { return "url " + url }
        guard let title else { return nil }
        return "title " + title + (published.map { " \($0)" } ?? "")
    }
}

/// The reason something is not a feed.
package struct FeedError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable {
        /// It is a web page, such as the one with which a network asks for a login.
        case webPage
        /// It is XML of another kind, or none.
        case notFeed
        /// It does not end, or is damaged in between.
        case damaged
        /// It is too long, or nested too deeply.
        case tooLarge
        /// It declares entities that stand for others.
        case entities
    }

    package let code: Code
    /// The reason: `It is a web page`
    package let reason: String

    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    package var description: String { reason }
}
