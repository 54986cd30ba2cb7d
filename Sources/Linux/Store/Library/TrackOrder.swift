import UndersongBase
import UndersongLibrary

/// Tracks that were found, and their order. It keeps 20 bytes of each: the rest of what sorts them is
/// read again for those that are wanted.
struct TrackOrder {
    /// A property by which they are sorted. Unknown values are last in both directions.
    private enum Column: Equatable {
        case name(SegmentTest.NameField)
        case folder
        case date, year, disc, number, length, rating, plays, skips, added, modified, played
        case random
        case title, fileName
        /// The artists of the album, and then the date.
        case albumArtistsAndDate
    }

    private let columns: [(column: Column, isDescending: Bool)]
    private let names: NameList
    private let folders: NameList
    private let seed: UInt64
    private var ids: [UInt32] = []
    private var lengths: [Double] = []
    /// For each track, what sorts it by the first column, or the beginning of that.
    private var keys: [UInt64] = []
    private(set) var seconds = 0.0

    init(_ order: [LibraryQuery.Order], names: NameList, folders: NameList, seed: UInt64) {
        (self.names, self.folders, self.seed) = (names, folders, seed)
        var columns: [(Column, Bool)] = []
        for order in order {
            let own: [Column] =
                switch order.key {
                case .title: [.title]
                case .artist: [.name(.artists)]
                case .albumartist: [.name(.albumArtists)]
                case .album: [.name(.album)]
                case .genre: [.name(.genres)]
                case .path: [.folder, .fileName]
                case .year: [.year]
                case .track: [.disc, .number]
                case .length: [.length]
                case .rating: [.rating]
                case .plays: [.plays]
                case .skips: [.skips]
                case .added: [.added]
                case .modified: [.modified]
                case .played: [.played]
                case .random: [.random]
                }
            columns += own.map { ($0, order.isDescending) }
        }
        columns += [.albumArtistsAndDate, .name(.album), .disc, .number, .folder]
            .map { ($0, false) }
        self.columns = columns
    }

    var count: Int { ids.count }
    func id(_ index: Int) -> Int { Int(ids[index]) }
    func seconds(of index: Int) -> Double { lengths[index].isNaN ? 0 : lengths[index] }

    /// The parts of segments that `add` reads beside the facts.
    var parts: Segment.Parts {
        switch columns[0].column {
        case .rating, .plays, .skips, .added, .modified, .played: .marks
        case .title, .fileName: .texts
        case .name, .folder, .date, .year, .disc, .number, .length, .random, .albumArtistsAndDate:
            []
        }
    }

    mutating func add(_ segment: Segment, _ slot: Int) {
        let length = segment.facts[slot].seconds
        ids.append(UInt32(segment.number * Segment.length + slot))
        lengths.append(length)
        if !length.isNaN { seconds += length }
        let (column, isDescending) = columns[0]
        let key =
            if let text = text(column, segment, slot) {
                // The beginning of a text is in the order of all of it.
                text.isEmpty
                    ? nil
                    : (0..<8).reduce(0) { $0 << 8 | ($1 < text.count ? UInt64(text[$1]) : 0) } >> 1
            } else {
                number(column, segment, slot)
            }
        keys.append(Self.directed(key, isDescending))
    }

    // MARK: Keys

    /// The sort key of a track by a text; nil if the column is a number. Empty if it is unknown.
    private func text(_ column: Column, _ segment: Segment, _ slot: Int) -> [UInt8]? {
        switch column {
        case .title: NameTable.key(ofFolded: segment.texts.bytes[segment.texts.title(slot)])
        case .fileName: NameTable.key(ofFolded: segment.texts.bytes[segment.texts.name(slot)])
        case .name, .folder, .date, .year, .disc, .number, .length, .rating, .plays, .skips, .added,
            .modified, .played, .random, .albumArtistsAndDate:
            nil
        }
    }

    /// The sort key of a track by a number; nil if that is unknown.
    private func number(_ column: Column, _ segment: Segment, _ slot: Int) -> UInt64? {
        let facts = segment.facts[slot]
        switch column {
        case .name(.artists): return Self.key(names.rank(facts.artists))
        case .name(.albumArtists): return Self.key(names.rank(facts.albumArtists))
        case .name(.album): return Self.key(names.rank(facts.album))
        case .name(.genres): return Self.key(names.rank(facts.genres))
        case .name(.composers): return Self.key(names.rank(facts.composers))
        case .name(.encoding): return Self.key(names.rank(facts.encoding))
        case .folder: return Self.key(folders.rank(facts.folder))
        case .date: return Self.key(facts.date)
        case .year: return Self.key(facts.year)
        case .disc: return Self.key(facts.disc)
        case .number: return Self.key(facts.number)
        case .length: return Self.key(facts.seconds)
        case .rating:
            let rating = segment.marks[slot].rating
            return rating == 0 ? nil : UInt64(rating)
        case .plays: return UInt64(segment.marks[slot].plays)
        case .skips: return UInt64(segment.marks[slot].skips)
        case .added: return Self.key(segment.marks[slot].added)
        case .modified: return Self.key(segment.marks[slot].modified)
        case .played: return Self.key(segment.marks[slot].played)
        case .random:
            let id = UInt64(segment.number * Segment.length + slot)
            var generator = SeededGenerator(seed: seed &+ id &* 0x9e37_79b9_7f4a_7c15)
            return generator.next() >> 1
        case .albumArtistsAndDate:
            let artists = UInt64(min(names.rank(facts.albumArtists), UInt32(Int32.max)))
            let date = facts.date == TrackFacts.unknown ? UInt32.max : UInt32(facts.date)
            return artists << 32 | UInt64(date)
        case .title, .fileName: return nil
        }
    }

    /// A rank; nil for the one of none.
    private static func key(_ rank: UInt32) -> UInt64? { rank == .max ? nil : UInt64(rank) }

    private static func key(_ number: Int32) -> UInt64? {
        number == TrackFacts.unknown ? nil : UInt64(Int64(number) + 1 << 32)
    }

    private static func key(_ number: Double) -> UInt64? {
        guard !number.isNaN else { return nil }
        let bits = (number + 0).bitPattern
        return (bits >> 63 == 0 ? bits | 1 << 63 : ~bits) >> 1
    }

    /// A key without its highest bit, by its direction; the highest of all if it is unknown.
    private static func directed(_ key: UInt64?, _ isDescending: Bool) -> UInt64 {
        guard let key else { return .max }
        return isDescending ? UInt64(Int64.max) - key : key
    }

    // MARK: Sorting

    /// The indexes of the tracks with these positions in the order. `read` passes the segments and the
    /// slots of tracks with ascending ids to its second parameter.
    func sorted(
        _ range: Range<Int>, read: ([Int], (Segment, Int) -> Void) throws -> Void
    ) rethrows -> [Int] {
        guard !range.isEmpty else { return [] }
        // Only those that can be in the range are sorted.
        let (first, last) = bounds(range)
        var before = 0
        var candidates: [Int] = []
        for (index, key) in keys.enumerated() {
            if key < first { before += 1 } else if key <= last { candidates.append(index) }
        }
        let texts = columns.indices.filter { [.title, .fileName].contains(columns[$0].column) }
        var keys = Array(repeating: [UInt64](), count: columns.count)
        var textKeys = Array(repeating: [[UInt8]](), count: texts.count)
        try read(candidates.map { id($0) }) { segment, slot in
            var text = 0
            for (index, (column, isDescending)) in columns.enumerated() {
                if let key = self.text(column, segment, slot) {
                    textKeys[text].append(key)
                    text += 1
                } else {
                    keys[index].append(
                        Self.directed(number(column, segment, slot), isDescending))
                }
            }
        }
        for (index, column) in texts.enumerated() {
            keys[column] = Self.ranks(textKeys[index], columns[column].isDescending)
        }
        func isLess(_ left: Int, _ right: Int) -> Bool? {
            for key in keys where key[left] != key[right] { return key[left] < key[right] }
            return nil
        }
        var sorted = candidates.indices.sorted { isLess($0, $1) ?? ($0 < $1) }
        let part = range.lowerBound - before..<range.upperBound - before
        // Those that are alike are sorted by the names of their files.
        var index = 0
        while index < part.upperBound {
            var end = index + 1
            while end < sorted.count, isLess(sorted[index], sorted[end]) == nil { end += 1 }
            if end > index + 1, end > part.lowerBound {
                let alike = Array(sorted[index..<end])
                var names: [[UInt8]] = []
                try read(alike.map { id(candidates[$0]) }) { segment, slot in
                    names.append(text(.fileName, segment, slot) ?? [])
                }
                let ranks = Self.ranks(names, false)
                let order = alike.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }
                sorted.replaceSubrange(index..<end, with: order.map { alike[$0] })
            }
            index = end
        }
        return sorted[part].map { candidates[$0] }
    }

    /// The positions of texts in their order; alike ones have the same. Empty ones are last.
    private static func ranks(_ texts: [[UInt8]], _ isDescending: Bool) -> [UInt64] {
        var ranks = Array(repeating: UInt64(0), count: texts.count)
        var rank: UInt64 = 0
        var last: [UInt8]?
        let sorted = texts.indices.sorted { texts[$0].lexicographicallyPrecedes(texts[$1]) }
        for index in sorted {
            if texts[index] != last { rank += 1 }
            last = texts[index]
            ranks[index] = directed(texts[index].isEmpty ? nil : rank, isDescending)
        }
        return ranks
    }

    /// The least and the greatest key that are at these positions once the keys are sorted.
    private func bounds(_ range: Range<Int>) -> (first: UInt64, last: UInt64) {
        var keys = keys
        let last = Self.select(range.upperBound - 1, of: &keys)
        return (Self.select(range.lowerBound, of: &keys), last)
    }

    /// The key that is at a position once the keys are sorted (quickselect).
    private static func select(_ position: Int, of keys: inout [UInt64]) -> UInt64 {
        var (low, high) = (0, keys.count - 1)
        while low < high {
            let pivot = keys[(low + high) / 2]
            var (left, right) = (low, high)
            while left <= right {
                while keys[left] < pivot { left += 1 }
                while keys[right] > pivot { right -= 1 }
                guard left <= right else { break }
                keys.swapAt(left, right)
                left += 1
                right -= 1
            }
            if position <= right {
                high = right
            } else if position >= left {
                low = left
            } else {
                break
            }
        }
        return keys[position]
    }
}
