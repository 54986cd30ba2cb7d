import Glibc
import UndersongAudioSession
import UndersongBase
import UndersongPlayback
import UndersongPodcasts
import UndersongStore

/// Podcasts as use cases: subscriptions, refreshing, downloads, and the files that stay. What is
/// decided is in the module `Podcasts`. Runs on the session's executor; nothing of the episodes is in
/// memory between two calls.
actor PodcastLibrary {
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe session.executor.asUnownedSerialExecutor()
    }

    /// The surroundings of a library.
    struct Configuration: Sendable {
        /// The way to the network.
        var network: any FeedNetwork
        /// The files that can be played.
        var playability: Playability
        /// The folder with the folders of feeds that have none of their own; nil if there is none.
        var folder: String?
        /// The character for each byte of a single-byte set; see `FeedReader.init`.
        var characters: @Sendable (String) -> [Int32]?

        init(
            network: any FeedNetwork, playability: Playability, folder: String?,
            characters: @escaping @Sendable (String) -> [Int32]?
        ) {
            self.network = network
            self.playability = playability
            self.folder = folder
            self.characters = characters
        }
    }

    nonisolated let session: AudioSession
    let configuration: Configuration
    let store: StateStore
    let clock: any HostClock
    let plan: EpisodePlan
    /// In the order in which they were added; nil until they were read.
    var known: [Feed]?
    var lastEpisode = 0
    /// The times at which feeds were last read, in seconds since 1970, by their ids.
    var lastReads: [Int: Double] = [:]
    /// Feeds that are being read.
    var refreshing: Set<Int> = []
    /// Episodes whose transfers are being begun.
    var beginning: Set<Int> = []
    /// The number of times that transfers were followed.
    var followCount = 0
    /// The delays before attempts to follow them.
    var followDelays = Backoff(seconds: 1...60)
    var followTimer: HostTimer?

    init(
        _ configuration: Configuration, session: AudioSession, store: StateStore,
        clock: any HostClock
    ) {
        self.configuration = configuration
        self.session = session
        self.store = store
        self.clock = clock
        plan = EpisodePlan(configuration.playability)
    }

    // MARK: Reading

    /// All feeds.
    ///
    /// - Throws: They cannot be read.
    func feeds() async throws(ServiceError) -> [Feed] {
        if let known { return known }
        let (feeds, highest) = try await trying { () async throws(QueueError) in
            try await store.feeds()
        }
        // Another call may have read them meanwhile.
        if let known { return known }
        lastEpisode = highest
        known = feeds
        return feeds
    }

    /// The feed with this number, URL or title.
    ///
    /// - Throws: There is none, or more than one.
    func feed(_ name: String) async throws(ServiceError) -> Feed {
        let feeds = try await feeds()
        if let found = feeds.first(where: { String($0.id) == name || $0.url == name }) {
            return found
        }
        let titled = feeds.filter { $0.title?.lowercased() == name.lowercased() }
        guard let first = titled.first else {
            throw ServiceError(.notFound, "find the feed \(name)", "there is no such feed")
        }
        guard titled.count == 1 else {
            throw ServiceError(
                .notFound, "find the feed \(name)", "\(titled.count) feeds have that title")
        }
        return first
    }

    /// The episodes of a feed, latest first.
    ///
    /// - Throws: They cannot be read.
    func episodes(of feed: Int) async throws(ServiceError) -> [Episode] {
        try await trying { () async throws(QueueError) in try await store.episodes(of: feed) }
            .sorted { $0.isNewer(than: $1) }
    }

    /// The episodes of a feed, of all feeds for nil, latest first.
    ///
    /// - Throws: There is no such feed, or they cannot be read.
    func episodes(ofFeed name: String?) async throws(ServiceError) -> [Episode] {
        var episodes: [Episode] = []
        if let name { return try await self.episodes(of: feed(name).id) }
        for feed in try await feeds() { episodes += try await self.episodes(of: feed.id) }
        return episodes.sorted { $0.isNewer(than: $1) }
    }

    /// The episode with this number.
    ///
    /// - Throws: There is none, which keeps from doing `purpose`.
    func episode(
        _ id: Int, to purpose: String
    ) async throws(ServiceError) -> Episode {
        let found = try await trying { () async throws(QueueError) in try await store.episode(id) }
        guard let found else { throw ServiceError(.notFound, purpose, "there is no such episode") }
        return found
    }

    // MARK: Helpers for the extensions

    func save(_ change: FeedChange) async throws(ServiceError) {
        try await trying { () async throws(QueueError) in try await store.save(change) }
    }

    /// Puts a feed in the place of the one with its id, if that is still there.
    func replace(_ feed: Feed) {
        guard let index = known?.firstIndex(where: { $0.id == feed.id }) else { return }
        known?[index] = feed
    }

    func current(_ id: Int) -> Feed? { known?.first { $0.id == id } }

    func report(_ episode: Episode, isNew: Bool = false) async {
        let report = EpisodeReport(episode, of: current(episode.feed), isNew: isNew)
        await session.report(.episode(report))
    }

    func trying<T: Sendable>(
        _ body: () async throws(QueueError) -> T
    ) async throws(ServiceError) -> T {
        do throws(QueueError) {
            return try await body()
        } catch {
            throw ServiceError(.notPossible, error.operation, error.reason)
        }
    }

    /// Runs `work` here. May be called on any thread.
    nonisolated func post(_ work: @escaping @Sendable (isolated PodcastLibrary) async -> Void) {
        Task(executorPreference: session.executor) { await work(self) }
    }

    var now: Double { clock.secondsSinceEpoch }
}

/// Subscriptions.
extension PodcastLibrary {
    /// Subscribes to a feed, after reading it, and begins the downloads that its policy asks
    /// for. Of a web page that names one feed it is that feed.
    ///
    /// - Throws: It is not a feed or cannot be had, or is there already.
    func add(
        _ url: String, _ policy: Feed.Policy
    ) async throws(ServiceError) -> (feed: Feed, report: FeedReport) {
        let purpose = "add the feed \(url)"
        try await check(url, policy, purpose)
        var draft = Feed(id: 0, url: url)
        draft.policy = policy
        var plan = FeedPlan(draft)
        var response = await fetch(plan.request, within: Self.timeout)
        let named = response.namedFeeds
        if named.count > 1 {
            throw ServiceError(
                .notPossible, purpose,
                "it is a web page with several feeds: \(named.joined(separator: " "))")
        }
        if let feed = named.first {
            try await check(feed, policy, purpose)
            draft.url = feed
            plan = FeedPlan(draft)
            response = await fetch(plan.request, within: Self.timeout)
        }
        guard plan.judge(response, newCount: response.entries.count, at: now) != .failed
        else {
            throw ServiceError(.notPossible, purpose, plan.feed.problem ?? "it cannot be read")
        }
        // It may have been added meanwhile, or lead to one that is there.
        try await check(plan.feed.url, policy, purpose)
        let feed = Feed(plan.feed, id: nextFeedID)
        try await save(FeedChange(feeds: [feed]))
        known?.append(feed)
        var report = FeedReport()
        await apply(response, of: feed.id, isBackground: false, into: &report)
        return (current(feed.id) ?? feed, report)
    }

    /// Subscribes to the feeds of a list that are not there yet, without reading them. Returns
    /// them.
    ///
    /// - Throws: It is not a list of feeds.
    func importList(
        _ bytes: [UInt8], _ policy: Feed.Policy
    ) async throws(ServiceError) -> [Feed] {
        let list: OPML
        do throws(FeedError) {
            list = try OPML(bytes, characters: configuration.characters)
        } catch {
            throw ServiceError(.invalidValue, "read the list of feeds", error.reason)
        }
        let urls = Set(try await feeds().map(\.url))
        var added: [Feed] = []
        for outline in list.outlines where !urls.contains(outline.url) {
            var feed = Feed(id: nextFeedID + added.count, url: outline.url)
            feed.title = outline.title
            feed.policy = policy
            added.append(feed)
        }
        try await save(FeedChange(feeds: added))
        known? += added
        return added
    }

    /// The feeds as a list for other programs.
    func exportList() async throws(ServiceError) -> String {
        OPML(try await feeds().map { OPML.Outline(url: $0.url, title: $0.title) }).text
    }

    /// Changes what happens with the episodes of a feed from now on.
    func set(_ feed: Feed, _ policy: Feed.Policy) async throws(ServiceError) -> Feed {
        var changed = current(feed.id) ?? feed
        changed.policy = policy
        try await save(FeedChange(feeds: [changed]))
        replace(changed)
        await removeSurplus(of: [feed.id])
        return changed
    }

    /// Ends a subscription, and what is being downloaded of it. Files that were downloaded stay, or
    /// with `deletesFiles` are deleted, except that of the current item. Returns the paths of the files
    /// that stay.
    @discardableResult
    func remove(
        _ feed: Feed, deletesFiles: Bool = false
    ) async throws(ServiceError) -> [String] {
        let episodes = try await episodes(of: feed.id)
        var left = episodes.filter { $0.state == .downloaded }.compactMap(\.path)
        if deletesFiles { left = try await deleteFiles(of: feed.id) }
        var change = FeedChange()
        change.removedFeeds = [feed.id]
        try await save(change)
        known?.removeAll { $0.id == feed.id }
        lastReads[feed.id] = nil
        await configuration.network.cancel(
            episodes.filter { $0.state == .wanted }.compactMap(\.task))
        await leaveIfDone()
        return left
    }

    private var nextFeedID: Int { (known?.map(\.id).max() ?? 0) + 1 }

    private func check(
        _ url: String, _ policy: Feed.Policy, _ purpose: String
    ) async throws(ServiceError) {
        if let other = try await feeds().first(where: { $0.url == url }) {
            throw ServiceError(.notPossible, purpose, "it exists already, as feed \(other.id)")
        }
        guard policy.folder ?? configuration.folder != nil else {
            throw ServiceError(.notPossible, purpose, "there is no folder for its files")
        }
    }
}

extension Feed {
    fileprivate init(_ feed: Feed, id: Int) {
        self = feed
        self.id = id
    }
}
