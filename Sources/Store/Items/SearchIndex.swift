import CLinux
import Glibc
import Playback
import Synchronization

/// The lower-case texts of the items in the file, from the first search on: a search then looks
/// through one piece of memory, and reads only what was written to the file since the last one.
/// 100,000 items take about 15 MB. Any thread may call it.
final class SearchIndex: Sendable {
    /// Which items have been written since the last search.
    private struct News {
        /// Whether these are all of them; otherwise the file is read as a whole.
        var isComplete = false
        var ids: Set<ItemID> = []
    }

    /// The most items that are kept apart from the others.
    private static let mostChanged = 2048

    private let news = Mutex(News())
    private let contents = Mutex(Contents())

    /// Records that items were written to the file.
    func didSave(_ ids: some Sequence<ItemID>) {
        news.withLock { news in
            guard news.isComplete else { return }
            news.ids.formUnion(ids)
            if news.ids.count > Self.mostChanged { news = News() }
        }
    }

    /// Forgets everything, because there is another file.
    func reset() { news.withLock { $0 = News() } }

    /// The items of the file that match. `read` calls a function with the file, and returns whether
    /// it could be read.
    func items(
        matching search: Search, read: ((Database) throws -> Void) -> Bool
    ) -> ItemSet {
        contents.withLock { contents in
            let old = news.withLock { news in
                defer { news = News(isComplete: true) }
                return news
            }
            let isReadable =
                if !old.isComplete || contents.changed.count + old.ids.count > Self.mostChanged {
                    read { try contents.readAll(from: $0) }
                } else {
                    old.ids.isEmpty || read { try contents.read(old.ids, from: $0) }
                }
            guard isReadable else {
                reset()
                return ItemSet()
            }
            return contents.items(matching: search)
        }
    }

    /// The texts of items, each followed by a byte that is in no UTF-8.
    private struct Contents {
        private static let query = """
            SELECT items.id, path, title, tag_title, artist, album
            FROM items LEFT JOIN item_tags USING (id)
            """
        private static let end: UInt8 = 0xFF

        private var texts: [UInt8] = []
        private var ids: [ItemID] = []
        /// Where the texts of each item end.
        private var ends: [Int] = []
        /// The texts of items that were added or changed after the others were read.
        private(set) var changed: [ItemID: [UInt8]] = [:]

        mutating func readAll(from db: Database) throws {
            self = Contents()
            _ = try EarlierFile(db)
            let row = try db.statement(Self.query)
            while try row.next() {
                Self.append(row, to: &texts)
                ids.append(row[0])
                ends.append(texts.count)
            }
        }

        mutating func read(_ ids: Set<ItemID>, from db: Database) throws {
            _ = try EarlierFile(db)
            let row = try db.statement(Self.query + " WHERE items.id = ?")
            for id in ids {
                row.bind(id)
                guard try row.next() else { continue }
                var texts: [UInt8] = []
                Self.append(row, to: &texts)
                changed[id] = texts
                row.rewind()
            }
        }

        private static func append(_ row: Statement, to texts: inout [UInt8]) {
            for column in Int32(1)...5 {
                if !row.appendLowerCase(column, to: &texts) {
                    // A path that is not UTF-8 has another text for people.
                    let text = column == 1 ? (row[1] as FilePath).description : ""
                    texts += text.lowercased().utf8
                }
                texts.append(end)
            }
        }

        func items(matching search: Search) -> ItemSet {
            let words = search.words.map { Array($0.utf8) }.sorted { $0.count > $1.count }
            var found = ItemSet()
            for (id, texts) in changed
            where words.allSatisfy({ Self.place(of: $0, in: texts, 0..<texts.count) != nil }) {
                found.insert(CollectionOfOne(id))
            }
            // The longest word is in the fewest items.
            guard let first = words.first else { return found }
            var (item, start) = (0, 0)
            while let place = Self.place(of: first, in: texts, start..<texts.count) {
                item = self.item(at: place, from: item)
                let range = (item == 0 ? 0 : ends[item - 1])..<ends[item]
                let isFound = words.dropFirst().allSatisfy {
                    Self.place(of: $0, in: texts, range) != nil
                }
                if isFound, changed[ids[item]] == nil { found.insert(CollectionOfOne(ids[item])) }
                start = ends[item]
            }
            return found
        }

        /// The item, not before `first`, whose texts are at this place.
        private func item(at place: Int, from first: Int) -> Int {
            var (low, high) = (first, ends.count - 1)
            while low < high {
                let middle = (low + high) / 2
                if ends[middle] > place { high = middle } else { low = middle + 1 }
            }
            return low
        }

        private static func place(
            of word: [UInt8], in texts: [UInt8], _ range: Range<Int>
        ) -> Int? {
            unsafe texts.withUnsafeBytes { texts in
                guard let start = texts.baseAddress else { return nil }
                let found = unsafe memmem(
                    start + range.lowerBound, range.count, word, word.count)
                return unsafe found.map { unsafe UnsafeRawPointer($0) - start }
            }
        }
    }
}
