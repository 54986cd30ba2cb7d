import Synchronization
import UndersongBase
import UndersongPlayback

/// The texts of the items in the file, from the first `update` or search on. Each reads only the
/// changes of the file since the last one. Any thread may call it.
final class SearchIndex: Sendable {
    /// The changes of the file since the last update.
    private struct News {
        /// True if that is known; otherwise the file is read as a whole.
        var isComplete = false
        /// Items with higher numbers are new.
        var lastNumber = 0
        /// The lowest number of a new item.
        var first: Int?
        /// Other items that were written again.
        var changed: Set<ItemID> = []
        /// The items that were left when the others up to `last` were removed.
        var removal: (left: ItemSet, last: Int)?

        var isEmpty: Bool { first == nil && changed.isEmpty && removal == nil }
    }

    /// The most changed items that are read one by one.
    private static let mostChanged = 4096

    private let news = Mutex(News())
    private let texts = Mutex(SearchTexts())

    /// Records that items were written to the file.
    func didSave(_ ids: some Sequence<ItemID>) {
        news.withLock { news in
            guard news.isComplete else { return }
            for id in ids {
                if id.number > news.lastNumber {
                    news.first = min(news.first ?? id.number, id.number)
                } else {
                    news.changed.insert(id)
                }
            }
            if news.changed.count > Self.mostChanged { news = News() }
        }
    }

    /// Records that the items up to number `last` were removed from the file, but for `left`.
    func didRemove(through last: Int, butFor left: ItemSet) {
        news.withLock { news in
            if news.isComplete { news.removal = (left, last) }
        }
    }

    /// Forgets everything, because there is another file.
    func reset() { news.withLock { $0 = News() } }

    /// Reads the changes that the index lacks. `read` calls a function with the file, and returns
    /// whether it could be read.
    func update(read: ((Database) throws -> Void) -> Bool) {
        texts.withLock { texts in _ = update(&texts, read: read) }
    }

    /// The items of the file that match. `read` is as for `update`.
    func items(
        matching condition: ItemCondition, read: ((Database) throws -> Void) -> Bool
    ) -> ItemSet {
        texts.withLock { texts in
            update(&texts, read: read) ? texts.items(matching: condition) : ItemSet()
        }
    }

    /// Returns whether everything is known now.
    private func update(
        _ texts: inout SearchTexts, read: ((Database) throws -> Void) -> Bool
    ) -> Bool {
        let lastNumber = texts.lastNumber
        let old = news.withLock { news in
            let old = news
            // While everything is read, what is written may have been read or not.
            news = News(isComplete: true, lastNumber: old.isComplete ? lastNumber : .max)
            return old
        }
        if !old.isComplete { texts = SearchTexts() }
        let isReadable =
            if !old.isComplete {
                read { try Self.readItems(from: 0, of: $0, into: &texts) }
            } else {
                (old.first == nil && old.changed.isEmpty)
                    || read { try Self.read(old, of: $0, into: &texts) }
            }
        guard isReadable else {
            reset()
            return false
        }
        news.withLock { news in
            if news.isComplete { news.lastNumber = texts.lastNumber }
        }
        if let (left, last) = old.removal {
            texts.keep { $0.number > last || left.contains($0) }
        } else {
            texts.tidy()
        }
        return true
    }

    // MARK: The file

    private static let query = "SELECT id, path, title, tag_title, artist, album FROM items"

    private static func readItems(
        from number: Int, of db: Database, into texts: inout SearchTexts
    ) throws {
        let row = try db.statement(query + " WHERE id >= ? ORDER BY id")
        row.bind(number)
        while try row.next() { add(row, to: &texts) }
    }

    private static func read(
        _ news: News, of db: Database, into texts: inout SearchTexts
    ) throws {
        if let first = news.first { try readItems(from: first, of: db, into: &texts) }
        let row = try db.statement(query + " WHERE id = ?")
        for id in news.changed {
            row.bind(id)
            if try row.next() { add(row, to: &texts) }
            row.rewind()
        }
    }

    private static func add(_ row: Statement, to texts: inout SearchTexts) {
        texts.add(row[0], count: 5) { text, bytes in
            let isPath = text == 0
            if !row.appendFolded(Int32(1 + text), to: &bytes), isPath {
                // A path that is not UTF-8 has another text for people.
                bytes += (row[1] as FilePath).description.folded.utf8
            }
        }
    }
}
