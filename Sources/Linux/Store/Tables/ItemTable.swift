import UndersongPlayback

/// The rows of the queue's items.
struct ItemTable {
    let db: Database

    /// Writes items, replacing earlier rows.
    func write(_ items: some Sequence<QueueItem>) throws {
        for item in items {
            try db.insert(
                into: "items", item.id, item.source.path, item.title,
                item.start == .zero ? nil : item.start, item.end, item.facts?.title,
                item.facts?.duration, item.facts?.isDurationExact)
            try TagTable(db: db).write(item)
        }
    }

    /// The item; nil if it does not exist or its row is damaged.
    func item(_ id: ItemID) throws -> QueueItem? {
        let row = try db.statement("SELECT * FROM items WHERE id = ?")
        row.bind(id)
        guard try row.next() else { return nil }
        defer { row.rewind() }
        guard var item = Self.item(row) else { return nil }
        try TagTable(db: db).complete(&item)
        return item
    }

    /// The item of a row, without what `TagTable` has of it; nil if the row is damaged.
    static func item(_ row: Statement) -> QueueItem? {
        guard row.checksum != nil else { return nil }
        let entry = QueueEntry(
            MediaSource(path: row[1]), start: row[3] ?? .zero, end: row[4], title: row[2])
        var item = QueueItem(id: row[0], entry)
        item.facts = (row[7] as Bool?).map {
            ItemFacts(title: row[5], duration: row[6], isDurationExact: $0)
        }
        // Only a row of `TagTable` shows that.
        item.facts?.isFromFile = false
        return item
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
        let other = try db.statement("DELETE FROM item_tags WHERE id = ?")
        for id in ids where !named.contains(id) {
            try removal.run(id)
            try other.run(id)
        }
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
