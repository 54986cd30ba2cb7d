import CUndersongLinux
import Glibc
import UndersongPlayback

/// The folded texts of items, in one piece of memory that a search looks through. The texts of
/// an item that is added again replace its earlier ones. 100,000 items take about 15 MB.
struct SearchTexts {
    /// Follows each text; no UTF-8 contains it.
    private static let end: UInt8 = 0xFF
    /// The most texts that are outdated before they are dropped, as a part of all.
    private static let outdatedPart = 4
    private static let outdatedCount = 1024

    private var bytes: [UInt8] = []
    /// The item that each entry belongs to.
    private var ids: [ItemID] = []
    /// The offsets at which the texts of each entry end.
    private var ends: [Int] = []
    /// The entry that counts, of items that may have several.
    private var latest: [ItemID: Int] = [:]
    /// The highest id so far; 0 before the first one.
    private(set) var lastNumber = 0

    /// Adds an item with `count` texts, the bytes of which `append` appends.
    mutating func add(_ id: ItemID, count: Int, _ append: (Int, inout [UInt8]) -> Void) {
        for text in 0..<count {
            append(text, &bytes)
            bytes.append(Self.end)
        }
        if id.number <= lastNumber { latest[id] = ids.count }
        lastNumber = max(lastNumber, id.number)
        ids.append(id)
        ends.append(bytes.count)
    }

    /// Drops outdated texts once they are many.
    mutating func tidy() {
        guard latest.count > max(Self.outdatedCount, ids.count / Self.outdatedPart) else { return }
        keep { _ in true }
    }

    /// Drops outdated texts, and those of items for which `isKept` is false.
    mutating func keep(where isKept: (ItemID) -> Bool) {
        let old = self
        bytes.removeAll(keepingCapacity: true)
        ids.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        latest = [:]
        for (entry, id) in old.ids.enumerated() where old.isCurrent(entry) && isKept(id) {
            bytes += old.bytes[old.range(of: entry)]
            ids.append(id)
            ends.append(bytes.count)
        }
    }

    /// The items that fulfil the condition.
    func items(matching condition: ItemCondition) -> ItemSet {
        let test = SearchTest(condition)
        var found = ItemSet()
        guard let word = test.rarestWord else {
            for entry in ids.indices where isCurrent(entry) {
                if holds(test, in: range(of: entry)) { found.insert(CollectionOfOne(ids[entry])) }
            }
            return found
        }
        var (entry, start) = (0, 0)
        while let offset = offset(of: word, in: start..<bytes.count) {
            entry = self.entry(at: offset, from: entry)
            let range = range(of: entry)
            if isCurrent(entry), holds(test, in: range) {
                found.insert(CollectionOfOne(ids[entry]))
            }
            start = range.upperBound
        }
        return found
    }

    /// True if the texts of an entry fulfil the condition.
    private func holds(_ test: SearchTest, in range: Range<Int>) -> Bool {
        switch test {
        case .all(let tests): return tests.allSatisfy { holds($0, in: range) }
        case .any(let tests): return tests.contains { holds($0, in: range) }
        case .not(let test): return !holds(test, in: range)
        case .word(let word): return offset(of: word, in: range) != nil
        case .text(let texts, let comparison, let word):
            var (start, isEmpty) = (range.lowerBound, true)
            for text in 0...texts.upperBound {
                guard let end = bytes[start..<range.upperBound].firstIndex(of: Self.end) else {
                    break
                }
                defer { start = end + 1 }
                guard texts.contains(text), end > start else { continue }
                isEmpty = false
                let holds =
                    switch comparison {
                    case .contains: word.isEmpty || offset(of: word, in: start..<end) != nil
                    case .begins: bytes[start..<end].starts(with: word)
                    case .equals: bytes[start..<end].elementsEqual(word)
                    }
                if holds { return true }
            }
            return comparison == .equals && word.isEmpty && isEmpty
        }
    }

    private func isCurrent(_ entry: Int) -> Bool {
        latest.isEmpty || latest[ids[entry]].map { $0 == entry } ?? true
    }

    private func range(of entry: Int) -> Range<Int> {
        (entry == 0 ? 0 : ends[entry - 1])..<ends[entry]
    }

    /// The entry, not before `first`, whose texts are at this offset.
    private func entry(at offset: Int, from first: Int) -> Int {
        var (low, high) = (first, ends.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] > offset { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private func offset(of word: [UInt8], in range: Range<Int>) -> Int? {
        unsafe bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return nil }
            let found = unsafe memmem(start + range.lowerBound, range.count, word, word.count)
            return unsafe found.map { unsafe UnsafeRawPointer($0) - start }
        }
    }
}

/// A condition as it is compared with the texts of an entry: path, title, title by its tag, artist and
/// album.
private indirect enum SearchTest {
    case all([SearchTest])
    case any([SearchTest])
    case not(SearchTest)
    /// It occurs in one of the texts.
    case word([UInt8])
    case text(ClosedRange<Int>, ItemCondition.Comparison, [UInt8])

    init(_ condition: ItemCondition) {
        switch condition {
        case .all(let conditions): self = .all(conditions.map { SearchTest($0) })
        case .any(let conditions): self = .any(conditions.map { SearchTest($0) })
        case .not(let condition): self = .not(SearchTest(condition))
        case .text(nil, .contains, let text) where !text.isEmpty: self = .word(Array(text.utf8))
        case .text(let field, let comparison, let text):
            let texts =
                switch field {
                case nil: 0...4
                case .path: 0...0
                case .title: 1...2
                case .artist: 3...3
                case .album: 4...4
                }
            self = .text(texts, comparison, Array(text.utf8))
        }
    }

    /// The longest text that an entry must contain, which is in the fewest; nil if there is none.
    var rarestWord: [UInt8]? {
        switch self {
        case .all(let tests): tests.compactMap(\.rarestWord).max { $0.count < $1.count }
        case .word(let word): word
        case .text(_, _, let word): word.isEmpty ? nil : word
        case .any, .not: nil
        }
    }
}
