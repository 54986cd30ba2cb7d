import UndersongBase
import UndersongLibrary

/// The tracks of a segment, a bit for each.
typealias SegmentBits = SIMD8<UInt64>

extension SegmentBits {
    static var all: SegmentBits { SegmentBits(repeating: .max) }
    var isEmpty: Bool { self == .zero }
    var count: Int { (0..<scalarCount).reduce(0) { $0 + self[$1].nonzeroBitCount } }

    mutating func insert(_ slot: Int) { self[slot >> 6] |= 1 << UInt64(slot & 63) }

    /// Calls `body` with each slot in it, in their order.
    @inline(__always)
    func forEach(_ body: (Int) throws -> Void) rethrows {
        for index in 0..<scalarCount {
            var word = self[index]
            while word != 0 {
                try body(index << 6 | word.trailingZeroBitCount)
                word &= word - 1
            }
        }
    }

    /// The slots in it of which `body` is true.
    @inline(__always)
    func filter(_ body: (Int) -> Bool) -> SegmentBits {
        var result = SegmentBits.zero
        forEach { if body($0) { result.insert($0) } }
        return result
    }
}

/// The condition of a query, prepared for the segments of a file.
///
/// Texts that many tracks share, as those of artists, were compared once, with all names. It finds
/// what `QueryMatcher` does.
indirect enum SegmentTest {
    case all([SegmentTest])
    case any([SegmentTest])
    case not(SegmentTest)
    /// A text in the title, the path, the artists or the album.
    case word([UInt8], names: BitSet, path: PathTest)
    case title(LibraryQuery.TextComparison, [UInt8])
    case names(NameField, BitSet)
    case path(LibraryQuery.TextComparison, PathTest)
    case number(LibraryQuery.NumberField, ClosedRange<Double>)
    case time(LibraryQuery.TimeField, ClosedRange<Double>)
    case flag(LibraryQuery.Flag)
    /// A field that is only in the tracks' rows.
    case row(QueryMatcher)

    /// Fields whose texts are names.
    enum NameField { case artists, albumArtists, album, genres, composers, encoding }

    /// A comparison with paths, which are folders and names.
    struct PathTest {
        /// The folders that are enough for the path to match.
        let folders: BitSet
        /// The folders that need a certain name, if the text contains a slash.
        let partial: BitSet?
        /// The beginning of the name, or all of it, in one of `partial`; otherwise a text anywhere in
        /// it.
        let name: [UInt8]
    }

    /// Prepares a condition, without saved queries, which no track fulfils.
    init(
        _ condition: LibraryQuery.Condition, names: NameList, folders: NameList, now: Double,
        zone: LocalZone
    ) {
        func test(_ condition: LibraryQuery.Condition) -> SegmentTest {
            SegmentTest(condition, names: names, folders: folders, now: now, zone: zone)
        }
        switch condition {
        case .all(let conditions): self = .all(conditions.map(test).sorted { $0.cost < $1.cost })
        case .any(let conditions): self = .any(conditions.map(test).sorted { $0.cost < $1.cost })
        case .not(let condition): self = .not(test(condition))
        case .word(let text):
            let text = Array(text.folded.utf8)
            self = .word(
                text, names: names.matches(.contains, text),
                path: Self.path(.contains, text, folders))
        case .text(let field, let comparison, let text):
            let folded = Array(text.folded.utf8)
            let isNamed: NameField? =
                switch field {
                case .artist: .artists
                case .albumartist: .albumArtists
                case .album: .album
                case .genre: .genres
                case .composer: .composers
                case .format: .encoding
                default: nil
                }
            if let isNamed {
                self = .names(isNamed, names.matches(comparison, folded))
            } else if field == .title {
                self = .title(comparison, folded)
            } else if field == .path {
                self = .path(comparison, Self.path(comparison, folded, folders))
            } else {
                self = .row(QueryMatcher(LibraryQuery(condition), now: now, zone: zone))
            }
        case .number(let field, let range): self = .number(field, range)
        case .time(let field, let range):
            self = range.seconds(now: now, zone: zone).map { .time(field, $0) } ?? .any([])
        case .flag(let flag): self = .flag(flag)
        case .saved: self = .any([])
        }
    }

    private static func path(
        _ comparison: LibraryQuery.TextComparison, _ text: [UInt8], _ folders: NameList
    ) -> PathTest {
        guard let slash = text.lastIndex(of: UInt8(ascii: "/")) else {
            let none = BitSet(count: 0)
            if comparison == .contains || comparison == .begins && text.isEmpty {
                let partial = comparison == .contains ? nil : none
                return PathTest(
                    folders: folders.matches(.contains, text), partial: partial, name: text)
            }
            // A path begins with a slash.
            return PathTest(folders: none, partial: none, name: text)
        }
        let (head, tail) = (text[...slash], Array(text[(slash + 1)...]))
        switch comparison {
        case .contains:
            return PathTest(
                folders: folders.matches(.contains, text), partial: folders.endings(head),
                name: tail)
        case .begins:
            return PathTest(
                folders: folders.matches(.begins, text),
                partial: folders.matches(.equals, Array(head)), name: tail)
        case .equals:
            return PathTest(
                folders: BitSet(count: 0), partial: folders.matches(.equals, Array(head)),
                name: tail)
        }
    }

    /// The parts of segments that it reads beside the facts.
    var parts: Segment.Parts {
        switch self {
        case .all(let tests), .any(let tests): tests.reduce([]) { $0.union($1.parts) }
        case .not(let test): test.parts
        case .word, .title, .path: .texts
        case .names, .row: []
        case .number(.rating, _), .number(.plays, _), .number(.skips, _), .time: .marks
        case .number: []
        case .flag(.compilation), .flag(.cover): []
        case .flag: .marks
        }
    }

    /// The order in which tests are tried.
    private var cost: Int {
        switch self {
        case .all(let tests), .any(let tests): tests.map(\.cost).max() ?? 0
        case .not(let test): test.cost
        case .names, .number, .time, .flag: 1
        case .word, .title, .path: 2
        case .row: 3
        }
    }

    // MARK: Comparing

    /// The tracks among `slots` that fulfil it. `rows` reads tracks by their slots.
    func matches(
        _ segment: Segment, _ slots: SegmentBits, rows: (SegmentBits) throws -> [Track]
    ) rethrows -> SegmentBits {
        switch self {
        case .all(let tests):
            var left = slots
            for test in tests where !left.isEmpty {
                left = try test.matches(segment, left, rows: rows)
            }
            return left
        case .any(let tests):
            var found = SegmentBits.zero
            for test in tests where found != slots {
                found |= try test.matches(segment, slots & ~found, rows: rows)
            }
            return found
        case .not(let test): return try slots & ~test.matches(segment, slots, rows: rows)
        case .word(let text, let names, let path):
            let named = slots.filter { slot in
                let facts = segment.facts[slot]
                return names.contains(facts.artists) || names.contains(facts.album)
                    || names.contains(facts.albumArtists)
            }
            let found = named | Self.matches(path, .contains, segment, slots)
            return found | Self.hits(text, in: segment.texts, slots) { $0.title($1) }
        case .title(let comparison, let text):
            guard comparison != .contains || text.isEmpty else {
                return Self.hits(text, in: segment.texts, slots) { $0.title($1) }
            }
            return slots.filter { slot in
                let title = segment.texts.bytes[segment.texts.title(slot)]
                switch comparison {
                case .contains: return !title.isEmpty
                // A title is never empty.
                case .begins: return !title.isEmpty && title.starts(with: text)
                case .equals: return title.elementsEqual(text)
                }
            }
        case .names(let field, let names):
            switch field {
            case .artists: return slots.filter { names.contains(segment.facts[$0].artists) }
            case .albumArtists:
                return slots.filter { names.contains(segment.facts[$0].albumArtists) }
            case .album: return slots.filter { names.contains(segment.facts[$0].album) }
            case .genres: return slots.filter { names.contains(segment.facts[$0].genres) }
            case .composers: return slots.filter { names.contains(segment.facts[$0].composers) }
            case .encoding: return slots.filter { names.contains(segment.facts[$0].encoding) }
            }
        case .path(let comparison, let path):
            return Self.matches(path, comparison, segment, slots)
        case .number(let field, let range):
            return slots.filter { range.contains(Self.number(field, segment, $0)) }
        case .time(let field, let range):
            return slots.filter { slot in
                let marks = segment.marks[slot]
                switch field {
                case .added: return range.contains(marks.added)
                case .modified: return range.contains(marks.modified)
                case .played: return range.contains(marks.played)
                }
            }
        case .flag(let flag): return slots.filter { Self.has(flag, segment, $0) }
        case .row(let matcher):
            var found = SegmentBits.zero
            for track in try rows(slots) where matcher.matches(track) {
                found.insert(track.id % Segment.length)
            }
            return found
        }
    }

    private static func matches(
        _ path: PathTest, _ comparison: LibraryQuery.TextComparison, _ segment: Segment,
        _ slots: SegmentBits
    ) -> SegmentBits {
        var found = slots.filter { path.folders.contains(segment.facts[$0].folder) }
        guard let partial = path.partial else {
            found |= hits(path.name, in: segment.texts, slots & ~found) { $0.name($1) }
            return found
        }
        found |= (slots & ~found).filter { slot in
            guard partial.contains(segment.facts[slot].folder) else { return false }
            let name = segment.texts.bytes[segment.texts.name(slot)]
            return comparison == .equals
                ? name.elementsEqual(path.name) : name.starts(with: path.name)
        }
        return found
    }

    /// The tracks with a text in their titles or names, of which `range` is the location.
    private static func hits(
        _ text: [UInt8], in texts: SegmentTexts, _ slots: SegmentBits,
        _ range: (SegmentTexts, Int) -> Range<Int>
    ) -> SegmentBits {
        var found = SegmentBits.zero
        guard !text.isEmpty, !slots.isEmpty else { return text.isEmpty ? slots : found }
        var (slot, start) = (0, 0)
        while let hit = texts.bytes.firstRange(of: text, from: start) {
            while texts.name(slot).upperBound <= hit { slot += 1 }
            let range = range(texts, slot)
            if range.contains(hit), hit + text.count <= range.upperBound {
                found.insert(slot)
                start = texts.name(slot).upperBound
            } else {
                start = hit + 1
            }
        }
        return found & slots
    }

    /// A number of a track; NaN if it is unknown.
    private static func number(
        _ field: LibraryQuery.NumberField, _ segment: Segment, _ slot: Int
    ) -> Double {
        let facts = segment.facts[slot]
        func known(_ number: Int32) -> Double {
            number == TrackFacts.unknown ? .nan : Double(number)
        }
        switch field {
        case .year: return known(facts.year)
        case .disc: return known(facts.disc)
        case .track: return known(facts.number)
        case .rating: return Double(segment.marks[slot].rating)
        case .plays: return Double(segment.marks[slot].plays)
        case .skips: return Double(segment.marks[slot].skips)
        case .length: return facts.seconds.rounded(.down)
        case .samplerate: return known(facts.sampleRate)
        case .channels:
            return facts.flags & TrackFacts.hasSound == 0 ? .nan : Double(facts.channels)
        case .bitrate:
            return facts.bitRate == TrackFacts.unknown ? .nan : Double(facts.bitRate / 1000)
        }
    }

    private static func has(_ flag: LibraryQuery.Flag, _ segment: Segment, _ slot: Int) -> Bool {
        let (facts, marks) = (segment.facts[slot], segment.marks[slot])
        switch flag {
        case .favourite: return marks.flags & TrackMarks.isFavourite != 0
        case .unplayed: return marks.plays == 0 && marks.played.isNaN
        case .unrated: return marks.rating == 0
        case .compilation: return facts.flags & TrackFacts.isCompilation != 0
        case .missing: return marks.flags & TrackMarks.isMissing != 0
        case .cover: return facts.flags & TrackFacts.hasCover != 0
        }
    }
}
