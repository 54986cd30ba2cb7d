package import UndersongPlayback
package import UndersongPodcasts

/// A change of the podcasts that is written at once, all or nothing.
package struct FeedChange: Hashable, Sendable {
    package var feeds: [Feed] = []
    package var episodes: [Episode] = []
    package var removedFeeds: [Int] = []
    package var removedEpisodes: [Int] = []

    package init(feeds: [Feed] = [], episodes: [Episode] = []) {
        self.feeds = feeds
        self.episodes = episodes
    }

    package var isEmpty: Bool { self == FeedChange() }
}

/// Podcasts. Nothing of them is in memory.
extension StateStore {
    private static let reading = "read the podcasts"
    private static let namespace = "feeds"

    /// All feeds in the order in which they were added, and the highest id of an episode.
    ///
    /// - Throws: An error if they cannot be read.
    package func feeds() async throws(QueueError) -> (feeds: [Feed], highestEpisode: Int) {
        let feeds = try await readRecords(Feed.self, in: Self.namespace).map(\.value)
        let highest = try await ask(Self.reading) { keeper throws(StoreTrouble) in
            try keeper.attempt { try EpisodeTable(db: $0.database).highestID() }
        }
        return (feeds, highest)
    }

    /// The episodes of a feed, those that were found last first.
    ///
    /// - Throws: An error if they cannot be read.
    package func episodes(of feed: Int) async throws(QueueError) -> [Episode] {
        try await ask(Self.reading) { keeper throws(StoreTrouble) in
            try keeper.attempt { try EpisodeTable(db: $0.database).episodes(of: feed) }
        }
    }

    /// The episodes of all feeds in a state.
    ///
    /// - Throws: An error if they cannot be read.
    package func episodes(in state: EpisodeState) async throws(QueueError) -> [Episode] {
        try await ask(Self.reading) { keeper throws(StoreTrouble) in
            try keeper.attempt { try EpisodeTable(db: $0.database).episodes(in: state) }
        }
    }

    /// An episode; nil if there is none with this id.
    ///
    /// - Throws: An error if it cannot be read.
    package func episode(_ id: Int) async throws(QueueError) -> Episode? {
        try await ask(Self.reading) { keeper throws(StoreTrouble) in
            try keeper.attempt { try EpisodeTable(db: $0.database).episode(id) }
        }
    }

    /// Makes a change durable; an empty one writes nothing.
    ///
    /// - Throws: An error if nothing was written.
    package func save(_ change: FeedChange) async throws(QueueError) {
        guard !change.isEmpty else { return }
        try await ask("keep the podcasts") { keeper throws(StoreTrouble) in
            try keeper.attempt { file in
                try file.write { db in
                    let (records, episodes) = (RecordTable(db: db), EpisodeTable(db: db))
                    for id in change.removedFeeds {
                        try episodes.removeAll(of: id)
                        try records.write(
                            .remove(namespace: Self.namespace, key: RecordChange.key(id)))
                    }
                    for id in change.removedEpisodes { try episodes.remove(id) }
                    for feed in change.feeds {
                        try records.write(
                            .keep(feed, in: Self.namespace, as: RecordChange.key(feed.id)))
                    }
                    for episode in change.episodes { try episodes.write(episode) }
                }
            }
        }
    }
}
