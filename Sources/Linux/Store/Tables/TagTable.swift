import UndersongBase
import UndersongPlayback

/// What the files of items say of themselves beside the facts in the items' rows. An item without a
/// row has not been read yet.
struct TagTable {
    static let schema = """
        CREATE TABLE item_tags (
            id INTEGER PRIMARY KEY, artist TEXT, album TEXT, checksum INTEGER NOT NULL);
        """

    let db: Database

    /// Writes what was read from an item's file; nothing if it was not read.
    func write(_ item: QueueItem) throws {
        guard let facts = item.facts, facts.isFromFile else { return }
        try db.insert(into: "item_tags", item.id, facts.artist, facts.album)
    }

    /// Adds what is known to the item.
    func complete(_ item: inout QueueItem) throws {
        guard item.facts != nil else { return }
        let row = try db.statement("SELECT * FROM item_tags WHERE id = ?")
        row.bind(item.id)
        defer { row.rewind() }
        let isRead = try row.next() && row.checksum != nil
        item.facts?.isFromFile = isRead
        guard isRead else { return }
        item.facts?.artist = row[1]
        item.facts?.album = row[2]
    }

    /// The files of items with ids after `id` that were not read yet, in the order of the ids, and
    /// at most `limit` of them; some may have left the queue.
    func unread(after id: ItemID?, limit: Int) throws -> [(id: ItemID, path: FilePath)] {
        let row = try db.statement(
            """
            SELECT items.id, items.path FROM items LEFT JOIN item_tags AS tags ON tags.id = items.id
            WHERE items.id > ? AND tags.id IS NULL ORDER BY items.id LIMIT ?
            """)
        row.bind(id?.number ?? 0, limit)
        var files: [(id: ItemID, path: FilePath)] = []
        while try row.next() { files.append((id: row[0], path: row[1])) }
        return files
    }
}
