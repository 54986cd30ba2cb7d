import UndersongBase
import UndersongPlayback
import UndersongPodcasts

/// The episodes of feeds. Damaged rows count as missing.
struct EpisodeTable {
    /// Times are seconds since 1970.
    static let schema = """
        CREATE TABLE episodes (
            id INTEGER PRIMARY KEY, feed INTEGER NOT NULL, key TEXT NOT NULL, title TEXT NOT NULL,
            published REAL, url TEXT, type TEXT, duration REAL, state TEXT NOT NULL, path TEXT,
            task INTEGER, problem TEXT, checksum INTEGER NOT NULL);
        CREATE INDEX episodes_feed ON episodes (feed);
        CREATE INDEX episodes_state ON episodes (state);
        CREATE INDEX episodes_path ON episodes (path);
        CREATE INDEX episodes_url ON episodes (url);
        """

    let db: Database

    // MARK: Writing

    func write(_ episode: Episode) throws(SQLiteError) {
        try db.insert(
            into: "episodes", episode.id, episode.feed, episode.key, episode.title,
            episode.published, episode.url, episode.type, episode.duration,
            episode.state.rawValue, episode.path, episode.task, episode.problem)
    }

    func removeAll(of feed: Int) throws(SQLiteError) {
        try db.statement("DELETE FROM episodes WHERE feed = ?").run(feed)
    }

    func remove(_ id: Int) throws(SQLiteError) {
        try db.statement("DELETE FROM episodes WHERE id = ?").run(id)
    }

    // MARK: Reading

    func highestID() throws(SQLiteError) -> Int {
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
