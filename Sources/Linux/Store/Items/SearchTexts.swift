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

    /// The items that match.
    func items(matching search: Search) -> ItemSet {
        let words = search.words.sorted { $0.bytes.count > $1.bytes.count }
        var found = ItemSet()
        // The longest word is in the fewest items.
        guard let first = words.first else { return found }
        var (entry, start) = (0, 0)
        let others = first.field == nil ? words.dropFirst() : words[...]
        while let offset = offset(of: first.bytes, in: start..<bytes.count) {
            entry = self.entry(at: offset, from: entry)
            let range = range(of: entry)
            let matches = others.allSatisfy { isFound($0, in: range) }
            if matches, isCurrent(entry) { found.insert(CollectionOfOne(ids[entry])) }
            start = range.upperBound
        }
        return found
    }

    /// Returns true if the texts of an entry contain a word.
    private func isFound(_ word: Search.Word, in range: Range<Int>) -> Bool {
        guard let field = word.field else { return offset(of: word.bytes, in: range) != nil }
        var start = range.lowerBound
        for text in 0...field.texts.upperBound {
            guard let end = bytes[start..<range.upperBound].firstIndex(of: Self.end) else { break }
            if field.texts.contains(text), offset(of: word.bytes, in: start..<end) != nil {
                return true
            }
            start = end + 1
        }
        return false
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
