import UndersongControl
import UndersongPlayerService
import UndersongPodcasts

/// Podcasts.
extension WireMethod {
    static let feeds: [WireMethod] = [
        WireMethod(ManageFeeds.self) { frontEnd, call, origin async throws(ServiceError) in
            guard let desk = frontEnd.player.podcasts else {
                throw ServiceError(.notPossible, "use podcasts", "this service has no network")
            }
            return try await call.perform(on: desk, origin)
        }
    ]
}

extension ManageFeeds {
    /// The seconds that reading all feeds may take when somebody waits for it.
    private static let patience = 60.0

    fileprivate func perform(
        on desk: FeedDesk, _ origin: WireMethod.Origin
    ) async throws(ServiceError) -> Reply {
        var reply = Reply()
        switch action {
        case .list: reply.feeds = try await desk.feeds().map { FeedStatus($0) }
        case .add:
            let (feed, report) = try await desk.add(
                required(url, "url", "add a feed"), policy(Feed.Policy()))
            reply = Reply(report)
            reply.feeds = [FeedStatus(feed)]
        case .set:
            let feed = try await desk.feed(required(feed, "feed", "change a feed"))
            reply.feeds = [FeedStatus(try await desk.set(feed, policy(feed.policy)))]
        case .remove:
            let feed = try await desk.feed(required(feed, "feed", "remove a feed"))
            reply.files = try await desk.remove(feed, deletesFiles: files ?? false)
            reply.feeds = [FeedStatus(feed)]
        case .refresh:
            var ids: [Int]?
            if let feed { ids = [try await desk.feed(feed).id] }
            reply = Reply(try await desk.refresh(ids, .command, within: Self.patience))
        case .episodes: try await list(desk, into: &reply)
        case .download:
            guard let episode else { throw missing("episode", "download an episode") }
            reply.episodes = [EpisodeStatus(try await desk.download(episode))]
        case .import:
            let purpose = "read the list of feeds"
            guard let list = try origin.nextFile(limit: Self.listLimit, to: purpose) else {
                throw ServiceError(
                    .invalidValue, purpose, "no descriptor came with the request")
            }
            let added = try await desk.importList(list, policy(Feed.Policy()))
            reply.feeds = added.map { FeedStatus($0) }
        case .export: reply.opml = try await desk.exportList()
        }
        return reply
    }

    private func list(_ desk: FeedDesk, into reply: inout Reply) async throws(ServiceError) {
        if let episode {
            let found = try await desk.episode(episode, to: "show episode \(episode)")
            reply.episodes = [EpisodeStatus(found)]
            return
        }
        var feeds = try await desk.feeds()
        if let feed { feeds = [try await desk.feed(feed)] }
        var episodes: [Episode] = []
        for feed in feeds { episodes += try await desk.episodes(of: feed.id) }
        if feeds.count > 1 { episodes.sort { $0.isNewer(than: $1) } }
        reply.count = episodes.count
        reply.episodes = episodes.prefix(Self.limit).map { EpisodeStatus($0) }
    }

    private func policy(_ old: Feed.Policy) throws(ServiceError) -> Feed.Policy {
        var policy = old
        if let auto {
            guard let automatic = Feed.Policy.Automatic(text: auto) else {
                throw ServiceError(
                    .invalidValue, "use '\(auto)'", "it is not one of newest:N, all, none")
            }
            policy.automatic = automatic
        }
        if let keep {
            guard keep >= 0 else {
                throw ServiceError(.invalidValue, "keep \(keep) episodes", "it is below 0")
            }
            policy.keep = keep == 0 ? .all : .latest(keep)
        }
        if let keepDays {
            guard keepDays > 0, keep == nil else {
                throw ServiceError(
                    .invalidValue, "keep episodes for \(keepDays) days",
                    keep == nil ? "it is below 1" : "'keep' is there as well")
            }
            policy.keep = .days(keepDays)
        }
        if let queue {
            guard let place = Feed.Policy.Place(rawValue: queue) else {
                throw ServiceError.unknown(
                    "place", queue, Feed.Policy.Place.allCases.map(\.rawValue))
            }
            policy.place = place
        }
        if let to {
            guard to.hasPrefix("/"), !to.utf8.contains(0) else {
                throw ServiceError(
                    .invalidValue, "use the folder \(to)", "it is not an absolute path")
            }
            policy.folder = to
        }
        return policy
    }

    private func required(
        _ text: String?, _ name: String, _ purpose: String
    ) throws(ServiceError) -> String {
        guard let text, !text.isEmpty else { throw missing(name, purpose) }
        return text
    }

    private func missing(_ name: String, _ purpose: String) -> ServiceError {
        ServiceError(.invalidValue, purpose, "'\(name)' is missing")
    }

}

extension ManageFeeds.Reply {
    fileprivate init(_ report: FeedReport) {
        self.init()
        result = report.result.rawValue
        new = report.newCount
        problems =
            report.failed.map { ManageFeeds.Problem(feed: $0.feed, reason: $0.reason) }
            + report.skipped.map {
                ManageFeeds.Problem(feed: $0.feed, reason: $0.reason, skipped: true)
            }
    }
}

extension FeedStatus {
    fileprivate init(_ feed: Feed) {
        self.init(
            id: feed.id, url: feed.url, auto: feed.policy.automatic.text,
            queue: feed.policy.place.rawValue)
        title = feed.title
        switch feed.policy.keep {
        case .all: break
        case .latest(let count): keep = count
        case .days(let count): keepDays = count
        }
        folder = feed.policy.folder
        result = feed.result?.rawValue
        problem = feed.problem
        gone = feed.isGone ? true : nil
    }
}

extension EpisodeStatus {
    fileprivate init(_ episode: Episode) {
        self.init(
            id: episode.id, feed: episode.feed, title: episode.title,
            state: episode.state.rawValue)
        published = episode.published
        duration = episode.duration
        path = episode.path
        url = episode.url
        type = episode.type
        task = episode.task
        problem = episode.problem
    }
}
