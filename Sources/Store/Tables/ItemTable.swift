import GRDB
import Playback

/// The rows of the queue's items.
struct ItemTable {
    let db: Database

    /// Writes items, in place of what was known of them.
    func write(_ items: some Sequence<QueueItem>) throws {
        let statement = try db.cachedStatement(
            sql: "INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        for item in items {
            let row = ItemRow(item)
            statement.bind(row.id, at: 1)
            statement.bind(row.path, at: 2)
            statement.bind(row.title, at: 3)
            statement.bind(row.startValue, at: 4)
            statement.bind(row.startTimescale, at: 5)
            statement.bind(row.endValue, at: 6)
            statement.bind(row.endTimescale, at: 7)
            statement.bind(row.checksum, at: 8)
            statement.bind(row.tagTitle, at: 9)
            statement.bind(row.durationValue, at: 10)
            statement.bind(row.durationTimescale, at: 11)
            statement.bind(row.isDurationExact, at: 12)
            try statement.run()
        }
    }

    /// The item; nil when there is none, or when its row is damaged.
    func item(_ id: ItemID) throws -> QueueItem? {
        let statement = try db.cachedStatement(sql: "SELECT * FROM items WHERE id = ?")
        statement.bind(Int64(id.number), at: 1)
        guard try statement.nextRow() else { return nil }
        defer { statement.rewind() }
        return ItemRow(statement).item
    }

    /// The items of a range whose rows are not damaged, and where to go on; nil at the end.
    func items(in numbers: Range<Int>, limit: Int) throws -> (items: [QueueItem], next: Int?) {
        let statement = try db.cachedStatement(
            sql: "SELECT * FROM items WHERE id >= ? AND id < ? ORDER BY id LIMIT ?")
        for (index, number) in [numbers.lowerBound, numbers.upperBound, limit].enumerated() {
            statement.bind(Int64(number), at: Int32(index + 1))
        }
        var (items, count, last) = ([QueueItem](), 0, numbers.lowerBound)
        while try statement.nextRow() {
            let row = ItemRow(statement)
            if let item = row.item { items.append(item) }
            last = Int(row.id)
            count += 1
        }
        let isAtEnd = count < limit || !numbers.contains(last)
        return (items, isAtEnd ? nil : last + 1)
    }

    /// The lowest ids of a range that have a row.
    func ids(in numbers: Range<Int>, limit: Int) throws -> [ItemID] {
        let statement = try db.cachedStatement(
            sql: "SELECT id FROM items WHERE id >= ? AND id < ? ORDER BY id LIMIT ?")
        for (index, number) in [numbers.lowerBound, numbers.upperBound, limit].enumerated() {
            statement.bind(Int64(number), at: Int32(index + 1))
        }
        var ids: [ItemID] = []
        while try statement.nextRow() {
            if let id = ItemID(exactly: Int(statement.number(0))) { ids.append(id) }
        }
        return ids
    }

    func remove(_ numbers: ClosedRange<Int>) throws {
        let statement = try db.cachedStatement(sql: "DELETE FROM items WHERE id BETWEEN ? AND ?")
        statement.bind(Int64(numbers.lowerBound), at: 1)
        statement.bind(Int64(numbers.upperBound), at: 2)
        try statement.run()
    }

    /// The highest id that has a row; 0 when there is none.
    func highestNumber() throws -> Int {
        let statement = try db.cachedStatement(sql: "SELECT max(id) FROM items")
        guard try statement.nextRow() else { return 0 }
        defer { statement.rewind() }
        return ItemID(exactly: Int(statement.number(0)))?.number ?? 0
    }
}

/// An item as its columns hold it.
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
    /// Nil where the file's tag has none.
    var tagTitle: String?
    /// Nil where the file's length is not known.
    var durationValue: Int64?
    var durationTimescale: Int64?
    /// Nil where the file was never opened.
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
        id = statement.number(0)
        path = statement.path(1) ?? ""
        title = statement.text(2)
        startValue = statement.optionalNumber(3)
        startTimescale = statement.optionalNumber(4)
        endValue = statement.optionalNumber(5)
        endTimescale = statement.optionalNumber(6)
        checksum = statement.number(7)
        // A file of an earlier version that cannot be written has no more.
        guard statement.columnCount > 8 else { return }
        tagTitle = statement.text(8)
        durationValue = statement.optionalNumber(9)
        durationTimescale = statement.optionalNumber(10)
        isDurationExact = statement.optionalNumber(11)
    }

    /// Nil when the row is damaged.
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
        // Rows of earlier versions, which have no facts, stay right as they are.
        guard let isDurationExact else { return sum.shortValue }
        sum.add(tagTitle)
        sum.add(durationValue)
        sum.add(durationTimescale)
        sum.add(isDurationExact)
        return sum.shortValue
    }
}
