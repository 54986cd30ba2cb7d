import UndersongBase

/// Asks for all feeds.
package struct ListFeeds: ControlCall, Hashable {
    package typealias Reply = FeedList
    package static let method = "feed.list"

    package init() {}
}

/// A list of feeds, or a part of it.
package struct FeedList: Codable, Hashable, Sendable {
    package var feeds: [Feed]

    package init(_ feeds: [Feed]) { self.feeds = feeds }
}

/// Subscribes to a feed, after reading it, and begins the downloads that its policy asks for. The URL
/// may be that of a web page that names one feed.
package struct AddFeed: ControlCall, Hashable {
    /// The new feed.
    package struct Reply: Codable, Hashable, Sendable {
        package var feed: Feed
        /// The result of reading it.
        package var report: FeedReport

        package init(feed: Feed, report: FeedReport) {
            self.feed = feed
            self.report = report
        }
    }

    package static let method = "feed.add"
    package var url: String
    /// The differences between its policy and that of new feeds.
    package var policy: Feed.Policy.Change

    package init(url: String, policy: Feed.Policy.Change) {
        self.url = url
        self.policy = policy
    }
}

/// Changes what happens with the episodes of a feed from now on.
package struct SetFeed: ControlCall, Hashable {
    package typealias Reply = Feed
    package static let method = "feed.set"
    /// The number, URL or title of a feed.
    package var feed: String
    package var policy: Feed.Policy.Change

    package init(feed: String, policy: Feed.Policy.Change) {
        self.feed = feed
        self.policy = policy
    }
}

/// Ends a subscription, and what is being downloaded of it.
package struct RemoveFeed: ControlCall, Hashable {
    /// The feed that was removed, and the files that stay.
    package struct Reply: Codable, Hashable, Sendable {
        package var feed: Feed
        /// The paths of the files that stay.
        package var files: [String]

        package init(feed: Feed, files: [String]) {
            self.feed = feed
            self.files = files
        }
    }

    package static let method = "feed.remove"
    /// The number, URL or title of a feed.
    package var feed: String
    /// True to delete the files that were downloaded, except that of the current item.
    package var deletesFiles: Bool

    package init(feed: String, deletesFiles: Bool) {
        self.feed = feed
        self.deletesFiles = deletesFiles
    }
}

/// Looks for new episodes. It takes a minute at most.
package struct RefreshFeeds: ControlCall, Hashable {
    package typealias Reply = FeedReport
    package static let method = "feed.refresh"
    /// The number, URL or title of a feed; nil for all feeds.
    package var feed: String?

    package init(feed: String?) { self.feed = feed }
}

/// Asks for episodes, latest first.
package struct ListEpisodes: ControlCall, Hashable {
    /// The latest episodes.
    package struct Reply: Codable, Hashable, Sendable {
        package var episodes: [Episode]
        /// The number of all episodes.
        package var count: Int

        /// The first ones of `all`.
        package init(_ all: [Episode]) {
            episodes = Array(all.prefix(ListEpisodes.limit))
            count = all.count
        }
    }

    package static let method = "feed.episodes"
    /// The maximum number of episodes in a reply.
    package static let limit = 500
    /// The number, URL or title of a feed; nil for all feeds.
    package var feed: String?

    package init(feed: String?) { self.feed = feed }
}

/// Asks for an episode.
package struct ShowEpisode: ControlCall, Hashable {
    package typealias Reply = Episode
    package static let method = "episode.show"
    package var episode: Int

    package init(_ episode: Int) { self.episode = episode }
}

/// Downloads an episode, also one that was removed or has failed.
package struct DownloadEpisode: ControlCall, Hashable {
    package typealias Reply = Episode
    package static let method = "episode.download"
    package var episode: Int

    package init(_ episode: Int) { self.episode = episode }
}

/// Subscribes to the feeds of a list, OPML, whose descriptor comes with the request, without reading
/// them. The reply has those that were not there yet.
package struct ImportFeeds: ControlCall, Hashable {
    package typealias Reply = FeedList
    package static let method = "feed.import"
    /// The maximum length of a list in bytes.
    package static let limit = 4 << 20
    /// The differences between their policies and that of new feeds.
    package var policy: Feed.Policy.Change

    package init(policy: Feed.Policy.Change) { self.policy = policy }
}

/// Asks for the feeds as a list for other programs.
package struct ExportFeeds: ControlCall, Hashable {
    package struct Reply: Codable, Hashable, Sendable {
        /// The document.
        package var opml: String

        package init(opml: String) { self.opml = opml }
    }

    package static let method = "feed.export"

    package init() {}
}

/// The result of reading feeds.
package struct FeedReport: Codable, Hashable, Sendable {
    /// A feed that could not be read, or was not.
    package struct Problem: Codable, Hashable, Sendable {
        package var feed: Int
        package var reason: String
    }

    /// New data if there is a new episode; failed if there is none and a feed could not be read.
    package private(set) var result = Feed.Result.noData
    /// The number of new episodes.
    package private(set) var new = 0
    /// The time at which the latest new episode was published, in seconds since 1970; nil if that
    /// is unknown.
    package private(set) var published: Double?
    /// The time at which a new episode without a credible date had not been there yet, in seconds
    /// since 1970; nil if there is none, or if that is unknown.
    package private(set) var unseenSince: Double?
    /// The number of feeds that were read.
    package var read = 0
    /// The bytes that were read of them, after decompression.
    package var bytes = 0
    package private(set) var failed: [Problem] = []
    /// Feeds for which it is not time yet, or for which there was no time.
    package private(set) var skipped: [Problem] = []

    package init() {}

    /// Counts new episodes of a feed that was last read at `lastRead`; nil if that is unknown. A date
    /// before that is not when an episode appeared.
    package mutating func count(_ new: some Sequence<Episode>, lastRead: Double?) {
        for episode in new {
            self.new += 1
            result = .newData
            if let date = episode.published, date > lastRead ?? -.infinity {
                published = max(date, published ?? date)
            } else if let lastRead {
                unseenSince = max(lastRead, unseenSince ?? lastRead)
            }
        }
    }

    package mutating func fail(_ feed: Int, _ reason: String) {
        failed.append(Problem(feed: feed, reason: reason))
        if new == 0 { result = .failed }
    }

    package mutating func skip(_ feed: Int, _ reason: String) {
        skipped.append(Problem(feed: feed, reason: reason))
    }
}
