import UndersongBase
import UndersongPlayback

/// The resume points of files, and the history.
struct ListeningTable {
    /// The maximum number of entries in the history.
    private static let historyLimit = 10_000

    static let schema = """
        -- How far files were heard, whether or not they are in the queue.
        CREATE TABLE positions (
            path TEXT PRIMARY KEY, seconds REAL NOT NULL, duration REAL NOT NULL,
            is_finished INTEGER NOT NULL, last_played REAL NOT NULL, checksum INTEGER NOT NULL);
        -- What was heard, and when, as JSON.
        CREATE TABLE history (
            id INTEGER PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL);
        """

    let db: Database

    func write(_ position: ResumePoint, of path: FilePath) throws {
        try db.insert(
            into: "positions", path, position.seconds, position.duration, position.isFinished,
            position.lastPlayed)
    }

    /// Nil if there is none or its row is damaged.
    func position(of path: FilePath) throws -> ResumePoint? {
        let row = try db.statement("SELECT * FROM positions WHERE path = ?")
        row.bind(path)
        defer { row.rewind() }
        guard try row.next(), row.checksum != nil else { return nil }
        return ResumePoint(
            seconds: row[1], duration: row[2], isFinished: row[3], lastPlayed: row[4])
    }

    func add(_ entry: PlayedEntry) throws {
        let id = (try db.value("SELECT max(id) FROM history") ?? 0) + 1
        try db.insert(into: "history", id, StoredValue(entry))
        try db.statement("DELETE FROM history WHERE id <= ?").run(id - Self.historyLimit)
    }

    /// The undamaged entries, latest first, without `others` and at most `limit` of them.
    func history(without others: [PlayedEntry], limit: Int) throws -> [PlayedEntry] {
        let row = try db.statement("SELECT * FROM history ORDER BY id DESC")
        defer { row.rewind() }
        var entries: [PlayedEntry] = []
        while entries.count < limit, try row.next() {
            guard row.checksum != nil, let entry = (row[1] as StoredValue<PlayedEntry>).value,
                !others.contains(entry)
            else { continue }
            entries.append(entry)
        }
        return entries
    }
}
