import Glibc
package import UndersongAudioSession
package import UndersongBase
import UndersongPlayback
package import UndersongPodcasts
package import UndersongStore

/// Podcasts as use cases: subscriptions, refreshing, downloads, and the files that stay. What is
/// decided is in the module `Podcasts`. Runs on the session's executor; nothing of the episodes is in
/// memory between two calls.
package actor FeedDesk {
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe session.executor.asUnownedSerialExecutor()
    }

    /// What a desk is made with.
    package struct Configuration: Sendable {
        /// The way to the network.
        package var network: any FeedNetwork
        /// What can be played.
        package var playability: Playability
        /// The folder with the folders of feeds that have none of their own; nil if there is none.
        package var folder: String?
        /// The character for each byte of a single-byte set; see `FeedReader.init`.
        package var characters: @Sendable (String) -> [Int32]?

        package init(
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
    /// When feeds were last read, in seconds since 1970, by their ids.
    var lastReads: [Int: Double] = [:]
    /// Feeds that are being read.
    var refreshing: Set<Int> = []
    /// Episodes whose transfers are being begun.
    var beginning: Set<Int> = []
    /// The delays before attempts to follow them.
    var followDelays = Backoff(seconds: 1...60)
    var followTimer: HostTimer?

    package init(
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

    /// All feeds. Errors: they cannot be read.
    package func feeds() async throws(ServiceError) -> [Feed] {
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

    /// The feed with this number, URL or title. Errors: there is none, or more than one.
    package func feed(_ name: String) async throws(ServiceError) -> Feed {
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

    /// The episodes of a feed, latest first. Errors: they cannot be read.
    package func episodes(of feed: Int) async throws(ServiceError) -> [Episode] {
        try await trying { () async throws(QueueError) in try await store.episodes(of: feed) }
            .sorted { $0.isNewer(than: $1) }
    }

    /// The episodes of a feed, of all feeds for nil, latest first. Errors: there is no such feed, or
    /// they cannot be read.
    package func episodes(ofFeed name: String?) async throws(ServiceError) -> [Episode] {
        var episodes: [Episode] = []
        if let name { return try await self.episodes(of: feed(name).id) }
        for feed in try await feeds() { episodes += try await self.episodes(of: feed.id) }
        return episodes.sorted { $0.isNewer(than: $1) }
    }

    /// The episode with this number. Errors: there is none, which keeps from doing `purpose`.
    package func episode(
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

    func report(_ episode: Episode) async {
        await session.report(.episode(EpisodeReport(episode, of: current(episode.feed))))
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
    nonisolated func post(_ work: @escaping @Sendable (isolated FeedDesk) async -> Void) {
        Task(executorPreference: session.executor) { await work(self) }
    }

    var now: Double { clock.secondsSinceEpoch }
}
