import UndersongBase
import UndersongPlayback
import UndersongPodcasts

/// The feeds and their episodes. Damaged rows count as missing.
struct FeedTable {
    let db: Database

    // MARK: Writing

    func write(_ feed: Feed) throws(SQLiteError) {
        try db.insert(
            into: "feeds", feed.id, feed.url, feed.title, feed.policy.auto.rawValue,
            feed.policy.keep.rawValue, feed.policy.queue.rawValue, feed.policy.folder, feed.etag,
            feed.modified, feed.notBefore, feed.nextDue, feed.timeToLive, Int(feed.skippedHours),
            Int(feed.skippedDays), feed.failures, feed.isGone, feed.result?.rawValue, feed.problem)
    }

    func write(_ episode: Episode) throws(SQLiteError) {
        try db.insert(
            into: "episodes", episode.id, episode.feed, episode.key, episode.title,
            episode.published, episode.url, episode.type, episode.duration,
            episode.state.rawValue, episode.path, episode.task, episode.problem)
    }

    func remove(feed id: Int) throws(SQLiteError) {
        try db.statement("DELETE FROM episodes WHERE feed = ?").run(id)
        try db.statement("DELETE FROM feeds WHERE id = ?").run(id)
    }

    func remove(episode id: Int) throws(SQLiteError) {
        try db.statement("DELETE FROM episodes WHERE id = ?").run(id)
    }

    // MARK: Reading

    func feeds() throws(SQLiteError) -> [Feed] {
        let row = try db.statement("SELECT * FROM feeds ORDER BY id")
        defer { row.rewind() }
        var feeds: [Feed] = []
        while try row.next() { if let feed = Self.feed(row) { feeds.append(feed) } }
        return feeds
    }

    func highestEpisode() throws(SQLiteError) -> Int {
        try db.value("SELECT max(id) FROM episodes") ?? 0
    }

    func episodes(of feed: Int) throws(SQLiteError) -> [Episode] {
        try episodes("SELECT * FROM episodes WHERE feed = ? ORDER BY id DESC", .integer(feed))
    }

    func episodes(in state: EpisodeState) throws(SQLiteError) -> [Episode] {
        try episodes(
            "SELECT * FROM episodes WHERE state = ? ORDER BY id DESC", .text(state.rawValue))
    }

    func episode(_ id: Int) throws(SQLiteError) -> Episode? {
        try episodes("SELECT * FROM episodes WHERE id = ?", .integer(id)).first
    }

    /// The feed with an episode that is this file or at this URL; nil if there is none.
    func feed(of path: FilePath) throws(SQLiteError) -> Int? {
        let row = try db.statement("SELECT * FROM episodes WHERE path = ?1 OR url = ?1")
        row.bind(path.description)
        defer { row.rewind() }
        while try row.next() { if let episode = Self.episode(row) { return episode.feed } }
        return nil
    }

    private func episodes(_ query: String, _ value: Cell) throws(SQLiteError) -> [Episode] {
        let row = try db.statement(query)
        row.bind([value])
        defer { row.rewind() }
        var episodes: [Episode] = []
        while try row.next() { if let episode = Self.episode(row) { episodes.append(episode) } }
        return episodes
    }

    // MARK: Rows

    /// The feed of a row; nil if the row is damaged.
    static func feed(_ row: Statement) -> Feed? {
        guard row.checksum != nil, let auto = Feed.Policy.Automatic(rawValue: row[3]),
            let keep = Feed.Policy.Keep(rawValue: row[4]),
            let queue = Feed.Policy.Place(rawValue: row[5])
        else { return nil }
        var feed = Feed(id: row[0], url: row[1])
        feed.title = row[2]
        (feed.policy.auto, feed.policy.keep) = (auto, keep)
        (feed.policy.queue, feed.policy.folder) = (queue, row[6])
        (feed.etag, feed.modified) = (row[7], row[8])
        (feed.notBefore, feed.nextDue, feed.timeToLive) = (row[9], row[10], row[11])
        feed.skippedHours = UInt32(truncatingIfNeeded: row[12] as Int)
        feed.skippedDays = UInt8(truncatingIfNeeded: row[13] as Int)
        (feed.failures, feed.isGone) = (row[14], row[15])
        feed.result = (row[16] as String?).flatMap { Feed.Result(rawValue: $0) }
        feed.problem = row[17]
        return feed
    }

    /// The episode of a row; nil if the row is damaged.
    static func episode(_ row: Statement) -> Episode? {
        guard row.checksum != nil, let state = EpisodeState(rawValue: row[8]) else { return nil }
        var episode = Episode(id: row[0], feed: row[1], key: row[2], title: row[3], state: state)
        (episode.published, episode.url, episode.type) = (row[4], row[5], row[6])
        (episode.duration, episode.path, episode.task) = (row[7], row[9], row[10])
        episode.problem = row[11]
        return episode
    }
}
