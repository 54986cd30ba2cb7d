public import UndersongBase

/// Podcasts: subscriptions, their episodes, and what is downloaded of them.
public struct ManageFeeds: ControlCall, Hashable {
    /// What to do.
    public enum Action: String, Codable, Sendable, CaseIterable {
        /// Report the feeds.
        case list
        /// Subscribe to the feed at `url`, after reading it.
        case add
        /// Change what happens with the episodes of `feed`.
        case set
        /// End the subscription to `feed`; files stay, unless `files` is true.
        case remove
        /// Read `feed`, or all feeds.
        case refresh
        /// Report `episode`, or the episodes of `feed` or of all feeds, latest first.
        case episodes
        /// Download `episode`.
        case download
        /// Subscribe to the feeds of a list, OPML, whose descriptor comes with the request.
        case `import`
        /// Report the feeds as such a list.
        case export
    }

    /// The reply, with what the action is about.
    public struct Reply: Codable, Hashable, Sendable {
        /// The feeds that are meant, added or changed.
        public var feeds: [FeedStatus]?
        /// The episodes that are meant.
        public var episodes: [EpisodeStatus]?
        /// How many episodes there are, if `episodes` is a part of them.
        public var count: Int?
        /// What reading has brought: `newData`, `noData` or `failed`.
        public var result: String?
        /// How many episodes are new.
        public var new: Int?
        /// Feeds that were not read, and why.
        public var problems: [Problem]?
        /// The paths of the files that stay of a feed that was removed.
        public var files: [String]?
        /// The list as a document.
        public var opml: String?

        /// Creates an empty reply.
        public init() {}
    }

    /// A feed that was not read.
    public struct Problem: Codable, Hashable, Sendable {
        /// The feed.
        public var feed: Int
        /// Why.
        public var reason: String
        /// Whether it was not tried, because it is not time for it.
        public var skipped: Bool?

        /// Creates a problem.
        public init(feed: Int, reason: String, skipped: Bool? = nil) {
            self.feed = feed
            self.reason = reason
            self.skipped = skipped
        }
    }

    /// The name of the method.
    public static let method = "feed"
    /// The maximum number of episodes in a reply.
    public static let limit = 500
    /// The maximum length of a list of feeds in bytes.
    public static let listLimit = 4 << 20

    /// What to do.
    public var action: Action
    /// The URL of a new feed.
    public var url: String?
    /// The number, URL or title of a feed.
    public var feed: String?
    /// The number of an episode.
    public var episode: Int?
    /// Which episodes are downloaded by themselves: `none`, `all`, or `newest:N`.
    public var auto: String?
    /// How many downloaded episodes stay after they were heard, the latest ones; 0 for all.
    public var keep: Int?
    /// For how many days an episode stays after it was heard, instead of `keep`.
    public var keepDays: Int?
    /// Where a downloaded episode joins the queue: `end`, `next` or `none`.
    public var queue: String?
    /// The absolute path of the folder for the files.
    public var to: String?
    /// Whether `remove` deletes the files as well.
    public var files: Bool?

    /// Creates a request.
    public init(_ action: Action) { self.action = action }
}

/// A feed, as it is now.
public struct FeedStatus: Codable, Hashable, Sendable {
    /// Identifies it.
    public var id: Int
    /// Where it is now.
    public var url: String
    /// Its title.
    public var title: String?
    /// Which episodes are downloaded by themselves.
    public var auto: String
    /// How many downloaded episodes stay after they were heard; nil for all.
    public var keep: Int?
    /// For how many days an episode stays after it was heard; nil for as long as `keep` says.
    public var keepDays: Int?
    /// Where a downloaded episode joins the queue.
    public var queue: String
    /// The folder for the files; nil for one with the feed's title among the others.
    public var folder: String?
    /// How the last refresh ended that changed anything.
    public var result: String?
    /// Why it failed.
    public var problem: String?
    /// Whether the server has said that it is gone.
    public var gone: Bool?

    /// Creates a status.
    public init(id: Int, url: String, auto: String, queue: String) {
        self.id = id
        self.url = url
        self.auto = auto
        self.queue = queue
    }
}

/// An episode, as it is now.
public struct EpisodeStatus: Codable, Hashable, Sendable {
    /// Identifies it.
    public var id: Int
    /// The feed.
    public var feed: Int
    /// Its title.
    public var title: String
    /// Seconds since 1970.
    public var published: Double?
    /// Seconds, as the feed says.
    public var duration: Double?
    /// `available`, `wanted`, `downloaded`, `failed`, `removed` or `notPlayable`.
    public var state: String
    /// The absolute path of the file: where it is to be, or where it is.
    public var path: String?
    /// The URL of the file.
    public var url: String?
    /// Its media type, as the feed says.
    public var type: String?
    /// The number of the transfer.
    public var task: Int?
    /// Why it could not be downloaded.
    public var problem: String?

    /// Creates a status.
    public init(id: Int, feed: Int, title: String, state: String) {
        self.id = id
        self.feed = feed
        self.title = title
        self.state = state
    }
}
