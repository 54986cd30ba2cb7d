import GRDB
package import Playback

/// Something that was heard.
package struct HistoryEntry: Hashable, Sendable {
    /// The file's path; `-` for the standard input.
    package var path: FilePath
    /// What it was called; nil: not known.
    package var title: String?
    /// When it began to be heard, in seconds since 1970.
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

/// The rows of what was heard, the last ones of very many.
struct HistoryTable {
    static let limit: Int64 = 10_000

    let db: Database

    func add(_ entry: HistoryEntry) throws {
        let statement = try db.cachedStatement(
            sql: "INSERT INTO history VALUES (NULL, ?, ?, ?, ?, ?)")
        statement.bind(entry.path, at: 1)
        statement.bind(entry.title, at: 2)
        statement.bind(entry.began, at: 3)
        statement.bind(entry.seconds, at: 4)
        statement.bind(entry.checksum, at: 5)
        try statement.run()
        let old = try db.cachedStatement(
            sql: "DELETE FROM history WHERE id <= (SELECT max(id) FROM history) - ?")
        old.bind(Self.limit, at: 1)
        try old.run()
    }

    /// Hands over the entries that are not damaged, the last one first, until it returns false.
    func read(_ body: (HistoryEntry) -> Bool) throws {
        let statement = try db.cachedStatement(sql: "SELECT * FROM history ORDER BY id DESC")
        defer { statement.rewind() }
        while try statement.nextRow() {
            let entry = HistoryEntry(
                path: statement.path(1) ?? "", title: statement.text(2), began: statement.double(3),
                seconds: statement.double(4))
            if entry.checksum == statement.number(5), !body(entry) { return }
        }
    }
}

extension HistoryEntry {
    fileprivate var checksum: Int64 {
        var sum = Checksum()
        sum.add(path)
        sum.add(title)
        sum.add(began.bitPattern)
        sum.add(seconds.bitPattern)
        return sum.value
    }
}
