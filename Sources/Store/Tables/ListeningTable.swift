package import Playback

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
        guard try row.next() else { return nil }
        defer { row.rewind() }
        return Self.position(row)
    }

    /// The position of a row; nil if the row is damaged.
    static func position(_ row: Statement) -> ResumePoint? {
        guard row.checksum != nil else { return nil }
        return ResumePoint(
            seconds: row[1], duration: row[2], isFinished: row[3], lastPlayed: row[4])
    }

    func add(_ entry: HistoryEntry) throws {
        let last = try db.value("SELECT max(id) FROM history") ?? 0
        try db.insert(
            into: "history", last + 1, entry.path, entry.title, entry.began, entry.seconds)
        try db.statement("DELETE FROM history WHERE id <= ?").run(last + 1 - Self.historyLimit)
    }

    /// The undamaged entries, latest first, without `others` and at most `limit` of them.
    func history(without others: [HistoryEntry], limit: Int) throws -> [HistoryEntry] {
        let row = try db.statement("SELECT * FROM history ORDER BY id DESC")
        defer { row.rewind() }
        var entries: [HistoryEntry] = []
        while entries.count < limit, try row.next() {
            if let entry = Self.entry(row), !others.contains(entry) { entries.append(entry) }
        }
        return entries
    }

    /// The entry of a row; nil if the row is damaged.
    static func entry(_ row: Statement) -> HistoryEntry? {
        guard row.checksum != nil else { return nil }
        return HistoryEntry(path: row[1], title: row[2], began: row[3], seconds: row[4])
    }
}
