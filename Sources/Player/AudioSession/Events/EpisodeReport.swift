/// What has become of an episode of a podcast.
public struct EpisodeReport: Hashable, Sendable {
    /// The episode.
    public var episode: Int
    /// The feed.
    public var feed: Int
    /// The podcast's title, or the feed's URL.
    public var podcast: String
    /// The episode's title.
    public var title: String
    /// What has happened: `available` when it was found, `wanted` when its download begins,
    /// `downloaded`, `failed`, `removed` or `notPlayable`.
    public var state: String
    /// The absolute path of the file: where it is to be, or where it is.
    public var path: String?
    /// Why it could not be downloaded.
    public var reason: String?

    /// Creates a report.
    public init(
        episode: Int, feed: Int, podcast: String, title: String, state: String,
        path: String? = nil, reason: String? = nil
    ) {
        self.episode = episode
        self.feed = feed
        self.podcast = podcast
        self.title = title
        self.state = state
        self.path = path
        self.reason = reason
    }
}
