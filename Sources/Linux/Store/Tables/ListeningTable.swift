package import UndersongBase
import UndersongPlayback

/// Something that was heard.
package struct HistoryEntry: Hashable, Sendable {
    /// The file's path; `-` for the standard input.
    package var path: FilePath
    /// Its title; nil if unknown.
    package var title: String?
    /// When it began, in seconds since 1970.
    package var began: Double
    /// How many seconds of it were heard.
    package var seconds: Double
    /// Its artist and its album; nil if unknown.
    package var artist, album: String?
    /// Its length in seconds; nil if unknown, as of a stream.
    package var duration: Double?
    /// True for an item heard to its end, false for one left before; nil if unknown.
    package var isFinished: Bool?

    package init(path: FilePath, title: String? = nil, began: Double, seconds: Double) {
        self.path = path
        self.title = title
        self.began = began
        self.seconds = seconds
    }
}

/// How far files were heard, and the history.
struct ListeningTable {
    /// How many entries the history has at most.
    private static let historyLimit = 10_000

    static let schema = """
        -- How far files were heard, whether or not they are in the queue.
        CREATE TABLE positions (
            path TEXT PRIMARY KEY, seconds REAL NOT NULL, duration REAL NOT NULL,
            is_finished INTEGER NOT NULL, last_played REAL NOT NULL, checksum INTEGER NOT NULL);
        -- What was heard, and when.
        CREATE TABLE history (
            id INTEGER PRIMARY KEY, path TEXT NOT NULL, title TEXT, began REAL NOT NULL,
            seconds REAL NOT NULL, artist TEXT, album TEXT, duration REAL, is_finished INTEGER,
            checksum INTEGER NOT NULL);
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

    func add(_ entry: HistoryEntry) throws {
        let id = (try db.value("SELECT max(id) FROM history") ?? 0) + 1
        try db.insert(
            into: "history", id, entry.path, entry.title, entry.began, entry.seconds,
            entry.artist, entry.album, entry.duration, entry.isFinished)
        try db.statement("DELETE FROM history WHERE id <= ?").run(id - Self.historyLimit)
    }

    /// The undamaged entries, latest first, without `others` and at most `limit` of them.
    func history(without others: [HistoryEntry], limit: Int) throws -> [HistoryEntry] {
        let row = try db.statement("SELECT * FROM history ORDER BY id DESC")
        defer { row.rewind() }
        var entries: [HistoryEntry] = []
        while entries.count < limit, try row.next() {
            guard row.checksum != nil else { continue }
            var entry = HistoryEntry(path: row[1], title: row[2], began: row[3], seconds: row[4])
            (entry.artist, entry.album) = (row[5], row[6])
            (entry.duration, entry.isFinished) = (row[7], row[8])
            if !others.contains(entry) { entries.append(entry) }
        }
        return entries
    }
}
