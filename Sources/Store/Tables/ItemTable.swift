import Playback

/// The rows of the queue's items.
struct ItemTable {
    let db: Database

    /// Writes items, replacing earlier rows.
    func write(_ items: some Sequence<QueueItem>) throws {
        let statement = try db.statement(
            "INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        for row in items.lazy.map(ItemRow.init) {
            try statement.run(
                row.id, row.path, row.title, row.startValue, row.startTimescale, row.endValue,
                row.endTimescale, row.checksum, row.tagTitle, row.durationValue,
                row.durationTimescale, row.isDurationExact)
        }
    }

    /// The item; nil if it does not exist or its row is damaged.
    func item(_ id: ItemID) throws -> QueueItem? {
        let statement = try db.statement("SELECT * FROM items WHERE id = ?")
        statement.bind(id)
        guard try statement.next() else { return nil }
        defer { statement.rewind() }
        return ItemRow(statement).item
    }

    /// The items of a range whose rows are undamaged, and where to continue; nil at the end.
    func items(in numbers: Range<Int>, limit: Int) throws -> (items: [QueueItem], next: Int?) {
        let statement = try db.statement(
            "SELECT * FROM items WHERE id >= ? AND id < ? ORDER BY id LIMIT ?")
        statement.bind(numbers.lowerBound, numbers.upperBound, limit)
        var (items, count, last) = ([QueueItem](), 0, numbers.lowerBound)
        while try statement.next() {
            let row = ItemRow(statement)
            if let item = row.item { items.append(item) }
            last = Int(row.id)
            count += 1
        }
        let isAtEnd = count < limit || !numbers.contains(last)
        return (items, isAtEnd ? nil : last + 1)
    }

    /// Removes items of a range that neither the queue nor its past names, looking at one slice.
    /// Returns where to continue; nil at the end.
    func removeUnnamed(
        in numbers: ClosedRange<Int>, butFor others: NumberRanges, limit: Int
    ) throws -> Int? {
        let statement = try db.statement(
            """
            SELECT id, EXISTS (SELECT 1 FROM entries WHERE entries.id = items.id)
                OR EXISTS (SELECT 1 FROM past WHERE past.id = items.id)
            FROM items WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?
            """)
        statement.bind(numbers.lowerBound, numbers.upperBound, limit)
        var (last, count) = (numbers.upperBound, 0)
        var unnamed: [ItemID] = []
        while try statement.next() {
            let (id, isNamed): (ItemID, Bool) = (statement[0], statement[1])
            if !isNamed, !others.contains(id) { unnamed.append(id) }
            last = id.number
            count += 1
        }
        let removal = try db.statement("DELETE FROM items WHERE id BETWEEN ? AND ?")
        for run in NumberRuns(unnamed) { try removal.run(run.lowerBound, run.upperBound) }
        return count < limit || last == numbers.upperBound ? nil : last + 1
    }

    /// The highest id that has a row; 0 if there is none.
    func highestNumber() throws -> Int {
        let id: ItemID? = try db.value("SELECT max(id) FROM items")
        return id?.number ?? 0
    }
}

/// An item as its columns store it.
struct ItemRow {
    var id: Int64
    var path: FilePath
    var title: String?
    /// Nil for the source's start.
    var startValue: Int64?
    var startTimescale: Int64?
    /// Nil for the source's end.
    var endValue: Int64?
    var endTimescale: Int64?
    var checksum: Int64
    /// Nil if the file's tag has none.
    var tagTitle: String?
    /// Nil if the length is unknown.
    var durationValue: Int64?
    var durationTimescale: Int64?
    /// Nil if the file was never opened.
    var isDurationExact: Int64?

    init(_ item: QueueItem) {
        id = Int64(item.id.number)
        path = item.source.path
        title = item.title
        if item.start != .zero {
            (startValue, startTimescale) = (item.start.value, Int64(item.start.timescale))
        }
        if let end = item.end { (endValue, endTimescale) = (end.value, Int64(end.timescale)) }
        if let facts = item.facts {
            tagTitle = facts.title
            durationValue = facts.duration?.value
            durationTimescale = facts.duration.map { Int64($0.timescale) }
            isDurationExact = facts.isDurationExact ? 1 : 0
        }
        checksum = 0
        checksum = rightChecksum
    }

    init(
        id: Int64, path: FilePath, title: String?, startValue: Int64?, startTimescale: Int64?,
        endValue: Int64?, endTimescale: Int64?, checksum: Int64
    ) {
        self.id = id
        self.path = path
        self.title = title
        self.startValue = startValue
        self.startTimescale = startTimescale
        self.endValue = endValue
        self.endTimescale = endTimescale
        self.checksum = checksum
    }

    init(_ statement: Statement) {
        id = statement[0]
        path = statement[1]
        title = statement[2]
        startValue = statement[3]
        startTimescale = statement[4]
        endValue = statement[5]
        endTimescale = statement[6]
        checksum = statement[7]
        // A read-only file of an earlier version has no further columns.
        guard statement.columnCount > 8 else { return }
        tagTitle = statement[8]
        durationValue = statement[9]
        durationTimescale = statement[10]
        isDurationExact = statement[11]
    }

    /// Nil if the row is damaged.
    var item: QueueItem? {
        guard checksum == rightChecksum, let number = Int(exactly: id),
            let id = ItemID(exactly: number)
        else { return nil }
        let start = Self.time(startValue, startTimescale) ?? .zero
        let end = Self.time(endValue, endTimescale)
        var item = QueueItem(
            id: id, QueueEntry(MediaSource(path: path), start: start, end: end, title: title))
        item.facts = isDurationExact.map { isExact in
            ItemFacts(
                title: tagTitle, duration: Self.time(durationValue, durationTimescale),
                isDurationExact: isExact != 0)
        }
        return item
    }

    private static func time(_ value: Int64?, _ timescale: Int64?) -> CMTime? {
        guard let value, let timescale, let timescale = CMTimeScale(exactly: timescale) else {
            return nil
        }
        return CMTime(value: value, timescale: timescale)
    }

    private var rightChecksum: Int64 {
        var sum = Checksum()
        sum.add(id)
        sum.add(path)
        sum.add(title)
        sum.add(startValue)
        sum.add(startTimescale)
        sum.add(endValue)
        sum.add(endTimescale)
        // The checksum of rows from earlier versions, which have no facts, stays valid.
        guard let isDurationExact else { return sum.shortValue }
        sum.add(tagTitle)
        sum.add(durationValue)
        sum.add(durationTimescale)
        sum.add(isDurationExact)
        return sum.shortValue
    }
}
