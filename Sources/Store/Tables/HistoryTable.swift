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

/// The history's rows, limited to the latest ones.
struct HistoryTable {
    static let limit: Int64 = 10_000

    let db: Database

    func add(_ entry: HistoryEntry) throws {
        try db.statement("INSERT INTO history VALUES (NULL, ?, ?, ?, ?, ?)")
            .run(entry.path, entry.title, entry.began, entry.seconds, entry.checksum)
        try db.statement("DELETE FROM history WHERE id <= (SELECT max(id) FROM history) - ?")
            .run(Self.limit)
    }

    /// Passes the undamaged entries to `body`, latest first, until it returns false.
    func read(_ body: (HistoryEntry) -> Bool) throws {
        let statement = try db.statement("SELECT * FROM history ORDER BY id DESC")
        defer { statement.rewind() }
        while try statement.next() {
            let entry = HistoryEntry(
                path: statement[1], title: statement[2], began: statement[3], seconds: statement[4])
            if entry.checksum == statement[5], !body(entry) { return }
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
