import UndersongBase
import UndersongPlayback

/// The rows of the queue's items.
struct ItemTable {
    /// An entry of the queue; the path is `-` for the standard input, and a time a fraction of
    /// seconds. The columns from the tag's title to `is_from_file` are facts; the last one is null
    /// if there are none, and 0 if they are those of a playlist or a library.
    static let schema = """
        CREATE TABLE items (
            id INTEGER PRIMARY KEY, path TEXT NOT NULL, title TEXT, begins TEXT, ends TEXT,
            tag_title TEXT, duration TEXT, is_duration_exact INTEGER, artist TEXT, album TEXT,
            is_from_file INTEGER, checksum INTEGER NOT NULL);
        """

    let db: Database

    /// Writes items, replacing earlier rows.
    func write(_ items: some Sequence<QueueItem>) throws {
        for item in items {
            try db.insert(
                into: "items", item.id, item.source.path, item.title,
                item.start == .zero ? nil : item.start, item.end, item.facts?.title,
                item.facts?.duration, item.facts?.isDurationExact, item.facts?.artist,
                item.facts?.album, item.facts?.isFromFile)
        }
    }

    /// The item; nil if it does not exist or its row is damaged.
    func item(_ id: ItemID) throws -> QueueItem? {
        let row = try db.statement("SELECT * FROM items WHERE id = ?")
        row.bind(id)
        guard try row.next() else { return nil }
        defer { row.rewind() }
        return Self.item(row)
    }

    /// The item of a row; nil if the row is damaged.
    static func item(_ row: Statement) -> QueueItem? {
        guard row.checksum != nil else { return nil }
        let entry = QueueEntry(
            MediaSource(path: row[1]), start: row[3] ?? .zero, end: row[4], title: row[2])
        var item = QueueItem(id: row[0], entry)
        if let isFromFile: Bool = row[10] {
            var facts = ItemFacts(
                title: row[5], duration: row[6], isDurationExact: row[7], artist: row[8],
                album: row[9])
            facts.isFromFile = isFromFile
            item.facts = facts
        }
        return item
    }

    /// The files of items with ids after `id`, in the order of the ids, and at most `limit` of them;
    /// some may have left the queue. Only those whose files were not opened yet, if `areUnread`.
    func files(
        after id: ItemID?, limit: Int, areUnread: Bool = false
    ) throws -> [(id: ItemID, path: FilePath)] {
        let condition = areUnread ? "AND is_from_file IS NOT 1 " : ""
        let row = try db.statement(
            "SELECT id, path FROM items WHERE id > ? \(condition)ORDER BY id LIMIT ?")
        row.bind(id?.number ?? 0, limit)
        var files: [(id: ItemID, path: FilePath)] = []
        while try row.next() { files.append((id: row[0], path: row[1])) }
        return files
    }

    /// Removes those of the items after `number` that are not in `named`, looking at no more than
    /// `limit` of them and none after `last`. Returns the last one looked at; nil at the end.
    func remove(
        after number: Int, through last: Int, butFor named: ItemSet, limit: Int
    ) throws -> Int? {
        let row = try db.statement(
            "SELECT id FROM items WHERE id > ? AND id <= ? ORDER BY id LIMIT ?")
        row.bind(number, last, limit)
        var ids: [ItemID] = []
        while try row.next() { ids.append(row[0]) }
        let removal = try db.statement("DELETE FROM items WHERE id = ?")
        for id in ids where !named.contains(id) { try removal.run(id) }
        return ids.count < limit ? nil : ids.last?.number
    }

    /// The highest id that has a row; 0 if there is none.
    var highestNumber: Int {
        get throws {
            let id: ItemID? = try db.value("SELECT max(id) FROM items")
            return id?.number ?? 0
        }
    }
}
