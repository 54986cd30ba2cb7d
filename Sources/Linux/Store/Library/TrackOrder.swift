import UndersongBase
import UndersongLibrary

/// Tracks that were found, and their order.
struct TrackOrder {
    /// A property by which they are sorted. Unknown values are last in both directions.
    private enum Column {
        case name(SegmentTest.NameField)
        case folder
        case date, year, disc, number, length, rating, plays, skips, added, modified, played
        case random
        /// The keys are added when all are known.
        case title, fileName
    }

    private let columns: [(column: Column, isDescending: Bool)]
    private let names: NameList
    private let folders: NameList
    private let seed: UInt64
    private var ids: [UInt32] = []
    private var lengths: [Double] = []
    /// For each column and track, what sorts it.
    private var keys: [[UInt64]]
    private var titles: [[UInt8]] = []
    private var hasTitles = false
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
        columns += [.name(.albumArtists), .date, .name(.album), .disc, .number, .folder]
            .map { ($0, false) }
        self.columns = columns
        keys = Array(repeating: [], count: columns.count)
        hasTitles = columns.contains { if case .title = $0.0 { true } else { false } }
    }

    var count: Int { ids.count }
    func id(_ index: Int) -> Int { Int(ids[index]) }
    func seconds(of index: Int) -> Double { lengths[index].isNaN ? 0 : lengths[index] }

    /// The parts of segments that it reads beside the facts.
    var parts: Segment.Parts {
        columns.reduce(into: []) { parts, column in
            switch column.column {
            case .rating, .plays, .skips, .added, .modified, .played: parts.insert(.marks)
            case .title: parts.insert(.texts)
            case .name, .folder, .date, .year, .disc, .number, .length, .random, .fileName: break
            }
        }
    }

    mutating func add(_ segment: Segment, _ slot: Int) {
        let id = segment.number * Segment.length + slot
        let (facts, marks) = (segment.facts[slot], segment.marks[slot])
        ids.append(UInt32(id))
        lengths.append(facts.seconds)
        if !facts.seconds.isNaN { seconds += facts.seconds }
        if hasTitles {
            let title = segment.texts.bytes[segment.texts.title(slot)]
            titles.append(NameTable.key(String(decoding: title, as: UTF8.self)))
        }
        for (index, column) in columns.enumerated() {
            let key: UInt64? =
                switch column.column {
                case .name(.artists): Self.key(names.rank(facts.artists))
                case .name(.albumArtists): Self.key(names.rank(facts.albumArtists))
                case .name(.album): Self.key(names.rank(facts.album))
                case .name(.genres): Self.key(names.rank(facts.genres))
                case .name(.composers): Self.key(names.rank(facts.composers))
                case .name(.encoding): Self.key(names.rank(facts.encoding))
                case .folder: Self.key(folders.rank(facts.folder))
                case .date: Self.key(facts.date)
                case .year: Self.key(facts.year)
                case .disc: Self.key(facts.disc)
                case .number: Self.key(facts.number)
                case .length: Self.key(facts.seconds)
                case .rating: marks.rating == 0 ? nil : UInt64(marks.rating)
                case .plays: UInt64(marks.plays)
                case .skips: UInt64(marks.skips)
                case .added: Self.key(marks.added)
                case .modified: Self.key(marks.modified)
                case .played: Self.key(marks.played)
                case .random:
                    // Never unknown.
                    Self.random(seed, id)
                case .title, .fileName: nil
                }
            keys[index].append(Self.directed(key, column.isDescending))
        }
    }

    // MARK: Keys

    private static func random(_ seed: UInt64, _ id: Int) -> UInt64 {
        var generator = SeededGenerator(seed: seed &+ UInt64(id) &* 0x9e37_79b9_7f4a_7c15)
        return generator.next() >> 1
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

    /// The indexes of the tracks with these positions in the order. `fileNames` returns the sort keys
    /// of the names of tracks' files, by their ids.
    func sorted(
        _ range: Range<Int>, fileNames: ([Int]) throws -> [[UInt8]]
    ) rethrows -> [Int] {
        guard !range.isEmpty else { return [] }
        var keys = keys
        for (index, column) in columns.enumerated() {
            switch column.column {
            case .title: keys[index] = Self.ranks(titles, column.isDescending)
            case .fileName:
                keys[index] = Self.ranks(try fileNames(ids.map { Int($0) }), column.isDescending)
            default: break
            }
        }
        // Only those that can be in the range are sorted as a whole.
        let (first, last) = Self.bounds(of: keys[0], range)
        var before = 0
        var candidates: [Int] = []
        for (index, key) in keys[0].enumerated() {
            if key < first { before += 1 } else if key <= last { candidates.append(index) }
        }
        func compare(_ left: Int, _ right: Int) -> Bool? {
            for key in keys where key[left] != key[right] { return key[left] < key[right] }
            return nil
        }
        candidates.sort { compare($0, $1) ?? (ids[$0] < ids[$1]) }
        let part = range.lowerBound - before..<range.upperBound - before
        // Those that are alike are sorted by the names of their files.
        var index = 0
        while index < min(part.upperBound, candidates.count) {
            var end = index + 1
            while end < candidates.count, compare(candidates[index], candidates[end]) == nil {
                end += 1
            }
            if end > index + 1, end > part.lowerBound {
                let alike = Array(candidates[index..<end])
                let names = try fileNames(alike.map { id($0) })
                let sorted = alike.indices.sorted { left, right in
                    if names[left] == names[right] { return ids[alike[left]] < ids[alike[right]] }
                    return names[left].lexicographicallyPrecedes(names[right])
                }
                candidates.replaceSubrange(index..<end, with: sorted.map { alike[$0] })
            }
            index = end
        }
        return Array(candidates[part])
    }

    /// The positions of texts in their order; alike ones have the same. Empty ones are last.
    private static func ranks(_ texts: [[UInt8]], _ isDescending: Bool) -> [UInt64] {
        var ranks = Array(repeating: UInt64(0), count: texts.count)
        var rank: UInt64 = 0
        var last: [UInt8]?
        for index in texts.indices.sorted(by: {
            texts[$0].lexicographicallyPrecedes(texts[$1])
        }) {
            if texts[index] != last { rank += 1 }
            last = texts[index]
            ranks[index] = directed(texts[index].isEmpty ? nil : rank, isDescending)
        }
        return ranks
    }

    /// The least and the greatest key that are at these positions once the keys are sorted.
    private static func bounds(
        of keys: [UInt64], _ range: Range<Int>
    ) -> (first: UInt64, last: UInt64) {
        var keys = keys
        let last = select(range.upperBound - 1, of: &keys)
        return (select(range.lowerBound, of: &keys), last)
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
            if position <= right { high = right } else if position >= left { low = left } else { break }
        }
        return keys[position]
    }
}
