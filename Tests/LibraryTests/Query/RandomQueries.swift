import UndersongBase
import UndersongPlayback

@testable import UndersongLibrary

/// Makes queries and tracks of few words, so that many queries find some of the tracks.
struct RandomQueries {
    private static let words = [
        "a", "ab", "b", "Björk", "bjork", "Sigur Rós", "-x", "OR", "and", "–", "(b", "b)", "c:\\d",
        "\"", "=a", "^b", "@x", "title:a", "", "é", "e\u{301}", "a\nb", "Mærsk", "weiß",
    ]
    /// The parts that only the written form has to preserve: Foundation compares them otherwise.
    private static let mark = "\u{301}"
    private static let genres = ["Rock", "rock", "Jazz", "Électro", "Klassik"]

    private var numbers: SeededGenerator

    init(seed: UInt64) { numbers = SeededGenerator(seed: seed) }

    private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &numbers) }

    private mutating func one<T>(of values: [T]) -> T { values[below(values.count)] }

    private mutating func isOne(in count: Int) -> Bool { below(count) == 0 }

    mutating func query() -> LibraryQuery {
        var query = LibraryQuery(isOne(in: 20) ? nil : condition(depth: 3))
        for _ in 0..<below(3) {
            query.order.append(
                .init(one(of: LibraryQuery.Order.Key.allCases), isDescending: isOne(in: 2)))
        }
        if isOne(in: 4) { query.limit = 1 + below(100) }
        if isOne(in: 20) { query.condition = .word(Self.mark) }
        return query
    }

    mutating func condition(depth: Int, withSaved: Bool = true) -> LibraryQuery.Condition {
        switch depth > 0 ? below(9) : 2 + below(7) {
        case 0: return .all(list(depth - 1, withSaved))
        case 1: return .any(list(depth - 1, withSaved))
        case 2: return depth > 0 ? .not(condition(depth: depth - 1, withSaved: withSaved)) : word()
        case 3: return word()
        case 4: return .text(one(of: [.title, .artist, .album]), comparison(), one(of: Self.words))
        case 5:
            return .text(
                one(of: LibraryQuery.TextField.allCases), comparison(),
                one(of: Self.words + Self.genres))
        case 6:
            let field = one(of: LibraryQuery.NumberField.allCases)
            let (low, high) = (below(6), below(6))
            let range = Double(min(low, high))...Double(max(low, high))
            let ranges = [range, range.lowerBound...(.infinity), -.infinity...range.upperBound]
            return .number(field, one(of: ranges))
        case 7: return .time(one(of: LibraryQuery.TimeField.allCases), times())
        default:
            if withSaved, isOne(in: 4) { return .saved(one(of: Self.words.filter { !$0.isEmpty })) }
            return .flag(one(of: LibraryQuery.Flag.allCases))
        }
    }

    private mutating func list(_ depth: Int, _ withSaved: Bool) -> [LibraryQuery.Condition] {
        (0..<2 + below(3)).map { _ in condition(depth: depth, withSaved: withSaved) }
    }

    private mutating func word() -> LibraryQuery.Condition { .word(one(of: Self.words)) }

    private mutating func comparison() -> LibraryQuery.TextComparison {
        one(of: [.contains, .equals, .begins])
    }

    private mutating func times() -> TimeRange {
        let month = 1 + below(12)
        let moments: [TimeRange.Moment] = [
            .date(year: 1970), .date(year: 1970, month: month),
            .date(year: 1970, month: month, day: 1 + below(28)), .time(below(365 * 86400)),
        ]
        let (first, age) = (one(of: moments), below(300))
        let ages = [TimeRange.Moment.ago(age, .days), .ago(age * 24, .hours)]
        return one(of: [
            TimeRange(from: first, to: first), TimeRange(from: first), TimeRange(to: first),
            TimeRange(from: one(of: ages)), TimeRange(to: one(of: ages)), TimeRange(),
            TimeRange(from: first, to: ages[0]),
        ])
    }

    mutating func track(id: Int) -> Track {
        var tags = TrackTags()
        tags.title = text()
        tags.artists = texts()
        tags.albumArtists = isOne(in: 2) ? texts() : []
        tags.album = text()
        tags.genres = (0..<below(3)).map { _ in one(of: Self.genres) }
        tags.composers = texts()
        tags.disc = isOne(in: 2) ? below(6) : nil
        tags.number = isOne(in: 2) ? below(6) : nil
        tags.date = one(of: [nil, "0003", "0002-05", "1995-06-13", "x"])
        tags.originalDate = one(of: [nil, "0004"])
        tags.isCompilation = isOne(in: 4)
        tags.hasCover = isOne(in: 2)
        if isOne(in: 2) { tags.others["Performer"] = texts() }
        if isOne(in: 2) { tags.others["MUSICBRAINZ_TRACKID"] = ["a"] }
        let year = 365.0 * 86400
        return Track(
            id: id, path: FilePath("/\(text() ?? "music")/\(id)"), tags: tags,
            sound: isOne(in: 4)
                ? nil
                : TrackSound(
                    seconds: isOne(in: 3) ? nil : Double(below(60)) / 10,
                    SoundFormat(
                        sampleRate: below(6), channels: below(6),
                        encoding: one(of: ["a", "FLAC"])),
                    bitRate: isOne(in: 3) ? nil : below(6000)),
            added: Double.random(in: 0..<year, using: &numbers).rounded(),
            modified: Double(below(6)),
            lastPlayed: isOne(in: 2) ? Double(below(365 * 86400)) : nil, playCount: below(4),
            skipCount: below(4), rating: one(of: [nil, 1, 3, 5]), isFavourite: isOne(in: 2),
            missingSince: isOne(in: 4) ? 1 : nil)
    }

    private mutating func text() -> String? {
        let text = one(of: Self.words)
        return text.isEmpty ? nil : text
    }

    private mutating func texts() -> [String] { (0..<below(3)).compactMap { _ in text() } }
}
